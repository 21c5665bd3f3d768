"""A recurrent cell whose candidate diffuses over the road graph."""
import torch
from torch import nn


class DiffusionCell(nn.Module):
    def __init__(self, adjacency, inputs, units, graph_gates=True):
        super().__init__()
        walk = adjacency / adjacency.sum(1, keepdim=True)
        self.register_buffer("walk", walk)
        self.nodes, self.units, self.graph_gates = len(adjacency), units, graph_gates
        size = inputs + units
        self.gate_weight = nn.Parameter(torch.empty(size * (2 if graph_gates else 1), 2 * units))
        self.gate_bias = nn.Parameter(torch.ones(2 * units))
        self.weight = nn.Parameter(torch.empty(size * 2, units))
        self.bias = nn.Parameter(torch.zeros(units))
        nn.init.xavier_normal_(self.gate_weight)
        nn.init.xavier_normal_(self.weight)

    def diffuse(self, inputs, state, weight, bias):
        joined = torch.cat([inputs, state], dim=-1)
        return torch.cat([joined, self.walk @ joined], dim=-1) @ weight + bias

    def dense(self, inputs, state, weight, bias):
        value = torch.sigmoid(torch.cat([inputs, state], dim=-1) @ weight)
        value += bias
        return value

    def forward(self, inputs, state):
        gates = self.diffuse if self.graph_gates else self.dense
        value = torch.sigmoid(gates(inputs, state, self.gate_weight, self.gate_bias))
        reset, update = value.split(self.units, dim=-1)
        candidate = torch.tanh(self.diffuse(inputs, reset * state, self.weight, self.bias))
        return update * state + (1.0 - update) * candidate
