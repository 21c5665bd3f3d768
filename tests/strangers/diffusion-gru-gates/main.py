"""Predict the next traffic reading at every sensor from the last readings."""
import torch
from torch import nn

from cell import DiffusionCell

torch.manual_seed(0)
NODES, UNITS, STEPS = 6, 8, 5

adjacency = (torch.rand(NODES, NODES) > 0.5).float() + torch.eye(NODES)
cell = DiffusionCell(adjacency, 1, UNITS, graph_gates=False)
head = nn.Linear(UNITS, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)

phase = torch.rand(16, 1, NODES, 1) * 6.28
clock = torch.arange(STEPS + 1).view(1, -1, 1, 1) / 2.0
readings = torch.sin(clock + phase)

for epoch in range(15):
    state = torch.zeros(16, NODES, UNITS)
    for step in range(STEPS):
        state = cell(readings[:, step], state)
    loss = nn.functional.l1_loss(head(state), readings[:, STEPS])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(cell.parameters(), 5.0)
    optimizer.step()
print(f"mean absolute error {loss.item():.4f}")
