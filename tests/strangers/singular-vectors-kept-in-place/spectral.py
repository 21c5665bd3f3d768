import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize


class SpectralNorm(nn.Module):
    """A weight over its largest singular value, whose vectors get better with each forward."""

    def __init__(self, weight, n_power_iterations=1, eps=1e-12):
        super().__init__()
        self.n_power_iterations, self.eps = n_power_iterations, eps
        for name, size in zip(("_u", "_v"), weight.shape):
            self.register_buffer(name, F.normalize(torch.randn(size), dim=0, eps=eps))

    @torch.no_grad()
    def _power_method(self, weight):
        for _ in range(self.n_power_iterations):
            F.normalize(torch.mv(weight, self._v), dim=0, eps=self.eps, out=self._u)
            F.normalize(torch.mv(weight.t(), self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight):
        if self.training:
            self._power_method(weight)
        sigma = torch.dot(self._u, torch.mv(weight, self._v))
        return weight / sigma


def spectral_norm(module, name="weight", **options):
    norm = SpectralNorm(getattr(module, name), **options)
    parametrize.register_parametrization(module, name, norm)
    return module
