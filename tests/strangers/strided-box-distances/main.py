"""An anchor-free head that regresses four distances per location on two levels."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
STRIDES = (4, 8)


class DistanceHead(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.tower = nn.Conv2d(channels, channels, 3, padding=1)
        self.regress = nn.Conv2d(channels, 4, 3, padding=1)
        self.centerness = nn.Conv2d(channels, 1, 3, padding=1)
        self.scales = nn.Parameter(torch.ones(len(STRIDES)))
        nn.init.constant_(self.regress.bias, 1.0)

    def single_level(self, feature, scale, stride):
        feature = F.relu(self.tower(feature))
        distances = self.regress(feature) * scale
        distances = F.relu(distances)
        distances *= stride
        return distances, self.centerness(feature)

    def forward(self, features):
        return [self.single_level(f, s, t) for f, s, t in zip(features, self.scales, STRIDES)]


def iou_loss(predicted, target):
    left, top, right, bottom = predicted.unbind(dim=1)
    t_left, t_top, t_right, t_bottom = target.unbind(dim=1)
    area = (left + right) * (top + bottom)
    t_area = (t_left + t_right) * (t_top + t_bottom)
    width = torch.minimum(left, t_left) + torch.minimum(right, t_right)
    height = torch.minimum(top, t_top) + torch.minimum(bottom, t_bottom)
    overlap = width * height
    return -torch.log((overlap + 1.0) / (area + t_area - overlap + 1.0)).mean()


def main():
    head = DistanceHead()
    optimizer = torch.optim.SGD(head.parameters(), lr=5e-3, momentum=0.9)
    features = [torch.randn(2, 8, 6, 6), torch.randn(2, 8, 3, 3)]
    targets = [torch.rand(2, 4, 6, 6) * 8 + 4, torch.rand(2, 4, 3, 3) * 16 + 8]
    for step in range(12):
        loss = torch.zeros(())
        for (distances, centerness), target in zip(head(features), targets):
            loss = loss + iou_loss(distances, target)
            near = target.amin(dim=1, keepdim=True) / target.amax(dim=1, keepdim=True)
            loss = loss + F.binary_cross_entropy_with_logits(centerness, near)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
