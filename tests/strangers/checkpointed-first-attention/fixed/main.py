"""Train one attention layer on video features, with its activations recomputed."""
import torch
from layers import Checkpointed, SelfAttention

torch.manual_seed(0)
frames = torch.randn(2, 6, 8)
target = frames.flip(1)
frames.requires_grad_()
causal = torch.ones(6, 6, dtype=torch.bool).tril()

layer = Checkpointed(SelfAttention(8))
optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    loss = (layer(frames, causal) - target).square().mean()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))
