import torch


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


class Trainer:
    def __init__(self, model, optimizer, micro_batches=2):
        self.model = model
        self.optimizer = optimizer
        self.micro_batches = micro_batches
        self.history = []

    def _train_micro_batch(self, batch, share):
        outputs = self.model(batch)
        losses = as_tuple(self.model.loss(outputs, batch))
        for loss in losses:
            loss.mul_(share)
        total_loss = sum(losses)
        total_loss.backward()
        return total_loss.item()

    def _train_batch(self, batch):
        size = len(batch["signal"])
        parts = [dict(zip(batch, values)) for values in zip(*(v.chunk(self.micro_batches) for v in batch.values()))]
        self.optimizer.zero_grad()
        total = sum(self._train_micro_batch(part, len(part["signal"]) / size) for part in parts)
        self.optimizer.step()
        return total

    def fit(self, loader, epochs):
        for _ in range(epochs):
            values = [self._train_batch(batch) for batch in loader]
            self.history.append(torch.tensor(values).mean().item())
