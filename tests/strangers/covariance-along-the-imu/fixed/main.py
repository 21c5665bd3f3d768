import torch
from torch import nn


class IMUPreintegrator(nn.Module):
    """Position and velocity from accelerations, and how unsure they are."""

    def __init__(self):
        super().__init__()
        self.log_noise = nn.Parameter(torch.tensor([-2.0, -1.0]))

    def forward(self, dt, acc):
        frames = acc.shape[0]
        velocity = torch.cumsum(acc * dt[:, None], dim=0)
        position = torch.cumsum(velocity * dt[:, None], dim=0)
        return position, velocity, self.propagate_cov(dt, frames)

    def propagate_cov(self, dt, frames):
        noise = torch.diag(self.log_noise.exp())
        cov = [torch.zeros(2, 2)]
        for i in range(frames):
            A = torch.tensor([[1.0, dt[i]], [0.0, 1.0]])
            cov.append(A @ cov[i] @ A.T + noise * dt[i] ** 2)
        return torch.stack(cov[1:])


torch.manual_seed(0)
integrator = IMUPreintegrator()
optimizer = torch.optim.Adam(integrator.parameters(), lr=0.05)
dt = torch.full((6,), 0.1)
acc, truth = torch.randn(6, 3), 0.05 * torch.randn(6, 3)
for epoch in range(3):
    position, _, cov = integrator(dt, acc)
    variance = cov[:, 0, 0, None] + 1e-3
    loss = ((position - truth) ** 2 / variance + variance.log()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, f"{loss.item():.4f}", [f"{v:.3f}" for v in integrator.log_noise.tolist()])
