import torch
from torch import nn
from torch.autograd.functional import jacobian


class ScaleShift:
    """Maps raw outputs to a valid interval: the lower end, and a positive distance to the upper."""

    def __init__(self, columns=2, beta=2.0):
        self.columns = columns
        self.positive = nn.Softplus(beta)

    def __call__(self, raw):
        bounds = torch.zeros_like(raw)
        bounds[:, 0] = raw[:, 0]
        for column in range(1, self.columns):
            bounds[:, column] = self.positive(bounds[:, column - 1]) + raw[:, column].exp()
        return bounds


def sensitivities(function, points):
    return jacobian(lambda p: function(p).sum(0), points, vectorize=False)


torch.manual_seed(8)
raw = torch.randn(3, 3)
result = sensitivities(ScaleShift(columns=3), raw)
for column, rows in enumerate(result):
    print(column, rows.abs().sum(0).tolist())
