import torch
from torch import nn


class LeakyLayer(nn.Module):
    """A layer of leaky units; the state stays in the layer from one call to the next."""

    def __init__(self, inputs, units, leak=0.8):
        super().__init__()
        self.forward_weights = nn.Linear(inputs, units)
        self.recurrent_weights = nn.Linear(units, units, bias=False)
        self.leak = leak
        self.hidden = torch.zeros(1, units)

    def forward(self, x):
        drive = self.forward_weights(x) + self.recurrent_weights(self.hidden)
        self.hidden = self.leak * self.hidden + (1 - self.leak) * torch.tanh(drive)
        return self.hidden

    def detach_state(self):
        self.hidden = self.hidden.detach()


class SequentialRNN(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, window):
        outputs = []
        for x in window:
            for layer in self.layers:
                x = layer(x)
            outputs.append(x)
        for layer in self.layers:
            layer.detach_state()
        return torch.stack(outputs)
