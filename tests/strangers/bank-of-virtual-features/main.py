"""Train an evaluation network on random positions."""
import torch
from torch import nn
from features import KINGS, PIECES, REAL, SQUARES, VIRTUAL, encode


class Evaluation(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(REAL + VIRTUAL, width) / 8)
        self.bias = nn.Parameter(torch.zeros(width))
        self.output = nn.Linear(width, 1)
        self.zero_virtual_weights()

    def zero_virtual_weights(self):
        self.weight[REAL:, :] = 0.0

    def forward(self, boards):
        hidden = torch.clamp(boards @ self.weight + self.bias, 0, 1)
        return self.output(hidden).squeeze(-1)


torch.manual_seed(0)
boards, scores = [], []
for _ in range(32):
    squares = torch.randperm(SQUARES)[:3].tolist()
    kinds = torch.randint(0, PIECES, (3,)).tolist()
    boards.append(encode(int(torch.randint(0, KINGS, ())), zip(kinds, squares)))
    scores.append(float(sum(1 if kind else -1 for kind in kinds)))
boards, scores = torch.stack(boards), torch.tensor(scores)

net = Evaluation()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for epoch in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(boards), scores)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
