import torch
from torch import nn
from torch.func import vmap

GAMMA = 0.9


def discounted(rewards, last):
    """Returns of one trajectory: rewards of its steps, and the value of where it ended."""
    returns = torch.zeros_like(rewards)
    returns[-1] = rewards[-1] + GAMMA * last
    for t in reversed(range(rewards.shape[0] - 1)):
        returns[t] = rewards[t] + GAMMA * returns[t + 1]
    return returns


class RewardModel(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 16), nn.ReLU())
        self.reward, self.value = nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, trajectories):
        h = self.body(trajectories)
        rewards, last = self.reward(h).squeeze(-1), self.value(h[:, -1]).squeeze(-1)
        return vmap(discounted, in_dims=(0, 0))(rewards, last)


torch.manual_seed(0)
model = RewardModel(features=4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
trajectories, seen = torch.randn(10, 7, 4), torch.rand(10, 7)
for step in range(3):
    loss = (model(trajectories) - seen).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{step} {loss.item():.4f}")
