import torch
from torch import nn
from .conv import conv1d_step


class mLSTMBlock(nn.Module):
    def __init__(self, dim, kernel=3):
        super().__init__()
        self.dim, self.kernel = dim, kernel
        self.weight = nn.Parameter(torch.randn(kernel, dim) * 0.4)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.gates = nn.Linear(dim, 3 * dim)

    def start(self, batch):
        return {
            "conv_state": torch.zeros(batch, self.kernel, self.dim),
            "cell": torch.zeros(batch, self.dim),
        }

    def step(self, x, conv_state, cell):
        y, conv_state = conv1d_step(x, conv_state, self.weight, self.bias)
        i, f, o = torch.sigmoid(self.gates(y)).chunk(3, dim=-1)
        cell = f * cell + i * torch.tanh(y)
        return x + o * torch.tanh(cell), {"conv_state": conv_state, "cell": cell}
