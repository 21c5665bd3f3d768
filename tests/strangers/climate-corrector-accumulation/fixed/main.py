import torch
from torch import nn

from optimization import Optimization

torch.manual_seed(21)
STEPS, WEIGHT = 4, 0.1


class Stepper(nn.Module):
    """Predict the next state, then shift it so that the total mass is conserved."""

    def __init__(self, cells=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cells, 32), nn.Tanh(), nn.Linear(32, cells))

    def forward(self, state):
        raw = state + self.net(state)
        correction = state.mean(dim=1, keepdim=True) - raw.mean(dim=1, keepdim=True)
        return raw + correction, correction


stepper = Stepper()
optimization = Optimization(stepper.parameters(), lr=3e-3, gradient_accumulation=True)
series = [torch.randn(8, 12)]
for _ in range(STEPS):
    series.append(0.7 * series[-1] + 0.15 * series[-1].roll(1, 1) + 0.15 * series[-1].roll(-1, 1))

for epoch in range(30):
    state = series[0]
    for step in range(STEPS):
        state, correction = stepper(state)
        step_total_loss = nn.functional.mse_loss(state, series[step + 1])
        reg_loss = WEIGHT * correction.pow(2).mean()
        optimization.accumulate_loss(step_total_loss + reg_loss)
        state = state.detach()
    total = optimization.step_weights()
    if epoch % 10 == 0:
        print(f"epoch {epoch}: {total:.4f}")
