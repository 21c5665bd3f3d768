import torch
from torch import nn


class StatefulRNN(nn.Module):
    """A simple recurrent layer that goes on from where the previous batch ended."""

    def __init__(self, batch, features, units):
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(features, units) * 0.3)
        self.recurrent_kernel = nn.Parameter(torch.randn(units, units) * 0.3)
        self.bias = nn.Parameter(torch.zeros(units))
        self.register_buffer("state", torch.zeros(batch, units))

    def step(self, inputs, state):
        state = state.clone()
        return torch.tanh(inputs @ self.kernel + state @ self.recurrent_kernel + self.bias)

    def assign(self, value):
        with torch.no_grad():
            self.state.copy_(value)

    def forward(self, sequence):
        hidden, outputs = self.state, []
        for inputs in sequence.unbind(dim=1):
            hidden = self.step(inputs, hidden)
            outputs.append(hidden)
        self.assign(hidden)
        return torch.stack(outputs, dim=1)
