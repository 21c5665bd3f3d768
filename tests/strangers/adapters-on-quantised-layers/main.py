import torch
from quantised import convert
from torch import nn


class Block(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.ln = nn.LayerNorm(dim)
        self.fc_in = nn.Linear(dim, 4 * dim)
        self.fc_out = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.fc_out(nn.functional.gelu(self.fc_in(self.ln(x))))


torch.manual_seed(0)
gpt = nn.Sequential(nn.Embedding(20, 8), Block(), Block())
gpt.apply(convert)
optimizer = torch.optim.AdamW((p for n, p in gpt.named_parameters() if "adapter" in n), lr=1e-2)
for step in range(3):
    batch = torch.randint(20, (2, 12))
    hidden = gpt(batch[:, :-1])
    logits = hidden @ gpt[0].weight.T
    loss = nn.functional.cross_entropy(logits.flatten(0, -2), batch[:, 1:].flatten())
    print(f"{loss.item():.4f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
