import torch
from torch import nn

from tables import ManagedTable

torch.manual_seed(8)

table = ManagedTable(rows=12, dim=6)
position = nn.Parameter(torch.full((3,), 0.5))
tower = nn.Linear(6, 6)
optimizer = torch.optim.Adagrad([table.weight, position, *tower.parameters()], lr=0.1)

for step in range(5):
    history = torch.randint(step * 3, step * 3 + 8, (4, 3))
    candidates = torch.randint(step * 3 + 2, step * 3 + 10, (4, 3))
    clicked = (candidates.sum(dim=1) % 2).float()
    user = tower(table(history, position))
    item = table(candidates, position)
    loss = nn.functional.binary_cross_entropy_with_logits((user * item).sum(dim=1), clicked)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
