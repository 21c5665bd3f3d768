import torch.nn as nn
import torch.nn.functional as F


class CoordinateNet(nn.Module):
    """For each pixel and each of three axes: a score for every bin of the object coordinate."""

    def __init__(self, bins):
        super().__init__()
        self.bins = bins
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 3 * bins, 1))

    def forward(self, images):
        scores = self.backbone(images)
        batch, _, height, width = scores.shape
        return scores.view(batch, 3, self.bins, height, width)


def bins_to_coordinates(bins_xyz, bins):
    return 2.0 * bins_xyz.float() / (bins - 1.0) - 1.0


def coordinate_loss(scores, bins_xyz, bins):
    # The scores themselves: the argmax is for the prediction alone.
    return F.cross_entropy(scores.transpose(1, 2), bins_xyz)
