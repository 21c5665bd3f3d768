"""Ways to get a view of `x`, four floats of shape (2, 2)."""

import torch


def whole(x):
    return x[:]


def row(x):
    return x[0]


def column(x):
    return x[:, 1]


def element(x):
    return x[1, 1]


def every_other(x):
    return x[::2]


def nothing(x):
    return x[2:]


def narrowed(x):
    return x.narrow(0, 1, 1)


def selected(x):
    return x.select(1, 0)


def flat(x):
    return x.view(4)


def reshaped(x):
    return x.reshape(4, 1)


def flattened(x):
    return x.flatten()


def transposed(x):
    return x.t()


def transposed_row(x):
    return x.T[0]


def permuted(x):
    return x.permute(1, 0)


def diagonal(x):
    return x.diagonal()


def longer(x):
    return x[None]


def squeezed(x):
    return x[:1].squeeze(0)


def expanded(x):
    return x[:1].expand(3, 2)


def unfolded(x):
    return x.view(4).unfold(0, 2, 1)


def strided(x):
    return x.as_strided((3, 2), (1, 1))


def split(x):
    return x.split(1)[0]


def chunk(x):
    return x.chunk(2, 1)[1]


def unbound(x):
    return x.unbind()[0]


def looped(x):
    return next(iter(x))


def halves(x):
    return x.hsplit(2)[0]


def as_complex_numbers(x):
    return torch.view_as_complex(x)


def same_bytes(x):
    return x.view(torch.int32).view(torch.float32)


def view_of_a_view(x):
    return x.view(4)[1:][:2]


def detached(x):
    return x.detach()
