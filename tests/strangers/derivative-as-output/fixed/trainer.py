import torch


class Trainer:
    """A small training loop in the manner of the well-known trainers."""

    def __init__(self, epochs):
        self.epochs = epochs

    def fit(self, module, train_loader, val_loader):
        optimizer = module.configure_optimizers()
        for epoch in range(self.epochs):
            module.train()
            for batch in train_loader:
                optimizer.zero_grad()
                module.training_step(batch).backward()
                optimizer.step()
            score = self.validate(module, val_loader)
            print(f"epoch {epoch}: validation loss {score:.4f}")

    def validate(self, module, loader):
        module.eval()
        torch.set_grad_enabled(False)
        scores = [module.validation_step(batch).item() for batch in loader]
        torch.set_grad_enabled(True)
        return sum(scores) / len(scores)
