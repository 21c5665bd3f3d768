"""Carry a symmetric matrix along a curve of covariances and learn the end point."""
import torch

torch.manual_seed(0)
size, steps = 3, 5


def random_covariance():
    a = torch.randn(size, size, dtype=torch.float64)
    return a @ a.T + size * torch.eye(size, dtype=torch.float64)


def lyapunov(base, right):
    values, vectors = torch.linalg.eigh(base)
    rotated = vectors.T @ right @ vectors
    return vectors @ (rotated / (values[:, None] + values[None, :])) @ vectors.T


def horizontal_velocity(base, transported, direction):
    """The part of the velocity that keeps the transported matrix on the manifold."""
    velocity = lyapunov(base, direction) @ transported @ lyapunov(base, base @ direction)
    velocity = velocity + velocity.transpose(-2, -1)
    return velocity


def transport(vector, start, end):
    direction = (end - start) / steps
    for i in range(steps):
        base = start + i * direction
        vector = vector - horizontal_velocity(base, vector, direction) / 2
    return vector


start = random_covariance()
tangent = torch.eye(size, dtype=torch.float64)
wanted = transport(tangent, start, start) + 0.1
factor = torch.randn(size, size, dtype=torch.float64, requires_grad=True)

optimizer = torch.optim.Adam([factor], lr=0.05)
for epoch in range(5):
    optimizer.zero_grad()
    end = factor @ factor.T + torch.eye(size, dtype=torch.float64)
    loss = (transport(tangent, start, end) - wanted).square().sum()
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 5))
