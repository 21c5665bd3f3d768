import torch
from snn.neurons import Synaptic
from torch import nn

torch.manual_seed(0)
fc, lif = nn.Linear(6, 4), Synaptic(alpha=0.7, beta=0.9)
optimizer = torch.optim.Adam(fc.parameters(), lr=0.02)
states = lif.init_synaptic(3, 4)

for episode in range(3):
    lif.detach(*states)
    lif.zeros(*states)
    syn, mem = states
    counts = torch.zeros(3, 4)
    for t in range(10):
        spk, syn, mem = lif(fc(torch.rand(3, 6)), syn, mem)
        counts = counts + spk
    loss = nn.functional.cross_entropy(counts, torch.tensor([0, 1, 2]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    states = (syn, mem)
    print(f"episode {episode}: {loss.item():.4f}, {int(counts.sum())} spikes")
