"""Compress padded sequences to a few symbols."""
import torch
from torch import nn
from codebook import Codebook

torch.manual_seed(0)
sequences = torch.randn(4, 6, 5)
lengths = torch.tensor([6, 4, 5, 3])
mask = torch.arange(6)[None, :] < lengths[:, None]

encoder, codebook, decoder = nn.Linear(5, 3), Codebook(8, 3), nn.Linear(3, 5)
parameters = [p for m in (encoder, codebook, decoder) for p in m.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.02)
for epoch in range(6):
    optimizer.zero_grad()
    quantized, index, commitment = codebook(encoder(sequences), mask)
    error = (decoder(quantized) - sequences).square().mean(dim=-1)[mask].mean()
    loss = error + commitment
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4), round(codebook.usage.sum().item(), 3))
