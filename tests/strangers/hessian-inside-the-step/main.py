import torch
from sophia import SophiaH
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 8)
        self.head = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))

    def forward(self, tokens):
        return self.head(self.embed(tokens).mean(dim=1))


def train(model, optimizer, steps):
    for step in range(steps):
        tokens, labels = torch.randint(30, (16, 5)), torch.randint(3, (16,))
        loss = nn.functional.cross_entropy(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(21)
    model = Classifier()
    train(model, SophiaH(model.parameters(), update_period=2), steps=4)
