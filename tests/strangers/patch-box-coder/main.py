import copy

import torch
from torch import nn

from layers import DeformablePatch

torch.manual_seed(9)

model = nn.Sequential(DeformablePatch(), nn.Flatten(), nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)

labels = torch.arange(40) % 2
time = torch.linspace(0, 6.28, 24)
series = torch.sin(time * (1 + labels.unsqueeze(1)) + torch.rand(40, 1)) + 0.1 * torch.randn(40, 24)
valid = slice(30, 40)

best_loss, best_model = float("inf"), None
for epoch in range(15):
    for index in torch.randperm(30).split(10):
        loss = nn.functional.cross_entropy(model(series[index]), labels[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    valid_loss = nn.functional.cross_entropy(model(series[valid]), labels[valid]).item()
    scheduler.step(valid_loss)
    if valid_loss < best_loss:
        best_loss, best_model = valid_loss, copy.deepcopy(model)

accuracy = (best_model(series[valid]).argmax(1) == labels[valid]).float().mean()
print(f"best validation loss {best_loss:.3f}, accuracy {accuracy:.2f}")
