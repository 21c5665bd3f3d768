from contextlib import contextmanager

import torch


@contextmanager
def frozen(*items):
    """Nothing that is frozen collects a gradient inside of the block."""
    states = {}
    for item in items:
        tensors = [item] if isinstance(item, torch.Tensor) else list(item.parameters())
        for tensor in tensors:
            states.setdefault(tensor, tensor.requires_grad)
            tensor.requires_grad_(False)
    try:
        yield
    finally:
        for tensor, flag in states.items():
            tensor.requires_grad_(flag)


def gradient_ascent(model, data, target, criterion, steps=5, radius=0.5, lr=0.2):
    delta = torch.zeros_like(data, requires_grad=True)
    optimizer = torch.optim.SGD([delta], lr=lr)
    with frozen(model, data, target):
        for _ in range(steps):
            optimizer.zero_grad()
            loss = -criterion(model(data + delta), target)
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                delta.clamp_(-radius, radius)
    return (data + delta).detach(), -loss.item()
