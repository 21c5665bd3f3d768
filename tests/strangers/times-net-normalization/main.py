"""Forecast a seasonal series with a normalized encoder behind a learned sensor mixer."""
import torch
from torch import nn

torch.manual_seed(0)


class Forecaster(nn.Module):
    def __init__(self, length, horizon, width):
        super().__init__()
        self.time = nn.Linear(length, length + horizon)
        self.embed = nn.Linear(width, 16)
        self.head = nn.Linear(16, width)
        self.horizon = horizon

    def forward(self, series):
        level = series.mean(1, keepdim=True).detach()
        series = series - level
        spread = torch.sqrt(torch.var(series, dim=1, keepdim=True, unbiased=False) + 1e-5)
        series /= spread
        hidden = torch.tanh(self.embed(series))
        hidden = self.time(hidden.transpose(1, 2)).transpose(1, 2)
        out = self.head(hidden) * spread + level
        return out[:, -self.horizon:]


class MixedForecaster(nn.Module):
    """A small layer that mends the raw sensors, in front of the forecaster."""

    def __init__(self, length, horizon, width):
        super().__init__()
        self.mixer = nn.Linear(width, width)
        self.forecaster = Forecaster(length, horizon, width)

    def forward(self, series):
        return self.forecaster(series + self.mixer(series))


time = torch.arange(0, 200) / 6.0
signal = torch.stack([torch.sin(time), torch.cos(time), torch.sin(2 * time)], 1)
windows = signal.unfold(0, 32, 2).transpose(1, 2)
past, future = windows[:, :24], windows[:, 24:]

model = MixedForecaster(24, 8, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(20):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(past), future)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
