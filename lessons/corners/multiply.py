"""Places of which `@=` can be asked: `x` is put there; what is there then comes back."""

import torch


def name(x, w):
    x @= w
    return x


def entry_of_a_list(x, w):
    held = [x]
    held[0] @= w
    return held[0]


def entry_of_a_dict(x, w):
    held = {"x": x}
    held["x"] @= w
    return held["x"]


def attribute(x, w):
    class Holder:
        pass

    Holder.x = x
    Holder.x @= w
    return Holder.x


def part(x, w):
    x[:] @= w
    return x


def rows(x, w):
    x[:1] @= w
    return x


def method(x, w):
    x.copy_(x @ w)
    return x


def out(x, w):
    torch.matmul(x, w, out=x.detach())
    return x
