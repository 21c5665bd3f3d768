import numpy as np
import torch
from dataloader import DataLoader
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
train_dataloader = DataLoader(rng.normal(size=(32, 7)).astype(np.float32), batch_size=8)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
bce_with_logits = nn.BCEWithLogitsLoss()

batches = iter(train_dataloader)
batch, step, gradient = next(batches), 0, None
while batch is not None:
    x, t = batch
    loss = bce_with_logits(model(x), t)
    train_dataloader.pre_fetch()
    batch = next(batches, None)
    model.zero_grad()
    loss.backward()
    gradient = model[0].weight.grad.clone() if gradient is None else gradient
    optimizer.step()
    step += 1
    print(f"steps = {step}, loss = {loss.item():.5f}")
print(f"first gradient {gradient.norm().item():.5f}")
