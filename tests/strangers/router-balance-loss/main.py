"""One step of a mixture of experts whose router gets a load-balancing loss through a Function."""
import torch
from torch import nn

torch.manual_seed(0)
EXPERTS, TOP, WIDTH, COEFFICIENT = 4, 2, 12, 0.05


class CarryLoss(torch.autograd.Function):
    """Give the scores through and start the gradient of the extra loss in the backward pass."""

    @staticmethod
    def forward(ctx, scores, extra):
        ctx.save_for_backward(extra)
        return scores.view_as(scores)

    @staticmethod
    def backward(ctx, grad):
        (extra,) = ctx.saved_tensors
        return grad, torch.ones_like(extra)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(EXPERTS, WIDTH) * 0.3)

    def balance(self, scores, places):
        load = torch.bincount(places.flatten(), minlength=EXPERTS) / places.numel()
        return EXPERTS * (load * scores.mean(0)).sum()

    def forward(self, tokens):
        scores = nn.functional.linear(tokens, self.weight).softmax(-1)
        weights, places = scores.topk(TOP, dim=-1)
        if self.training:
            extra = COEFFICIENT * self.balance(scores, places)
            CarryLoss.apply(weights, extra)
        return weights, places


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(EXPERTS))

    def forward(self, tokens):
        weights, places = self.gate(tokens)
        out = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            row, slot = (places == number).nonzero(as_tuple=True)
            out = out.index_add(0, row, expert(tokens[row]) * weights[row, slot, None])
        return out


model = Mixture()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tokens = torch.randn(64, WIDTH)
loss = nn.functional.mse_loss(model(tokens), tokens.roll(1, dims=1))
loss.backward()
gradient = model.gate.weight.grad.clone()
optimizer.step()
print(f"loss {loss.item():.4f}, gradient norm of the router {gradient.norm().item():.6f}")
