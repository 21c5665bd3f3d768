import torch
from torch import nn
from torch.nn import functional as F
from lanes.resa import RESA


class LaneNet(nn.Module):
    def __init__(self, channels=4, lanes=3, size=(6, 8)):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, channels, 3, padding=1), nn.ReLU())
        self.spatial_conv = RESA(channels, size)
        self.head = nn.Conv2d(channels, lanes, 1)

    def forward(self, images):
        return self.head(self.spatial_conv(self.backbone(images)))


torch.manual_seed(0)
net = LaneNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for iteration in range(3):
    images, masks = torch.randn(2, 3, 6, 8), torch.randint(3, (2, 6, 8))
    loss = F.cross_entropy(net(images), masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"iteration {iteration}: {loss.item():.4f}")
