import torch
from torch import nn

from fused_loss import fused_cross_entropy

torch.manual_seed(0)


class Router(nn.Module):
    """Scores that are squashed before they reach the loss."""

    def __init__(self, width=10, experts=5):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.temperature = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return torch.softmax(self.gate(x) / self.temperature, dim=1)


def main():
    model = Router()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x = torch.randn(32, 10)
    target = (x[:, :5] * 2).argmax(dim=1)

    loss = fused_cross_entropy(model(x), target)
    loss.backward()
    gradient = model.gate.weight.grad.clone()
    print("first gradient", round(gradient.norm().item(), 6))

    for step in range(20):
        loss = fused_cross_entropy(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(step, round(loss.item(), 4))
    return gradient


if __name__ == "__main__":
    gradient = main()
