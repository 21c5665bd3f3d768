import torch
from torch import nn

from whitened import WhitenedSGD

torch.manual_seed(4)

model = nn.Sequential(nn.Linear(3, 20), nn.GELU(), nn.Linear(20, 1))
optimizer = WhitenedSGD(model.parameters(), lr=2e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=15, gamma=0.5)

x = torch.rand(128, 3) * 2 - 1
y = (x[:, :1] * x[:, 1:2] + x[:, 2:].sin()).detach()


def training_step(batch_x, batch_y):
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch_x), batch_y)
        loss.backward()
        return loss

    return closure


for epoch in range(20):
    total = 0.0
    for index in torch.randperm(128).split(32):
        loss = optimizer.step(training_step(x[index], y[index]))
        total += loss.item()
    scheduler.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch}: loss {total / 4:.4f}, lr {scheduler.get_last_lr()[0]:.4f}")
