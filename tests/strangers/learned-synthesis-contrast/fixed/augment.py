import torch
import torch.nn as nn
import torch.nn.functional as F


def tracks_gradient(*tensors):
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


class GammaTransform(nn.Module):
    """Rescales each image to [0, 1] and changes its contrast; in place, as volumes are large."""

    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, x):
        low = x.amin(dim=(-2, -1), keepdim=True)
        high = x.amax(dim=(-2, -1), keepdim=True)
        if tracks_gradient(x, self.gamma):
            y = x.sub(low).div(high - low + 1e-6).clamp(1e-3, 1.0).pow(self.gamma)
            return y.mul(high - low).add(low)
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
        return x * (field.exp() if tracks_gradient(x, field) else field.exp_())
