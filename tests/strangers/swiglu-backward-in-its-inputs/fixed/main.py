import torch
from ops.swiglu import SwiGLU
from torch import nn


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * out


class GatedMLP(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(dim, hidden, bias=False)
        self.up_proj = nn.Linear(dim, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        return self.down_proj(SwiGLU.apply(Exponential.apply(self.gate_proj(x)), self.up_proj(x)))


torch.manual_seed(3)
mlp = GatedMLP(4, 6).double()
x = torch.randn(5, 4, dtype=torch.double)
loss = mlp(x).square().mean()
loss.backward()
gradient = mlp.gate_proj.weight.grad
print(f"loss {loss.item():.4f}, gradient of the gate {gradient.norm().item():.4f}")
