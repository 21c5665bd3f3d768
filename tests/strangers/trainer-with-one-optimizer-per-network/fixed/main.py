import torch
from torch import nn

torch.manual_seed(11)


class GAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def configure_optimizers(self):
        return [torch.optim.Adam(net.parameters(), lr=0.01) for net in (self.generator, self.discriminator)]

    def training_step(self, real, optimizer_idx):
        bce = nn.functional.binary_cross_entropy_with_logits
        fake = self.generator(torch.randn(len(real), 3))
        if optimizer_idx == 0:
            verdict = self.discriminator(fake)
            return bce(verdict, torch.ones_like(verdict))
        on_real, on_fake = self.discriminator(real), self.discriminator(fake.detach())
        return bce(on_real, torch.ones_like(on_real)) + bce(on_fake, torch.zeros_like(on_fake))


class Trainer:
    def __init__(self):
        self.seen = {}

    def run_batch(self, model, optimizers, batch):
        losses = []
        for idx, optimizer in enumerate(optimizers):
            for param in model.parameters():
                param.requires_grad = False
            for group in optimizer.param_groups:
                for param in group["params"]:
                    param.requires_grad = True
            loss = model.training_step(batch, idx)
            loss.backward()
            self.seen[idx] = [p.grad.clone() for g in optimizer.param_groups for p in g["params"]]
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        return losses

    def fit(self, model, batches):
        optimizers = model.configure_optimizers()
        for step, batch in enumerate(batches):
            g, d = self.run_batch(model, optimizers, batch)
            print(f"step {step}: generator {g:.4f} discriminator {d:.4f}")


trainer = Trainer()
trainer.fit(GAN(), torch.randn(4, 16, 2) * 0.5 + 1)
gradient = trainer.seen[1][0]
print("discriminator gradient norm:", gradient.norm().item())
