import torch
from torch import nn
from torch.nn import functional as F


def mlp(inp, out):
    return nn.Sequential(nn.Linear(inp, 32), nn.ReLU(), nn.Linear(32, out))


class Policy(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.net = mlp(obs_dim, 2 * act_dim)

    def forward(self, obs):
        mean, log_std = self.net(obs).chunk(2, dim=-1)
        dist = torch.distributions.Normal(mean, log_std.clamp(-5, 1).exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        log_pi = dist.log_prob(raw) - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_pi.sum(-1, keepdim=True)


class SACTrainer:
    def __init__(self, obs_dim=4, act_dim=2, alpha=0.1, discount=0.95):
        self.policy = Policy(obs_dim, act_dim)
        self.qf1, self.qf2 = mlp(obs_dim + act_dim, 1), mlp(obs_dim + act_dim, 1)
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters(), lr=3e-3)
        self.qf1_optimizer = torch.optim.Adam(self.qf1.parameters(), lr=3e-3)
        self.qf2_optimizer = torch.optim.Adam(self.qf2.parameters(), lr=3e-3)
        self.alpha, self.discount = alpha, discount

    def q_min(self, obs, action):
        pair = torch.cat([obs, action], dim=-1)
        return torch.min(self.qf1(pair), self.qf2(pair))

    def train_batch(self, obs, action, reward, next_obs):
        new_action, log_pi = self.policy(obs)
        policy_loss = (self.alpha * log_pi - self.q_min(obs, new_action)).mean()

        with torch.no_grad():
            next_action, next_log_pi = self.policy(next_obs)
            soft_value = self.q_min(next_obs, next_action) - self.alpha * next_log_pi
        q_target = reward + self.discount * soft_value
        pair = torch.cat([obs, action], dim=-1)
        qf1_loss, qf2_loss = (F.mse_loss(qf(pair), q_target) for qf in (self.qf1, self.qf2))

        self.qf1_optimizer.zero_grad()
        qf1_loss.backward()
        self.qf1_optimizer.step()

        self.qf2_optimizer.zero_grad()
        qf2_loss.backward()
        self.qf2_optimizer.step()

        self.policy_optimizer.zero_grad()
        policy_loss.backward()
        self.policy_optimizer.step()
        return qf1_loss.item(), qf2_loss.item(), policy_loss.item()
