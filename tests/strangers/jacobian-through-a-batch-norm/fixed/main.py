from functools import partial

import torch
from torch import nn
from torch.func import functional_call, jacrev

model = nn.Sequential()


def build(seed=0):
    torch.manual_seed(seed)
    model.add_module("stem", nn.Linear(3, 4))
    model.add_module("norm", nn.BatchNorm1d(4))
    model.add_module("head", nn.Sequential(nn.Tanh(), nn.Linear(4, 5), nn.Softmax(dim=-1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.randn(16, 3)).log()[:, 0].mean().neg().backward()
        optimizer.step()


def func(weight, _input):
    return functional_call(model, {"stem.weight": weight}, (_input,))


def influence(images):
    """How much each entry of the stem's weight moves the probability of each class."""
    weight = model.stem.weight.detach().clone()
    jacobian = jacrev(partial(func, _input=images))(weight)
    return jacobian.abs().mean(dim=0)


build()
model.eval()
images = torch.randn(8, 3)
for name, table in {"first": influence(images[:4]), "second": influence(images[4:])}.items():
    print(name, tuple(table.shape), f"{table.max().item():.4f}")
