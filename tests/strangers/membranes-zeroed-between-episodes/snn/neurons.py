import torch
from torch import nn


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, shifted):
        ctx.save_for_backward(shifted)
        return (shifted > 0).to(shifted.dtype)

    @staticmethod
    def backward(ctx, grad):
        (shifted,) = ctx.saved_tensors
        return grad / (1 + 10 * shifted.abs()).square()


class SpikingNeuron(nn.Module):
    @staticmethod
    def detach(*args):
        """Cut the states off from the past."""
        for state in args:
            if state.requires_grad and not state.is_leaf:
                state.detach_()

    @staticmethod
    def zeros(*args):
        """Clear the states, where they are."""
        for state in args:
            state.zero_()


class Synaptic(SpikingNeuron):
    def __init__(self, alpha, beta, threshold=0.5):
        super().__init__()
        self.alpha, self.beta, self.threshold = alpha, beta, threshold

    def init_synaptic(self, *shape):
        return torch.zeros(shape, requires_grad=True), torch.zeros(shape, requires_grad=True)

    def forward(self, current, syn, mem):
        syn = self.alpha * syn + current
        mem = self.beta * mem + syn
        spk = Spike.apply(mem - self.threshold)
        return spk, syn, mem - spk.detach() * self.threshold
