"""What may be written into a tensor."""

import torch


def whole_number():
    return 2


def fraction():
    return 1.7


def truth():
    return True


def large():
    return 300


def not_a_number():
    return float("nan")


def infinite():
    return float("inf")


def complex_number():
    return 1 + 2j


def tensor():
    return torch.tensor(1.5)


def whole_tensor():
    return torch.tensor(2)


def truth_tensor():
    return torch.tensor(True)


def large_tensor():
    return torch.tensor(300)


def double_tensor():
    return torch.tensor(0.1, dtype=torch.float64)


def half_tensor():
    return torch.tensor(0.1, dtype=torch.float16)


def complex_tensor():
    return torch.tensor(1 + 2j)


def tensor_with_grad():
    return torch.tensor(1.5, requires_grad=True)
