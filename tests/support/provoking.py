"""A program for every verdict, and programs of the source documents with the lines at fault."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from inplace_tui.engine.verdict import Verdict


@dataclass(frozen=True)
class Provoking:
    """A program, what torch makes of it, and who is to blame; lines from 1."""

    name: str
    verdict: Verdict | None
    source: str
    saver: int | None = None
    culprit: int | None = None
    reader: int | None = None
    tensor: str | None = None
    op: str | None = None


def _program(name: str, verdict: Verdict | None, source: str, **lines: object) -> Provoking:
    made = Provoking(name, verdict, "import torch\n" + dedent(source).lstrip("\n"))
    for key, value in lines.items():
        object.__setattr__(made, key, value)
    return made


REFUSED = (
    _program(
        "leaf-normal",
        Verdict.LEAF_MODIFIED,
        """
        torch.manual_seed(0)
        w = torch.zeros(10)
        w.requires_grad = True
        w.normal_()
        """,
        culprit=5,
        reader=5,
        tensor="w",
        op="Tensor.normal_",
    ),
    _program(
        "leaf-iadd",
        Verdict.LEAF_MODIFIED,
        """
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        a += 1
        """,
        culprit=3,
        reader=3,
        tensor="a",
        op="Tensor.add_",
    ),
    _program(
        "leaf-isub",
        Verdict.LEAF_MODIFIED,
        """
        w = torch.tensor(2., requires_grad=True)
        w -= w * 2
        """,
        culprit=3,
        reader=3,
        tensor="w",
        op="Tensor.sub_",
    ),
    _program(
        "leaf-init",
        Verdict.LEAF_MODIFIED,
        """
        w = torch.ones(2, requires_grad=True)
        def reset(t):
            t.mul_(0)
        reset(w)
        """,
        culprit=4,
        reader=4,
        tensor="t",
        op="Tensor.mul_",
    ),
    _program(
        "zhihu-swapped",
        Verdict.LEAF_VIEW_MODIFIED,
        """
        a = torch.tensor([1., 2., 3.], requires_grad=True)
        out = a.sigmoid()
        c = out.detach().clone()
        c.requires_grad_()
        c[0] = 10
        """,
        culprit=6,
        reader=6,
        tensor="c",
        op="Tensor.__setitem__",
    ),
    _program(
        "unbind-row",
        Verdict.MULTI_VIEW_MODIFIED,
        """
        x = torch.ones(2, 2, requires_grad=True) * 1
        for row in x:
            row += 1
        """,
        culprit=4,
        reader=4,
        tensor="row",
        op="Tensor.add_",
    ),
    _program(
        "no-grad-view",
        Verdict.NO_GRAD_VIEW_MODIFIED,
        """
        x = torch.ones(2, requires_grad=True)
        with torch.no_grad():
            v = x[:1]
        v.mul_(2)
        """,
        culprit=5,
        reader=5,
        tensor="v",
        op="Tensor.mul_",
    ),
    _program(
        "inference-view",
        Verdict.INFERENCE_VIEW_MODIFIED,
        """
        x = torch.ones(2, requires_grad=True) * 1
        with torch.inference_mode():
            v = x[:1]
        v.mul_(2)
        """,
        culprit=5,
        reader=5,
        op="Tensor.mul_",
    ),
    _program(
        "custom-view",
        Verdict.CUSTOM_VIEW_MODIFIED,
        """
        class Same(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.view_as(x)
            @staticmethod
            def backward(ctx, g):
                return -g
        y = Same.apply(torch.ones(2, requires_grad=True) * 1)
        y.mul_(2)
        """,
        culprit=10,
        reader=10,
        op="Tensor.mul_",
    ),
    _program(
        "detach-view",
        Verdict.VIEW_DETACHED,
        """
        x = torch.ones(2, requires_grad=True) * 1
        v = x[:1]
        v.detach_()
        """,
        culprit=4,
        reader=4,
        tensor="v",
        op="Tensor.detach_",
    ),
    _program(
        "inference-write",
        Verdict.INFERENCE_MODIFIED,
        """
        with torch.inference_mode():
            x = torch.ones(2)
        x.add_(1)
        """,
        culprit=4,
        reader=4,
        tensor="x",
        op="Tensor.add_",
    ),
    _program(
        "float-into-int",
        Verdict.DTYPE_NOT_WRITABLE,
        """
        n = torch.tensor([1, 2])
        n += 0.5
        """,
        culprit=3,
        reader=3,
        tensor="n",
        op="Tensor.add_",
    ),
    _program(
        "broadcast",
        Verdict.SHAPE_NOT_WRITABLE,
        """
        x = torch.ones(2)
        x += torch.ones(3, 2)
        """,
        culprit=3,
        reader=3,
        tensor="x",
        op="Tensor.add_",
    ),
    _program(
        "setitem-shape",
        Verdict.SHAPE_NOT_WRITABLE,
        """
        x = torch.ones(4)
        x[:2] = torch.ones(3)
        """,
        culprit=3,
        reader=3,
        tensor="x",
        op="Tensor.__setitem__",
    ),
    _program(
        "expanded",
        Verdict.MEMORY_OVERLAPS,
        """
        x = torch.ones(1).expand(3)
        x.add_(torch.ones(3))
        """,
        culprit=3,
        reader=3,
        tensor="x",
        op="Tensor.add_",
    ),
)

RAISED = (
    _program(
        "no-requires-grad",
        Verdict.NO_GRAD_FN,
        """
        a = torch.ones([2, 2], requires_grad=False)
        b = 3 * a + 2
        loss = b.sum()
        loss.backward()
        """,
        reader=5,
        tensor="loss",
    ),
    _program(
        "backward-on-detached",
        Verdict.NO_GRAD_FN,
        """
        a = torch.tensor([1.2, 3.4, 5.6], requires_grad=True)
        out = a.sigmoid()
        c = out.detach()
        c.sum().backward()
        """,
        reader=5,
        tensor="c",
    ),
    _program(
        "not-a-scalar",
        Verdict.NOT_A_SCALAR,
        """
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.backward()
        """,
        reader=4,
        tensor="y",
    ),
    _program(
        "inference-saved",
        Verdict.INFERENCE_SAVED,
        """
        with torch.inference_mode():
            m = torch.ones(2)
        x = torch.ones(2, requires_grad=True)
        y = x * m
        """,
        reader=5,
    ),
    _program(
        "integer",
        Verdict.INTEGER_GRADIENT,
        """
        n = torch.tensor([1, 2])
        n.requires_grad_()
        """,
        reader=3,
        tensor="n",
    ),
    _program(
        "integer-at-birth",
        Verdict.INTEGER_GRADIENT,
        """
        n = torch.tensor([1, 2], requires_grad=True)
        """,
        reader=2,
    ),
    _program(
        "atanh",
        Verdict.NO_DERIVATIVE,
        """
        x = torch.zeros(2, requires_grad=True) * 1
        y = x.atanh_()
        y.sum().backward()
        """,
        reader=4,
    ),
    _program(
        "detached-in-place",
        Verdict.SAVED_TENSOR_DETACHED,
        """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        z = y.sin()
        y.detach_()
        z.sum().backward()
        """,
        reader=6,
    ),
    _program(
        "indexed-shape",
        Verdict.SHAPE_NOT_WRITABLE,
        """
        x = torch.ones(3)
        x[torch.tensor([0, 1])] = torch.ones(3)
        """,
        culprit=3,
        reader=3,
        tensor="x",
        op="Tensor.__setitem__",
    ),
    _program(
        "overlapping-copy",
        Verdict.MEMORY_OVERLAPS,
        """
        a = torch.ones(3)
        a[1:] = a[:-1]
        """,
        culprit=3,
        reader=3,
        tensor="a",
        op="Tensor.__setitem__",
    ),
    _program(
        "twice",
        Verdict.GRAPH_FREED,
        """
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        loss = y.sum()
        loss.backward()
        loss.backward()
        """,
        saver=3,
        culprit=5,
        reader=6,
        op="Tensor.backward",
        tensor="y",
    ),
)

STALE = (
    _program(
        "exp",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        y = x.exp()
        y.add_(1)
        y.sum().backward()
        """,
        saver=3,
        culprit=4,
        reader=5,
        tensor="y",
        op="Tensor.add_",
    ),
    _program(
        "matmul-overwrite",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        x = torch.tensor([1., 3.])
        w1 = torch.tensor([[2.], [1.]], requires_grad=True)
        w2 = torch.tensor([9.], requires_grad=True)
        d = torch.matmul(x, w1)
        f = torch.matmul(d, w2)
        d[:] = 4
        f.backward()
        """,
        saver=6,
        culprit=7,
        reader=8,
        tensor="d",
        op="Tensor.__setitem__",
    ),
    _program(
        "detach-zero",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        a = torch.tensor([1., 2., 3.], requires_grad=True)
        out = a.sigmoid()
        c = out.detach()
        c.zero_()
        out.sum().backward()
        """,
        saver=3,
        culprit=5,
        reader=6,
        tensor="out",
        op="Tensor.zero_",
    ),
    _program(
        "write-after-use",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        b = a + 2
        b[0] = 1000.0
        b[0] = 1
        loss = (b * b).mean()
        b[0] = 1000.0
        loss.backward()
        """,
        saver=6,
        culprit=7,
        reader=8,
        tensor="b",
        op="Tensor.__setitem__",
    ),
    _program(
        "no-grad-write-after-loss",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        a = torch.tensor([10., 5., 2., 3.], requires_grad=True)
        with torch.no_grad():
            a[:] = 10.
        loss = (a * a).mean()
        with torch.no_grad():
            a[:] = 10.
        loss.backward()
        """,
        saver=5,
        culprit=7,
        reader=8,
        tensor="a",
        op="Tensor.__setitem__",
    ),
    _program(
        "zhihu-sigmoid",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        a = torch.tensor([1., 2., 3.], requires_grad=True)
        out = a.sigmoid()
        c = out.detach()
        c[0] = 10
        loss = out * 2
        loss.sum().backward()
        """,
        saver=3,
        culprit=5,
        reader=7,
        tensor="out",
        op="Tensor.__setitem__",
    ),
    _program(
        "embedding-max-norm",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        from torch import nn
        torch.manual_seed(0)
        n, d, m = 3, 5, 7
        embedding = nn.Embedding(n, d, max_norm=1)
        W = torch.randn((m, d), requires_grad=True)
        idx = torch.tensor([1, 2])
        a = embedding.weight @ W.t()
        b = embedding(idx) @ W.t()
        out = (a.unsqueeze(0) + b.unsqueeze(1))
        loss = out.sigmoid().prod()
        loss.backward()
        """,
        saver=8,
        culprit=9,
        reader=12,
        tensor="embedding.weight",
    ),
    _program(
        "optimizer-step-between",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        torch.manual_seed(0)
        first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        opt = torch.optim.SGD(second.parameters(), lr=0.1)
        out = second(first(torch.ones(1, 2)))
        out.sum().backward(retain_graph=True)
        opt.step()
        out.mean().backward()
        """,
        saver=5,
        culprit=7,
        reader=8,
        tensor="second.weight",
        op="SGD.step",
    ),
    _program(
        "two-writes",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.mul_(2)
        y.mul_(3)
        y.sum().backward()
        """,
        saver=3,
        culprit=4,
        reader=6,
        tensor="y",
        op="Tensor.mul_",
    ),
    _program(
        "latest-node-first",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        z = y.tanh()
        y.mul_(2)
        z.mul_(2)
        (y + z).sum().backward()
        """,
        saver=4,
        culprit=6,
        reader=7,
        tensor="z",
        op="Tensor.mul_",
    ),
    _program(
        "in-a-function",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        def scale(t):
            t.mul_(2)
            return t
        x = torch.ones(2, requires_grad=True)
        y = x.sigmoid()
        z = scale(y)
        z.sum().backward()
        """,
        saver=6,
        culprit=3,
        reader=8,
        tensor="y",
        op="Tensor.mul_",
    ),
    _program(
        "resized",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        w = torch.tensor([1., 2.], requires_grad=True)
        x = torch.tensor([3., 4.])
        y = w * x
        x.resize_(1)
        y.sum().backward()
        """,
        saver=4,
        culprit=5,
        reader=6,
        tensor="x",
        op="Tensor.resize_",
    ),
    _program(
        "one-line",
        Verdict.SAVED_TENSOR_MODIFIED,
        """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.add_(1); y.sum().backward()
        """,
        saver=3,
        culprit=4,
        reader=4,
        tensor="y",
        op="Tensor.add_",
    ),
)

SILENT = (
    _program(
        "data-zero",
        Verdict.SILENTLY_WRONG,
        """
        a = torch.tensor([1., 2., 3.], requires_grad=True)
        out = a.sigmoid()
        c = out.data
        c.zero_()
        out.sum().backward()
        """,
        saver=3,
        culprit=5,
        reader=6,
        tensor="out",
    ),
    _program(
        "data-zero-after-loss",
        Verdict.SILENTLY_WRONG,
        """
        a = torch.tensor([1, 2, 3.], requires_grad=True)
        out = a.sigmoid()
        loss = out.sum()
        c = out.data
        c.zero_()
        loss.backward()
        """,
        saver=3,
        culprit=6,
        reader=7,
        tensor="out",
    ),
    _program(
        "data-scale",
        Verdict.SILENTLY_WRONG,
        """
        a = torch.tensor([1, 2, 3.], requires_grad=True)
        out = a.sigmoid()
        out.data.mul_(2)
        loss = out.sum()
        loss.backward()
        """,
        saver=3,
        culprit=4,
        reader=6,
        tensor="out",
    ),
    _program(
        "numpy",
        Verdict.SILENTLY_WRONG,
        """
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        y.detach().numpy()[0] = 9.
        y.sum().backward()
        """,
        saver=3,
        culprit=4,
        reader=5,
        tensor="y",
    ),
    _program(
        "other-memory",
        Verdict.SILENTLY_WRONG,
        """
        x = torch.tensor([1., 2.], requires_grad=True)
        w = torch.tensor([5., -3.], requires_grad=True)
        loss = (w * x).sum()
        w.data = torch.zeros(2)
        loss.backward()
        """,
        saver=4,
        culprit=5,
        reader=6,
        tensor="w",
    ),
    _program(
        "only-the-wrong-leaf",
        Verdict.SILENTLY_WRONG,
        """
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2, requires_grad=True)
        y = a.exp()
        z = b.tanh()
        z.data.mul_(1)
        y.data.mul_(2)
        (y + z).sum().backward()
        """,
        saver=4,
        culprit=7,
        reader=8,
        tensor="y",
    ),
    _program(
        "data-add-ran-well",
        None,
        """
        x = torch.ones(3, requires_grad=True)
        x.data.mul_(2)
        y = x.exp()
        y.sum().backward()
        """,
    ),
)

READ = (
    _program(
        "non-leaf-grad",
        Verdict.NON_LEAF_GRAD_READ,
        """
        a = torch.ones([2, 2], requires_grad=True)
        b = 3 * a + 2
        loss = b.sum()
        loss.backward()
        g = b.grad
        """,
        reader=6,
        tensor="b",
    ),
    _program(
        "rebind",
        Verdict.LEAF_LOST,
        """
        w = torch.tensor(2., requires_grad=True)
        w0 = w
        w = w * 2
        w.backward()
        g = w.grad
        """,
        reader=6,
        tensor="w",
    ),
    _program(
        "descent-loses-leaf",
        Verdict.LEAF_LOST,
        """
        w = torch.tensor(2., requires_grad=True)
        for _ in range(2):
            loss = w * w
            loss.backward()
            w = w - 0.1 * w.grad
        """,
        reader=6,
        tensor="w",
    ),
    _program(
        "rebind-and-nobody-asks",
        None,
        """
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        a = a + 1
        a.sum().backward()
        """,
    ),
    _program("none-is-not-a-leaf", None, "w = None\nw * 2\n"),
)

ALL = (*REFUSED, *RAISED, *STALE, *SILENT, *READ)
