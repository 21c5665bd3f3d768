import torch
from torch import nn

from layers import StatefulRNN

torch.manual_seed(0)

BATCH, WINDOW, UNITS = 4, 6, 8


def windows(count):
    start = torch.rand(BATCH, 1) * 3
    for k in range(count):
        t = torch.arange(k * WINDOW, (k + 1) * WINDOW + 1) * 0.4
        wave = torch.sin(t + start).unsqueeze(-1)
        yield wave[:, :-1], wave[:, 1:]


recurrent = StatefulRNN(BATCH, 1, UNITS)
readout = nn.Linear(UNITS, 1)
optimizer = torch.optim.Adam([*recurrent.parameters(), *readout.parameters()], lr=0.02)

for epoch in range(3):
    recurrent.state.zero_()
    total = 0.0
    for inputs, targets in windows(5):
        loss = nn.functional.mse_loss(readout(recurrent(inputs)), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / 5:.4f}")
