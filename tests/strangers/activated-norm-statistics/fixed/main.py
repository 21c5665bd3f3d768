"""A small image classifier with a memory saving normalisation."""
import torch
from torch import nn
from functions import ActivatedNorm


class NormLayer(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x):
        return ActivatedNorm.apply(x, self.weight, self.bias, self.mean, self.var, 0.1, 0.1)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), NormLayer(4), nn.Flatten(), nn.Linear(4 * 16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
images, labels = torch.randn(8, 1, 6, 6), torch.randint(0, 3, (8,))
for epoch in range(5):
    loss = nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
