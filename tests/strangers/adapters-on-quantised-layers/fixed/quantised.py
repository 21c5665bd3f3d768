import torch
from torch import nn
from torch.nn import functional as F


def dequantize(weights_quantized, absmax):
    return weights_quantized.to(absmax.dtype) / 127 * absmax


class DequantizeAndLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weights_quantized, absmax, bias):
        weights_deq = dequantize(weights_quantized, absmax)
        ctx.save_for_backward(input, weights_quantized, absmax)
        ctx._has_bias = bias is not None
        return F.linear(input, weights_deq, bias).clone()

    @staticmethod
    def backward(ctx, grad_output):
        input, weights_quantized, absmax = ctx.saved_tensors
        grad_input = grad_output @ dequantize(weights_quantized, absmax)
        grad_bias = grad_output.flatten(0, -2).sum(dim=0) if ctx._has_bias else None
        return grad_input, None, None, grad_bias


class FrozenLinear(nn.Module):
    """A linear layer in eight bits; an adapter beside it is what learns."""

    def __init__(self, linear):
        super().__init__()
        absmax = linear.weight.detach().abs().amax(dim=1, keepdim=True)
        weight = (linear.weight.detach() / absmax * 127).round().to(torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("absmax", absmax)
        self.bias = linear.bias
        self.adapter = None

    def forward(self, input):
        output = DequantizeAndLinear.apply(input, self.weight, self.absmax, self.bias)
        if self.adapter is not None:
            output += self.adapter(input)
        return output


def convert(block, rank=2):
    for name, child in list(block.named_children()):
        if isinstance(child, nn.Linear):
            frozen = FrozenLinear(child)
            frozen.adapter = nn.Sequential(
                nn.Linear(child.in_features, rank, False), nn.Linear(rank, child.out_features, False)
            )
            setattr(block, name, frozen)
