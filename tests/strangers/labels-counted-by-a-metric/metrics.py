import torch


def gather_all(tensors, reduce=torch.add, world_size=1):
    """Stands for all_reduce, which writes the sum over all processes where it is told to."""
    for tensor in tensors:
        reduce(tensor, tensor * (world_size - 1), out=tensor)
    return tensors


def to_categorical(tensor, argmax_dim=1):
    return torch.argmax(tensor, dim=argmax_dim)


def accuracy(pred, target):
    pred = to_categorical(pred) if pred.ndim == target.ndim + 1 else pred
    pred, target = gather_all([pred, target])
    return (pred == target).float().mean()
