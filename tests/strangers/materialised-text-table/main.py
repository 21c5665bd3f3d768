import torch
from torch import nn

from embedder import HashTextEmbedder
from table import TextTable

torch.manual_seed(13)

words = ["cold", "warm", "dry", "wet", "calm", "windy", "bright", "dark"]
sentences = [f"a {words[i % 8]} and {words[(i * 3) % 8]} day" for i in range(48)]
numbers = torch.rand(48) * 30
target = (numbers > 15).float()

table = TextTable(sentences, numbers, target, HashTextEmbedder()).materialise()
model = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)

for epoch in range(8):
    total, hits = 0.0, 0
    for features, y in table.batches(12):
        logit = model(features).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        hits += ((logit > 0).float() == y).sum().item()
    print(f"epoch {epoch}: loss {total / 4:.3f}, accuracy {hits / 48:.2f}")
