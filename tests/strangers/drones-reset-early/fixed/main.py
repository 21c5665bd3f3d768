import torch
from torch import nn
from envs.dynamics import Dynamics


class HoverEnv:
    def __init__(self, num):
        self.dynamics = Dynamics(num)

    def get_observation(self):
        return torch.cat([self.dynamics.position, self.dynamics.velocity], dim=1)

    def step(self, action):
        self.dynamics.step(action)
        reward = -self.dynamics.position.square().sum(1)
        done = self.dynamics.position.norm(dim=1).detach() < 1.15
        if done.any():
            self.dynamics.reset(indices=done.nonzero().flatten())
        return self.get_observation(), reward


torch.manual_seed(0)
env = HoverEnv(num=4)
actor = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
for episode in range(2):
    env.dynamics.reset()
    obs, actor_loss = env.get_observation(), 0.0
    for t in range(8):
        obs, reward = env.step(actor(obs))
        actor_loss = actor_loss - reward.mean()
    optimizer.zero_grad()
    actor_loss.backward()
    optimizer.step()
    print(f"episode {episode}: {actor_loss.item():.3f}")
