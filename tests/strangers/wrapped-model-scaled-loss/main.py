"""Gradient accumulation around a data-parallel wrapper that returns the losses of the model."""
import torch
import torch.nn.functional as F
from torch import nn

from parallel import Replicated

torch.manual_seed(9)
ACCUMULATE = 4


class Tagger(nn.Module):
    """Computes its own losses, so that every replica returns scalars only."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 16))
        self.tags = nn.Linear(16, 5)
        self.length = nn.Linear(16, 1)

    def forward(self, x, tags, lengths):
        hidden = self.body(x)
        main = F.cross_entropy(self.tags(hidden), tags)
        side = F.smooth_l1_loss(self.length(hidden).squeeze(1), lengths)
        return main + 0.1 * side


net = Tagger()
model = Replicated(net, static_graph=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
data = [(torch.randn(16, 8), torch.randint(0, 5, (16,)), torch.rand(16)) for _ in range(ACCUMULATE)]
totals = []
for epoch in range(6):
    optimizer.zero_grad()
    total = 0.0
    for x, tags, lengths in data:
        loss = model(x, tags, lengths)
        loss /= ACCUMULATE
        loss.backward()
        total += loss.item()
    optimizer.step()
    totals.append(total)
print(f"loss {totals[0]:.4f} -> {totals[-1]:.4f}, {model.finished} backward passes seen")
