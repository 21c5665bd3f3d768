import torch
from torch import nn


class GRULayer(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, hidden):
        outputs = []
        for frame in x:
            hidden = self.cell(frame, hidden)
            outputs.append(hidden)
        return torch.stack(outputs), hidden


class QuantizableGRU(nn.Module):
    """nn.GRU, written out so that observers can be put between its operations."""

    def __init__(self, input_size, hidden_size, num_layers=1):
        super().__init__()
        self.num_layers = num_layers
        self.hidden_size = hidden_size
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(GRULayer(size, hidden_size) for size in sizes)

    def forward(self, x, hidden=None):
        if hidden is None:
            hidden = x.new_zeros(self.num_layers, x.size(1), self.hidden_size)
        hx = hidden.reshape(self.num_layers, 1, x.size(1), self.hidden_size).unbind(0)
        hx = [(hx[idx].squeeze_(0)) for idx in range(self.num_layers)]
        last = []
        for idx, layer in enumerate(self.layers):
            x, state = layer(x, hx[idx])
            last.append(state)
        return x, torch.stack(last)
