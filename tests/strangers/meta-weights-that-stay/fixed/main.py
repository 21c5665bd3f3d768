import torch
from meta import MAML
from torch import nn


def sine_task(points=5):
    amplitude, phase = 0.5 + 2 * torch.rand(1), 3 * torch.rand(1)
    x = 4 * torch.rand(2 * points, 1) - 2
    y = amplitude * torch.sin(x + phase)
    return x[:points], y[:points], x[points:], y[points:]


torch.manual_seed(0)
maml = MAML(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)))
for iteration in range(4):
    meta_loss = maml.meta_train_step([sine_task() for _ in range(3)])
    print(f"iteration {iteration}: {meta_loss:.4f}")
meta_gradient = maml.model[0].weight.grad
