"""Soft actor-critic updates on a batch of stored transitions."""
import copy

import torch
from torch import nn

from networks import Policy, Value

torch.manual_seed(0)
ALPHA, DISCOUNT = 0.1, 0.95

policy = Policy(4, 2)
values = [Value(4, 2), Value(4, 2)]
targets = copy.deepcopy(values)
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
value_optimizers = [torch.optim.Adam(v.parameters(), lr=3e-3) for v in values]


def train(state, action, reward, following):
    chosen, log_pi = policy(state)
    best = torch.min(values[0](state, chosen), values[1](state, chosen))
    policy_loss = (ALPHA * log_pi - best).mean()

    with torch.no_grad():
        ahead, ahead_log_pi = policy(following)
        ahead_value = torch.min(targets[0](following, ahead), targets[1](following, ahead))
        goal = reward + DISCOUNT * (ahead_value - ALPHA * ahead_log_pi)
    value_losses = [nn.functional.mse_loss(v(state, action), goal) for v in values]

    for optimizer, loss in zip(value_optimizers, value_losses):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    policy_optimizer.zero_grad()
    policy_loss.backward()
    policy_optimizer.step()

    with torch.no_grad():
        for value, target in zip(values, targets):
            for new, old in zip(value.parameters(), target.parameters()):
                old.lerp_(new, 0.01)
    return policy_loss.item(), value_losses[0].item()


state, action, following = torch.randn(64, 4), torch.rand(64, 2) * 2 - 1, torch.randn(64, 4)
reward = -(state[:, :2] - action).pow(2).sum(-1, keepdim=True)
for step in range(8):
    report = train(state, action, reward, following)
print("policy %.3f value %.3f" % report)
