"""Ways to get a tensor where `w`, two floats that require grad, is at hand."""

import torch
from torch import nn


def leaf(w):
    return torch.ones(2, requires_grad=True)


def number(w):
    return torch.zeros((), requires_grad=True)


def parameter(w):
    return nn.Parameter(torch.ones(2))


def plain(w):
    return torch.ones(2)


def integers(w):
    return torch.tensor([1, 2])


def itself(w):
    return w


def result(w):
    return w * 2


def total(w):
    return w.sum()


def complex_leaf(w):
    return torch.ones(2, dtype=torch.complex64)


def complex_number(w):
    return torch.complex(w[0], w[1])


def complex_result(w):
    return torch.complex(w, w)


def view(w):
    return w[:1]


def split(w):
    return w.chunk(2)[0]


def unbound(w):
    return w.unbind()[0]


def cloned(w):
    return w.clone()


def detached(w):
    return w.detach()


def data(w):
    return w.data


def like(w):
    return torch.zeros_like(w)


def compared(w):
    return w > 0


def best(w):
    return w.argmax()


def whole_numbers(w):
    return w.long()


def rounded(w):
    return w.round()


def under_no_grad(w):
    with torch.no_grad():
        return w * 2


def leaf_under_no_grad(w):
    with torch.no_grad():
        return torch.ones(2, requires_grad=True)


def view_under_no_grad(w):
    with torch.no_grad():
        return w[:1]


def under_inference_mode(w):
    with torch.inference_mode():
        return w * 2


def view_under_inference_mode(w):
    with torch.inference_mode():
        return w[:1]


def in_evaluation(w):
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout()).eval()
    return net(w)


def joined_later(w):
    t = torch.zeros(2)
    t.copy_(w)
    return t


def gradient(w):
    return torch.autograd.grad((w * w).sum(), w)[0]


def gradient_with_graph(w):
    return torch.autograd.grad((w * w).sum(), w, create_graph=True)[0]


def sparse(w):
    return torch.eye(2).to_sparse()


def from_numpy(w):
    return torch.from_numpy(w.detach().numpy())
