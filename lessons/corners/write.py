"""Ways to write into `x`, two numbers of dtype float32."""

import functools

import torch
from torch import nn
from torch.nn import functional as F


def method(x):
    x.mul_(2)


def operator(x):
    x += 1


def item(x):
    x[0] = 5


def item_in_place(x):
    x[0] += 1


def picked(x):
    x[[0, 1]] = 5


def masked(x):
    x[x > -9] = 5


def index_method(x):
    x.index_fill_(0, torch.tensor([0]), 5)


def copy(x):
    x.copy_(torch.tensor([5, 6]))


def zero(x):
    x.zero_()


def part(x):
    x[:1].add_(1)


def row_of_a_view(x):
    x.view(1, 2)[0].add_(1)


def split(x):
    x.chunk(2)[0].add_(1)


def loop(x):
    for each in x:
        each.add_(1)


def detached(x):
    x.detach().add_(1)


def data(x):
    x.data.add_(1)


def no_grad(x):
    with torch.no_grad():
        x.add_(1)


def inference_mode(x):
    with torch.inference_mode():
        x.add_(1)


def out(x):
    torch.add(x.detach(), 1, out=x)


def foreach(x):
    torch._foreach_add_([x], 1)


def threshold_inplace(x):
    F.threshold(x, 9, 0, inplace=True)


def dropout_inplace(x):
    F.dropout(x, 0.9, inplace=True)


def init(x):
    nn.init.constant_(x, 5)


def init_trunc(x):
    nn.init.trunc_normal_(x)


def clip_grad(x):
    p = torch.zeros(2, requires_grad=True)
    p.grad = x.detach()
    p.grad.add_(9)
    nn.utils.clip_grad_norm_(p, 1)


def _step(kind, x, **options):
    p = x.detach().requires_grad_()
    p.grad = torch.ones(2)
    kind([p], lr=1, **options).step()


def sgd(x):
    _step(torch.optim.SGD, x)


def adam(x):
    _step(torch.optim.Adam, x)


def sgd_fused(x):
    _step(torch.optim.SGD, x, fused=True)


def adam_fused(x):
    _step(torch.optim.Adam, x, fused=True)


def batch_norm(x):
    F.batch_norm(torch.randn(3, 2), x, torch.ones(2), training=True)


def load_state_dict(x):
    layer = nn.Linear(2, 1, bias=False)
    layer.weight = nn.Parameter(x.detach().view(1, 2))
    layer.load_state_dict({"weight": torch.tensor([[5.0, 6]])})


def accumulated(x):
    p = torch.ones(2, requires_grad=True)
    p.grad = x.detach()
    with torch.enable_grad():
        p.sum().backward()


def apply(x):
    x.detach().apply_(lambda v: v + 1)


def map_(x):
    x.detach().map_(torch.ones(2), lambda a, b: a + b)


def numpy(x):
    x.detach().numpy()[0] = 5


def dlpack(x):
    torch.from_dlpack(x.detach()).add_(1)


def storage(x):
    x.untyped_storage().fill_(0)


def exchanged(x):
    x.data = torch.tensor([5.0, 6])


def undeclared_custom_op(x):
    _scale_by_hand()(x.detach())


@functools.cache
def _scale_by_hand():
    @torch.library.custom_op("corners::scale_by_hand", mutates_args=())
    def scale_by_hand(x: torch.Tensor) -> None:
        x.numpy()[:] *= 3

    return scale_by_hand
