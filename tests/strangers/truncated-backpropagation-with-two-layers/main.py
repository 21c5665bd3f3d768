import torch
from torch import nn

from network import LeakyLayer, SequentialRNN

torch.manual_seed(9)


class TBPTT:
    """Learns after every few time steps and forgets what came before."""

    def __init__(self, network, steps, lr):
        self.network, self.steps = network, steps
        self.optimizer = torch.optim.Adam(network.parameters(), lr=lr)

    def fit(self, signal, target):
        losses = []
        for x, y in zip(signal.split(self.steps), target.split(self.steps)):
            loss = nn.functional.mse_loss(self.network(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.network.layers[-1].detach_state()
            losses.append(loss.item())
        return sum(losses) / len(losses)


t = torch.linspace(0, 12, 40).view(-1, 1, 1)
signal = torch.cat([torch.sin(t), torch.cos(t)], dim=-1)
target = 0.5 * torch.sin(2 * t)
learner = TBPTT(SequentialRNN(LeakyLayer(2, 10), LeakyLayer(10, 1)), steps=8, lr=0.005)
for epoch in range(3):
    print(f"epoch {epoch}: {learner.fit(signal, target):.4f}")
