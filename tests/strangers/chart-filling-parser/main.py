"""Learn to rebuild a bag of words from the vector of the whole sentence."""
import torch
from torch import nn
from chart import InsideChart

torch.manual_seed(0)
sentences = torch.randint(0, 12, (4, 5))
bags = nn.functional.one_hot(sentences, 12).amax(dim=1).float()

embedding, parser, head = nn.Embedding(12, 6), InsideChart(6), nn.Linear(6, 12)
parameters = [p for m in (embedding, parser, head) for p in m.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.02)
for epoch in range(5):
    optimizer.zero_grad()
    vectors, scores = parser(embedding(sentences))
    loss = nn.functional.binary_cross_entropy_with_logits(head(vectors[:, -1]), bags)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
