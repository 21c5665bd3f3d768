import torch.nn as nn
import torch.nn.functional as F


class GammaTransform(nn.Module):
    """Rescales each image to [0, 1] and changes its contrast; in place, as volumes are large."""

    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, x):
        low = x.amin(dim=(-2, -1), keepdim=True)
        high = x.amax(dim=(-2, -1), keepdim=True)
        x = x.sub(low).div_(high - low + 1e-6)
        x.clamp_(1e-3, 1.0)
        x.pow_(self.gamma)
        return x.mul_(high - low).add_(low)


class SmoothBias(nn.Module):
    """Multiplies by a slowly varying field."""

    def __init__(self, control_points):
        super().__init__()
        self.control_points = control_points

    def forward(self, x):
        field = F.interpolate(self.control_points, size=x.shape[-2:], mode="bilinear", align_corners=True)
        return x * field.exp_()
