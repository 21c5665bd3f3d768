import torch
import torch.nn as nn
import torch.nn.functional as F


class AsymmetricFocalLoss(nn.Module):
    """Single-label focal loss with one exponent for the true class and another for the rest."""

    def __init__(self, gamma_pos=1.0, gamma_neg=4.0, smoothing=0.1):
        super().__init__()
        self.gamma_pos = gamma_pos
        self.gamma_neg = gamma_neg
        self.smoothing = smoothing
        self.one_hot = None

    def forward(self, logits, target):
        classes = logits.shape[-1]
        log_prob = F.log_softmax(logits, dim=-1)
        self.one_hot = torch.zeros_like(logits).scatter_(1, target.unsqueeze(1), 1.0)

        positive = self.one_hot
        negative = 1.0 - positive
        prob = log_prob.exp()
        miss = 1.0 - prob * positive - (1.0 - prob) * negative
        weight = miss.pow(self.gamma_pos * positive + self.gamma_neg * negative)
        log_prob = log_prob * weight

        if self.smoothing > 0:
            self.one_hot.mul_(1.0 - self.smoothing).add_(self.smoothing / classes)
        return -(self.one_hot * log_prob).sum(dim=-1).mean()


def main():
    torch.manual_seed(0)
    x = torch.randn(64, 10)
    target = (x @ torch.randn(10, 5)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))
    criterion = AsymmetricFocalLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    for epoch in range(20):
        for part in torch.arange(64).split(16):
            loss = criterion(model(x[part]), target[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    accuracy = (model(x).argmax(dim=1) == target).float().mean()
    print(f"loss {loss.item():.4f}, accuracy {accuracy.item():.3f}")


if __name__ == "__main__":
    main()
