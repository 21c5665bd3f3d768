import torch
from layers.l2norm import L2Norm
from torch import nn
from torch.nn import functional as F


class SSD(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        widths = (3, 6, 8)
        self.base = nn.ModuleList(nn.Conv2d(*pair, 3, 2, 1) for pair in zip(widths, widths[1:]))
        self.norm = L2Norm(6, scale=20)
        self.conf = nn.ModuleList(nn.Conv2d(width, classes, 3, padding=1) for width in widths[1:])

    def forward(self, x):
        sources = []
        for layer in self.base:
            x = F.relu(layer(x))
            sources.append(x)
        sources[0] = self.norm(sources[0])
        confs = [conf(s).flatten(2) for s, conf in zip(sources, self.conf)]
        return torch.cat(confs, dim=2)


torch.manual_seed(15)
net = SSD()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9)
for iteration in range(3):
    images, labels = torch.randn(2, 3, 12, 12), torch.randint(3, (2, 45))
    loss = F.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"iter {iteration}: {loss.item():.4f}")
