"""Teach a small vision and language decoder with features injected at several depths."""
import torch
from torch import nn

from decoder import Decoder

torch.manual_seed(0)
PICTURE = 0

tokens = torch.randint(1, 12, (4, 9))
tokens[:, 2:5] = PICTURE
is_picture = tokens == PICTURE
pictures = torch.randn(int(is_picture.sum()), 10)

tower = nn.ModuleList(nn.Linear(10, 16) for _ in range(3))
decoder = Decoder(12, 16, 3)
optimizer = torch.optim.AdamW([*tower.parameters(), *decoder.parameters()], lr=1e-2)

for step in range(15):
    stack = [layer(pictures) for layer in tower]
    scores = decoder(tokens, is_picture, stack)
    loss = nn.functional.cross_entropy(scores[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
