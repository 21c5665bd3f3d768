import torch


def collect_balance_loss(layers):
    """The mean of the balance losses that the gates kept in the last pass."""
    losses = [layer.gate.balance_loss for layer in layers]
    return torch.tensor(losses).mean()
