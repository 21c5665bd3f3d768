"""Policy and value networks of the soft actor-critic."""
import torch
from torch import nn


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, outputs))


class Policy(nn.Module):
    def __init__(self, states, actions):
        super().__init__()
        self.net = mlp(states, 2 * actions)

    def forward(self, state):
        mean, log_std = self.net(state).chunk(2, dim=-1)
        normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        raw = normal.rsample()
        action = torch.tanh(raw)
        log_pi = normal.log_prob(raw) - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_pi.sum(-1, keepdim=True)


class Value(nn.Module):
    def __init__(self, states, actions):
        super().__init__()
        self.net = mlp(states + actions, 1)

    def forward(self, state, action):
        return self.net(torch.cat([state, action], dim=-1))
