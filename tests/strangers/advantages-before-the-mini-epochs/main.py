from types import SimpleNamespace

import torch
from learners.mappo_learner import MAPPOLearner
from torch import nn

args = SimpleNamespace(lr=1e-3, gamma=0.97, lam=0.9, eps_clip=0.2, mini_epochs=4)
AGENTS, ACTIONS, OBS, STATE, LENGTH = 3, 5, 6, 8, 7


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


def episodes(count):
    return {
        "obs": torch.randn(count, LENGTH + 1, AGENTS, OBS),
        "state": torch.randn(count, LENGTH + 1, STATE),
        "actions": torch.randint(ACTIONS, (count, LENGTH, AGENTS, 1)),
        "reward": torch.randn(count, LENGTH, 1),
        "mask": torch.ones(count, LENGTH, 1),
    }


torch.manual_seed(8)
learner = MAPPOLearner(mac=mlp(OBS, ACTIONS), critic=mlp(STATE, AGENTS), args=args)
for t_env in range(2):
    actor_loss, critic_loss = learner.train(episodes(4))
    print(f"t_env {t_env}: actor {actor_loss:+.4f}, critic {critic_loss:.4f}")
