"""What may stand in the brackets of a tensor of shape (2,)."""

import numpy
import torch


def number():
    return 1


def from_the_end():
    return -1


def part():
    return slice(0, 1)


def everything():
    return slice(None)


def nothing():
    return slice(2, None)


def ellipsis():
    return ...


def new_dimension():
    return None


def tuple_of_one():
    return (0,)


def truth():
    return True


def indices():
    return [1]


def twice():
    return [0, 0]


def mask():
    return [True, False]


def mask_of_none():
    return [False, False]


def tensor():
    return torch.tensor([1])


def tensor_twice():
    return torch.tensor([0, 0])


def tensor_of_a_number():
    return torch.tensor(1)


def tensor_of_a_truth():
    return torch.tensor(True)


def tensor_mask():
    return torch.tensor([True, False])


def int32_tensor():
    return torch.tensor([1], dtype=torch.int32)


def matrix():
    return torch.tensor([[0, 1], [1, 0]])


def tensor_in_a_tuple():
    return (torch.tensor([0, 1]),)


def range_of_python():
    return range(2)


def numpy_number():
    return numpy.int64(1)


def numpy_indices():
    return numpy.array([1, 0])


def numpy_mask():
    return numpy.array([True, False])
