import copy

import torch
from torch import nn

import validation

torch.manual_seed(0)


class ModelEMA:
    """A slow copy of the model whose parameters follow the trained ones."""

    def __init__(self, model, decay=0.9):
        self.ema = copy.deepcopy(model).eval()
        self.decay = decay
        for parameter in self.ema.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.ema.parameters(), model.parameters()):
            slow.data = self.decay * slow + (1 - self.decay) * fast
        for slow, fast in zip(self.ema.buffers(), model.buffers()):
            slow.copy_(fast)


def make_batches(count):
    for _ in range(count):
        labels = torch.randint(0, 3, (16,))
        images = torch.randn(16, 1, 8, 8) * 0.5 + labels.view(-1, 1, 1, 1)
        yield images, labels


def main():
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
    )
    ema = ModelEMA(model)
    held_out = list(make_batches(4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for images, labels in make_batches(6):
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update(model)
        accuracy = validation.run(copy.deepcopy(ema.ema), held_out)
        print(epoch, round(loss.item(), 4), "accuracy", round(accuracy, 3))


if __name__ == "__main__":
    main()
