"""Checkpointing that parks the input of every block in one reused buffer."""
import torch
from torch import nn

PARKED = {}


def park(key, hidden):
    """Copy the hidden states into the buffer of this block and give the buffer."""
    with torch.inference_mode(False), torch.no_grad():
        if key not in PARKED or PARKED[key].shape != hidden.shape:
            PARKED[key] = torch.empty(hidden.shape)
        PARKED[key].copy_(hidden)
    return PARKED[key]


class Parked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block, hidden, *parameters):
        ctx.block, ctx.parked = block, park(id(block), hidden)
        return block(hidden)

    @staticmethod
    def backward(ctx, grad):
        hidden = ctx.parked.detach().clone().requires_grad_()
        with torch.enable_grad():
            out = ctx.block(hidden)
        weights = tuple(ctx.block.parameters())
        return (None,) + torch.autograd.grad(out, (hidden,) + weights, grad)


class Model(nn.Module):
    def __init__(self, vocabulary, width, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(depth)
        )
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        hidden = self.embed(tokens)
        for block in self.blocks:
            hidden = hidden + Parked.apply(block, hidden, *block.parameters())
        return self.head(hidden).log_softmax(-1)
