"""Quantization-aware training of a recurrent cell: the weights are rounded at every time step."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(8)
LOW, HIGH = -7, 7


class RoundWeights(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        level = (x / scale).round()
        ctx.save_for_backward((level >= LOW) & (level <= HIGH))
        return torch.clamp(level, LOW, HIGH) * scale

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return grad * mask, None


class WeightQuantizer(nn.Module):
    """Observes the range of every row and rounds to it."""

    def __init__(self, rows, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("scale", torch.full((rows, 1), 0.05))

    def forward(self, weight):
        observed = weight.detach().abs().amax(dim=1, keepdim=True) / HIGH
        self.scale.mul_(1 - self.momentum).add_(self.momentum * observed)
        return RoundWeights.apply(weight, self.scale)


class QuantizedRNN(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.cell = nn.Linear(inputs + width, width)
        self.quantizer = WeightQuantizer(width)
        self.head = nn.Linear(width, 1)

    def forward(self, sequence):
        h = torch.zeros(sequence.size(1), self.cell.out_features)
        for x in sequence:
            weight = self.quantizer(self.cell.weight)
            h = torch.tanh(F.linear(torch.cat([x, h], dim=1), weight, self.cell.bias))
        return self.head(h).squeeze(1)


net = QuantizedRNN(3, 10)
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
sequence = torch.randn(6, 16, 3)
target = sequence.sum(dim=(0, 2)).sign()
for epoch in range(20):
    optimizer.zero_grad()
    loss = F.mse_loss(net(sequence), target)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, recurrent gradient {net.cell.weight.grad.norm().item():.4f}")
