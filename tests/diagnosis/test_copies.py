"""What is copied once for two nodes, and what never is."""

from __future__ import annotations

import gc
import math

import pytest
import torch

from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.replay.clones import cloned
from inplace_tui.diagnosis.record.replay.copies import ALIGNED, MIN_BYTES, Copies, Copy
from inplace_tui.diagnosis.record.replay.findings import Findings

COUNT = MIN_BYTES // 4
"""Elements of a tensor that is just large enough to be shared."""

UNSEEN = """\
p = x.sin()
x.data.mul_(2)
q = x.sin()
(p + q).sum().backward()
"""
WRITES_WHAT_IT_SAVED = """\
class Writes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * 1
    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors[0].zero_()
        return g
p = x.sin()
q = Writes.apply(x)
(p + q).sum().backward()
"""
WRITES_WHAT_A_NODE_SAVED = """\
p = x.sin()
q = x.cos()
p.grad_fn._saved_self.zero_()
(p + q).sum().backward()
"""
HOOK_WRITES = """\
p = x.sin()
q = x.cos()
q.grad_fn.register_prehook(lambda g: (q.grad_fn._saved_self.zero_(), None)[1])
(p + q).sum().backward()
"""

WRITES_IN_EACH_BACKWARD = """\
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        y = t.exp()
        ctx.save_for_backward({saves})
        return y * 1
    @staticmethod
    def backward(ctx, g):
        y = {unpacks}
        gradient = y * g
        {writes}
        return gradient
with {hooks}:
    loss = Exp.apply(x).sum()
loss.backward(retain_graph=True)
loss.backward()
"""


def gradient(source: str) -> float:
    """Return what a program's backward gives one factor, with everything saved cloned."""
    a = torch.tensor(0.5, requires_grad=True)
    x = a * torch.ones(COUNT)
    findings = Findings(OwnFiles(source, "program"))
    with cloned(findings):
        exec(compile(source, "program", "exec"), {"torch": torch, "x": x})
    assert not findings.doubts
    assert a.grad is not None
    return float(a.grad) / COUNT


def test_one_copy_serves_two_nodes_as_long_as_one_has_it() -> None:
    copies, tensor = Copies(), torch.randn(COUNT)

    first = copies.shared(tensor)
    assert isinstance(first, Copy)
    assert copies.shared(tensor) is first
    assert copies.shared(tensor.view(-1)) is first
    held = first.tensor
    del first
    gc.collect()
    again = copies.shared(tensor)
    assert isinstance(again, Copy)
    assert again.tensor.data_ptr() != held.data_ptr()
    assert torch.equal(again.tensor, tensor)


@pytest.mark.parametrize("number", [0.0, math.nan, 1.0])
def test_a_sign_alone_makes_another_copy(number: float) -> None:
    copies, tensor = Copies(), torch.full((COUNT,), number)
    first = copies.shared(tensor)
    tensor[COUNT // 2].neg_()

    second = copies.shared(tensor)

    assert isinstance(first, Copy)
    assert isinstance(second, Copy)
    assert second is not first
    signs = torch.signbit(second.tensor) != torch.signbit(first.tensor)
    assert signs.nonzero().tolist() == [[COUNT // 2]]


@pytest.mark.parametrize(
    "other",
    [
        lambda t: t[1:],
        lambda t: t.view(2, -1),
        lambda t: t.view(torch.int32),
        lambda t: t.view(-1, 2).t(),
    ],
)
def test_another_view_has_a_copy_of_its_own(other: object) -> None:
    copies, tensor = Copies(), torch.randn(COUNT + 2)
    assert callable(other)
    first, view = copies.shared(tensor), other(tensor)

    second = copies.shared(view)

    assert second is not first
    made = second.tensor if isinstance(second, Copy) else second
    assert (made.shape, made.stride(), made.dtype) == (view.shape, view.stride(), view.dtype)
    assert made.data_ptr() % ALIGNED == view.data_ptr() % ALIGNED
    assert torch.equal(made, view)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(COUNT, dtype=torch.complex64).conj(),
        torch.ones(COUNT, dtype=torch.complex64).conj().imag,
        torch.ones(COUNT, device="meta"),
        torch.ones(COUNT // 64, 64).to_sparse(),
        torch._efficientzerotensor(COUNT),
    ],
)
def test_what_is_not_plain_memory_is_never_shared(tensor: torch.Tensor) -> None:
    copies = Copies()

    assert not isinstance(copies.shared(tensor), Copy)
    assert copies.shared(tensor) is not copies.shared(tensor)


def test_a_write_that_no_counter_saw_between_two_saves_is_not_lost() -> None:
    assert gradient(UNSEEN) == pytest.approx(math.cos(0.5) + math.cos(1.0), rel=1e-4)


@pytest.mark.parametrize(
    ("source", "true"),
    [
        (WRITES_WHAT_IT_SAVED, math.cos(0.5) + 1),
        (WRITES_WHAT_A_NODE_SAVED, math.cos(0.5) - math.sin(0.5)),
        (HOOK_WRITES, math.cos(0.5) - math.sin(0.5)),
    ],
)
def test_who_writes_what_one_node_saved_reaches_no_other(source: str, true: float) -> None:
    assert gradient(source) == pytest.approx(true, rel=1e-4)


@pytest.mark.parametrize("count", [2, COUNT])
@pytest.mark.parametrize("hooks", ["torch.enable_grad()", "torch.autograd.graph.save_on_cpu()"])
@pytest.mark.parametrize(
    ("saves", "unpacks"),
    [
        ("y", "ctx.saved_tensors[0]"),
        ("t", "ctx.saved_tensors[0].data.exp_()"),
        ("t, y, t", "ctx.saved_tensors[1]"),
    ],
)
@pytest.mark.parametrize("write", ["y.zero_()", "y.data.mul_(3)", "y.numpy()[:] = 5"])
@pytest.mark.whole
def test_what_a_backward_writes_to_what_it_saved_is_gone_in_the_next(
    count: int, hooks: str, saves: str, unpacks: str, write: str
) -> None:
    def gradient(writes: str, unpacks: str) -> torch.Tensor:
        source = WRITES_IN_EACH_BACKWARD.format(
            saves=saves, unpacks=unpacks, writes=writes, hooks=hooks
        )
        w = torch.full((count,), 0.5, requires_grad=True)
        exec(compile(source, "program", "exec"), {"torch": torch, "x": w.sin()})
        assert w.grad is not None
        return w.grad

    plain = gradient("pass", unpacks.replace(".data.exp_()", ".exp()"))
    findings = Findings(OwnFiles("", "program"))
    with cloned(findings):
        true = gradient(write, unpacks)

    assert not findings.doubts
    assert torch.equal(true, plain)


@pytest.mark.parametrize(
    ("keeps", "unpacks"), [("ctx.y = y", "ctx.y"), ("ctx.y = [y, 1]", "ctx.y[0]")]
)
@pytest.mark.parametrize("write", ["y.zero_()", "y.data.mul_(3)"])
def test_what_a_backward_writes_to_an_attribute_of_ctx_is_gone_in_the_next(
    keeps: str, unpacks: str, write: str
) -> None:
    assert gradient(_on_ctx(keeps, unpacks, write)) == pytest.approx(
        gradient(_on_ctx(keeps, unpacks, "pass"))
    )


def test_what_a_backward_binds_on_ctx_is_there_in_the_next() -> None:
    once = gradient(_on_ctx("ctx.y = y", "ctx.y", "pass")) / 2

    twice = gradient(_on_ctx("ctx.y = y", "ctx.y", "ctx.y = 3 * y"))

    assert twice == pytest.approx(once + 3 * once)


def _on_ctx(keeps: str, unpacks: str, writes: str) -> str:
    source = WRITES_IN_EACH_BACKWARD.format(
        saves="y", unpacks=unpacks, writes=writes, hooks="torch.enable_grad()"
    )
    return source.replace("ctx.save_for_backward(y)", keeps)


def test_within_one_backward_what_was_written_is_read_again() -> None:
    source = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * 1
    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors[0].data.fill_(3)
        return g * ctx.saved_tensors[0]
Twice.apply(x).sum().backward()
"""
    assert gradient(source) == pytest.approx(3.0)
