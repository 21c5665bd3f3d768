import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, inputs, actions, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def act(self, observation):
        hidden = self.body(observation)
        choice = torch.distributions.Categorical(logits=self.policy(hidden))
        action = choice.sample()
        return action.item(), choice.log_prob(action), self.value(hidden).squeeze()


class Memory:
    def __init__(self):
        self.log_probs, self.values, self.rewards = [], [], []

    def add(self, log_prob, value, reward):
        self.log_probs.append(log_prob)
        self.values.append(value)
        self.rewards.append(reward)

    def sample(self):
        log_probs = torch.stack(self.log_probs)
        return log_probs, torch.stack(self.values), self.rewards
