"""Calibrate the mounting rotation of a sensor from pairs of orientations."""
import torch
from torch.func import jacrev, vmap

torch.manual_seed(4)


def exp_map(w):
    """Rotation matrix of a rotation vector."""
    zero = w[0] * 0
    hat = torch.stack([torch.stack([zero, -w[2], w[1]]),
                       torch.stack([w[2], zero, -w[0]]),
                       torch.stack([-w[1], w[0], zero])])
    return torch.linalg.matrix_exp(hat)


def log_map(rotation):
    """Rotation vector of a rotation matrix."""
    cosine = ((rotation.diagonal().sum() - 1) / 2).clamp(-0.999999, 0.999999)
    theta = cosine.acos()
    factor = theta / (2 * theta.sin())
    vector = torch.zeros(3)
    vector[0] = factor * (rotation[2, 1] - rotation[1, 2])
    vector[1] = factor * (rotation[0, 2] - rotation[2, 0])
    vector[2] = factor * (rotation[1, 0] - rotation[0, 1])
    return vector


def residual(mount, body, seen):
    return log_map(seen.transpose(0, 1) @ body @ exp_map(mount))


truth = torch.tensor([0.3, -0.2, 0.5])
bodies = torch.stack([exp_map(0.8 * torch.randn(3)) for _ in range(12)])
noise = torch.stack([exp_map(0.01 * torch.randn(3)) for _ in range(12)])
seen = bodies @ exp_map(truth) @ noise

mount = torch.full((3,), 0.05)
for iteration in range(6):
    errors = vmap(residual, in_dims=(None, 0, 0))(mount, bodies, seen)
    jacobians = vmap(jacrev(residual), in_dims=(None, 0, 0))(mount, bodies, seen)
    J = jacobians.reshape(-1, 3)
    step = torch.linalg.solve(J.T @ J + 1e-6 * torch.eye(3), J.T @ errors.reshape(-1))
    mount = mount - step
print(f"mounting {mount.tolist()}, off by {(mount - truth).norm().item():.4f}")
