import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralLinear(nn.Module):
    """A linear layer whose weight is divided by its largest singular value."""

    def __init__(self, in_features, out_features, iterations=1):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.3)
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.iterations = iterations
        self.register_buffer("u", F.normalize(torch.randn(out_features), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(in_features), dim=0))

    def normalized_weight(self):
        if self.training:
            with torch.no_grad():
                for _ in range(self.iterations):
                    # Written into the buffers, so that all replicas see the new vectors.
                    F.normalize(self.weight.t().mv(self.u), dim=0, out=self.v)
                    F.normalize(self.weight.mv(self.v), dim=0, out=self.u)
        u, v = self.u.clone(), self.v.clone()
        sigma = torch.dot(u, self.weight.mv(v))
        return self.weight / sigma

    def forward(self, x):
        return F.linear(x, self.normalized_weight(), self.bias)
