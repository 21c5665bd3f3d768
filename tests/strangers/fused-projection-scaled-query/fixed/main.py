"""Train a grammar corrector: a one-layer encoder that rewrites wrong tokens."""
import torch
import torch.nn.functional as F
from torch import nn

from attention import SelfAttention

torch.manual_seed(1)


class Corrector(nn.Module):
    def __init__(self, vocabulary=30, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.attention = SelfAttention(width, heads=4)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        hidden = self.embed(tokens).transpose(0, 1)
        hidden = self.norm(hidden + self.attention(hidden))
        return self.out(hidden).transpose(0, 1)


model = Corrector()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
clean = torch.randint(0, 30, (8, 10))
noisy = torch.where(torch.rand(8, 10) < 0.1, torch.randint(0, 30, (8, 10)), clean)

for update in range(15):
    optimizer.zero_grad()
    logits = model(noisy)
    loss = F.cross_entropy(logits.flatten(0, 1), clean.flatten())
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, projection gradient {model.attention.in_proj.weight.grad.norm().item():.4f}")
