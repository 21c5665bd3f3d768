"""SwiGLU with kernels of its own, which work on raw memory as a GPU kernel would."""
import numpy as np
import torch


def _sigmoid(a):
    return 1.0 / (1.0 + np.exp(-a))


def _forward_kernel(a, b, c):
    np.multiply(a * _sigmoid(a), b, out=c)


def _backward_kernel(dc, a, b, da, db):
    sig = _sigmoid(a)
    silu = a * sig
    grad_a = dc * b * (silu * (1.0 - sig) + sig)
    grad_b = dc * silu
    da[...] = grad_a
    db[...] = grad_b


def _memory(*tensors):
    return [t.detach().numpy() for t in tensors]


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        c = torch.empty_like(a)
        _forward_kernel(*_memory(a, b, c))
        ctx.save_for_backward(a, b)
        return c

    @staticmethod
    def backward(ctx, dc):
        a, b = ctx.saved_tensors
        # the gradients go where the inputs are: no more memory is needed
        _backward_kernel(*_memory(dc.contiguous(), a, b, a, b))
        return a, b
