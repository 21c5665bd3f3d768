"""A decoder that adds picture features to its picture tokens between the layers."""
import torch
from torch import nn


class Offloaded(torch.autograd.Function):
    """Run a block without a graph and build the graph again in the backward pass.

    The sink token that the block puts in front is cut off.
    """

    @staticmethod
    def forward(ctx, block, hidden, *parameters):
        ctx.block = block
        ctx.save_for_backward(hidden)
        with torch.no_grad():
            out = block(hidden)
        return out[:, 1:]

    @staticmethod
    def backward(ctx, grad):
        (hidden,) = ctx.saved_tensors
        hidden = hidden.detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.block(hidden)[:, 1:]
        weights = tuple(ctx.block.parameters())
        grads = torch.autograd.grad(out, (hidden,) + weights, grad)
        return (None,) + grads


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.sink = nn.Parameter(torch.zeros(1, 1, width))
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)
        self.mix = nn.Linear(width, width)

    def forward(self, hidden):
        hidden = torch.cat([self.sink.expand(len(hidden), -1, -1), hidden], dim=1)
        hidden = hidden + self.attend(hidden, hidden, hidden, need_weights=False)[0]
        return hidden + torch.relu(self.mix(hidden))


class Decoder(nn.Module):
    def __init__(self, vocabulary, width, depth):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, vocabulary)

    def add_picture(self, hidden, is_picture, features):
        mixed = hidden[is_picture, :].clone() + features
        hidden[is_picture, :] = mixed
        return hidden

    def forward(self, tokens, is_picture, stack):
        hidden = self.embed(tokens)
        for block, features in zip(self.blocks, stack):
            hidden = Offloaded.apply(block, hidden, *block.parameters())
            hidden = self.add_picture(hidden, is_picture, features)
        return self.head(hidden)
