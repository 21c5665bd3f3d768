"""Fine-tune a model that is evaluated once before the first epoch."""
import torch
from torch import nn
from sharded import ShardedLinear


class Trainer:
    def __init__(self):
        embedding, head = nn.Embedding(10, 8), nn.Linear(8, 10)
        self.model = nn.Sequential(embedding, ShardedLinear(8, 8), nn.Tanh(), head)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.02)

    def loss(self, tokens):
        scores = self.model(tokens[:, :-1]).flatten(0, 1)
        return nn.functional.cross_entropy(scores, tokens[:, 1:].flatten())

    @torch.inference_mode()
    def evaluate(self, tokens):
        return self.loss(tokens).item()

    def train(self, batches, held_out, epochs=3):
        print("before", round(self.evaluate(held_out), 4))
        for epoch in range(epochs):
            for tokens in batches:
                self.optimizer.zero_grad()
                self.loss(tokens).backward()
                self.optimizer.step()
            print(epoch, round(self.evaluate(held_out), 4))


torch.manual_seed(0)
data = torch.arange(10).repeat(4).unfold(0, 7, 3)
Trainer().train(data[:8].split(4), data[8:])
