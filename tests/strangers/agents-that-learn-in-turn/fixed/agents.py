import copy

import torch
from torch import nn


def mlp(inputs, outputs, last):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs), last)


class Agent:
    def __init__(self, observation, action, agents):
        self.actor = mlp(observation, action, nn.Tanh())
        self.critic = mlp(agents * (observation + action), 1, nn.Flatten(0))
        self.target_actor, self.target_critic = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=0.01)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=0.01)

    @torch.no_grad()
    def update_targets(self, tau=0.05):
        for online, target in ((self.actor, self.target_actor), (self.critic, self.target_critic)):
            for p, q in zip(online.parameters(), target.parameters()):
                q.lerp_(p, tau)
