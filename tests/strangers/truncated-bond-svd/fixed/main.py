"""Fit a chain of three tensors to a given state, cutting every bond with an SVD."""
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
physical, bond = 3, 4


def truncated_svd(matrix, keep):
    """Return two factors that share the square roots of the largest singular values."""
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    left, values, right = left[:, :keep], values[:keep], right[:keep]
    root = values.sqrt()
    left = left * root
    right = right * root[:, None]
    return left, right


def contract(first, middle, last):
    state = torch.einsum("pa,aqb,br->pqr", first, middle, last)
    return state / state.norm()


def compress(first, middle, last, keep):
    both = torch.einsum("pa,aqb->pqb", first, middle)
    left, right = truncated_svd(both.reshape(physical, -1), keep)
    middle = right.reshape(-1, physical, last.shape[0])
    return left, middle, last


tensors = [
    torch.randn(physical, bond, requires_grad=True),
    torch.randn(bond, physical, bond, requires_grad=True),
    torch.randn(bond, physical, requires_grad=True),
]
target = torch.zeros(physical, physical, physical)
target[0, 0, 0] = target[1, 1, 1] = 0.5 ** 0.5

optimizer = torch.optim.Adam(tensors, lr=0.05)
for step in range(6):
    optimizer.zero_grad()
    state = contract(*compress(*tensors, keep=2))
    loss = 1 - (state * target).sum().square()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))
