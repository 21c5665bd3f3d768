"""A one-scale anchor head: raw maps in training, decoded boxes in evaluation."""
import torch
from torch import nn


class Detect(nn.Module):
    stride = 4.0

    def __init__(self, channels, classes=3, anchors=((6.0, 8.0), (12.0, 10.0))):
        super().__init__()
        self.outputs = classes + 5
        self.register_buffer("anchors", torch.tensor(anchors).view(1, -1, 1, 1, 2))
        self.project = nn.Conv2d(channels, self.outputs * len(anchors), 1)

    def grid(self, height, width):
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        return torch.stack((columns, rows), dim=2).view(1, 1, height, width, 2).float()

    def forward(self, x):
        x = self.project(x)
        batch, _, height, width = x.shape
        x = x.view(batch, -1, self.outputs, height, width).permute(0, 1, 3, 4, 2).contiguous()
        if self.training:
            return x
        y = x.sigmoid()
        xy = (y[..., 0:2] * 2.0 - 0.5 + self.grid(height, width)) * self.stride
        wh = (y[..., 2:4] * 2.0) ** 2 * self.anchors
        y = torch.cat((xy, wh, y[..., 4:]), dim=-1)
        return y.view(batch, -1, self.outputs)


class TinyDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.SiLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.SiLU(),
        )
        self.detect = Detect(16)

    def forward(self, images):
        return self.detect(self.backbone(images))
