"""Ways to compute a result from `x`, two floats above 0; each can be differentiated."""

import functools

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def identity(x):
    return x


def plus(x):
    return x + 1


def times(x):
    return x * 3


def times_itself(x):
    return x * x


def divided(x):
    return x / 2


def divisor(x):
    return 2 / x


def power(x):
    return x**3


def exp(x):
    return x.exp()


def log(x):
    return x.log()


def sigmoid(x):
    return torch.sigmoid(x)


def relu(x):
    return torch.relu(x)


def absolute(x):
    return x.abs()


def softmax(x):
    return x.softmax(0)


def cumsum(x):
    return x.cumsum(0)


def sort(x):
    return x.sort().values


def maximum(x):
    return torch.maximum(x, torch.zeros(2))


def where(x):
    return torch.where(x > 0, x * x, x)


def matmul(x):
    return x @ torch.tensor([[1.0, 2], [3, 4]])


def norm(x):
    return x / x.norm()


def rounded(x):
    return x.round()


def view(x):
    return x.view(2)


def part(x):
    return x[:]


def picked(x):
    return x[[1, 0]]


def expanded(x):
    return x.expand(2, 2)[0]


def reshaped(x):
    return x.reshape(2)


def contiguous(x):
    return x.contiguous()


def same_dtype(x):
    return x.to(torch.float32)


def clone(x):
    return x.clone()


def stacked(x):
    return torch.stack([x, x])[0]


def double(x):
    return (x.double() * 2).float()


def complex_numbers(x):
    z = torch.complex(x, x)
    return (z * z).abs()


def dropout(x):
    return F.dropout(x, 0.1)


def dropout_eval(x):
    return F.dropout(x, training=False)


def layer_norm(x):
    return F.layer_norm(x, (2,))


def linear(x):
    torch.manual_seed(0)
    return nn.Linear(2, 2)(x)


def in_place_exp(x):
    y = x * 1
    y.exp_()
    return y


def in_place_item(x):
    y = x * 1
    y[0] = x[1]
    return y


def function_that_saves(x):
    return _functions()["saves"].apply(x)


def function_that_keeps(x):
    return _functions()["keeps"].apply(x)


def checkpointed(x):
    return checkpoint(torch.square, x, use_reentrant=False)


def vectorised(x):
    return torch.vmap(torch.square)(x)


def hooked(x):
    y = x * x
    y.register_hook(lambda grad: grad * 1)
    return y


def retained(x):
    y = x * x
    y.retain_grad()
    return y


@functools.cache
def _functions():
    class Saves(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = x.clone()
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.kept * grad

    return {"saves": Saves, "keeps": Keeps}
