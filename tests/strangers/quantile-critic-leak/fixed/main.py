"""Truncated quantile critics: one update of the critics and of the policy."""
import copy

import torch
from torch import nn

from learner import Learner

torch.manual_seed(0)
QUANTILES, DROP, DISCOUNT, ALPHA = 8, 2, 0.95, 0.1


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


policy = mlp(3, 4)
critics = nn.ModuleList(mlp(5, QUANTILES) for _ in range(2))
targets = copy.deepcopy(critics).requires_grad_(False)


def act(state):
    mean, log_std = policy(state).chunk(2, dim=-1)
    normal = torch.distributions.Normal(mean, log_std.clamp(-4, 1).exp())
    raw = normal.rsample()
    action = raw.tanh()
    return action, (normal.log_prob(raw) - torch.log(1 - action**2 + 1e-6)).sum(-1, keepdim=True)


def quantiles(nets, state, action):
    return torch.stack([net(torch.cat([state, action], -1)) for net in nets], dim=1)


def losses_of(state, action, reward, following):
    with torch.no_grad():
        ahead, ahead_log = act(following)
        pool = quantiles(targets, following, ahead).flatten(1).sort(dim=1).values[:, :-DROP]
        goal = reward + DISCOUNT * (pool - ALPHA * ahead_log)
    error = goal[:, None, None, :] - quantiles(critics, state, action)[..., None]
    level = (torch.arange(QUANTILES) + 0.5) / QUANTILES
    critic_loss = ((level[:, None] - (error.detach() < 0).float()).abs() * error.abs()).mean()
    chosen, log_pi = act(state)
    critics.requires_grad_(False)
    value = quantiles(critics, state, chosen).mean((1, 2))
    critics.requires_grad_(True)
    policy_loss = (ALPHA * log_pi.squeeze(-1) - value).mean()
    return {"critics": critic_loss, "policy": policy_loss}


learner = Learner({"critics": list(critics.parameters()), "policy": list(policy.parameters())})
state, action, following = torch.randn(32, 3), torch.rand(32, 2) * 2 - 1, torch.randn(32, 3)
reward = -(state[:, :2] - action).abs().sum(-1, keepdim=True)
losses = losses_of(state, action, reward, following)
collected = learner.gradients(losses)
gradient = collected[critics[0][0].weight].clone()
learner.apply(collected)
print(f"critics {losses['critics'].item():.4f}, gradient norm {gradient.norm().item():.6f}")
