"""Right and wrong gradients of real programs; the oracle is calculus."""

from __future__ import annotations

import pytest
import torch

from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.outcome import (
    Completed,
    Difference,
    NotReproducible,
    Raised,
    Right,
    Stopped,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import LIMITS, tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXP = """\
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
{write}
y.sum().backward()
"""
CUSTOM = """\
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {keep}
        return x * x
    @staticmethod
    def backward(ctx, grad):
        {read}
        return grad * 2 * x
w = torch.tensor([3.], requires_grad=True)
x = w * 1
y = Square.apply(x)
x.data.zero_()
y.sum().backward()
"""


@pytest.mark.parametrize(
    "write", ["pass", "y = y + 1", "y.data = y.detach() + 1", "y.data.add_(0)"]
)
@pytest.mark.whole(every=3)
async def test_a_harmless_program_is_right(worker: Worker, write: str) -> None:
    assert (
        await verify(worker, Program(source=EXP.format(write=write), origin=Origin.OWN), LIMITS)
        == Right()
    )


@pytest.mark.parametrize(
    "write",
    [
        "y.data.add_(1)",
        "y.detach().numpy()[:] += 1",
        "import ctypes; z = y.detach() + 1; ctypes.memmove(y.data_ptr(), z.data_ptr(), 8)",
    ],
)
@pytest.mark.whole(every=3)
async def test_a_write_that_no_version_saw_is_silently_wrong(worker: Worker, write: str) -> None:
    truth = await verify(worker, Program(source=EXP.format(write=write), origin=Origin.OWN), LIMITS)

    assert truth == Wrong(
        differences=(Difference(tensor="x", line=5, got="3.7183 8.3891", true="2.7183 7.3891"),)
    )


async def test_a_program_that_raises_has_no_truth(worker: Worker) -> None:
    assert await verify(
        worker, Program(source=EXP.format(write="y.add_(1)"), origin=Origin.OWN), LIMITS
    ) == (Unverified())


@pytest.mark.parametrize(
    "hooks",
    [
        "torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)",
        "torch.autograd.graph.save_on_cpu()",
    ],
)
@pytest.mark.whole(every=3)
async def test_hooks_of_the_program_s_own_do_not_hide_the_truth(worker: Worker, hooks: str) -> None:
    source = EXP.format(write="y.data.add_(1)").replace("y = x.exp()", f"with {hooks}: y = x.exp()")

    assert isinstance(
        await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS), Wrong
    )


OFFLOAD = """\
import torch
a = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
kept, stage = {{}}, torch.zeros(20, 3)
def pack(t):
    {pack}
def unpack(p):
    {unpack}
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a.exp()
    z = (y * 2).exp()
    z = z.sin()
{write}
z.sum().backward()
"""


@pytest.mark.parametrize(
    ("pack", "unpack", "write", "line"),
    [
        ("stage[0] = t; return stage[0]", "return p", "", 5),
        ("stage[0].copy_(t.detach()); return 0", "return stage[p]", "", 5),
        ("kept[t.shape] = t.detach().clone(); return t.shape", "return kept[p]", "", 8),
        (
            "n = len(kept) % 2; kept[len(kept)] = 0; stage[n] = t.detach(); return n",
            "return stage[p].clone()",
            "",
            5,
        ),
        (
            "n = len(kept); kept[n] = 0; stage[n] = t.detach(); return stage[n]",
            "return p",
            "stage[:] = 0",
            12,
        ),
    ],
)
@pytest.mark.whole(every=3)
async def test_hooks_that_give_back_what_was_packed_later_are_found_out(
    worker: Worker, pack: str, unpack: str, write: str, line: int
) -> None:
    source = OFFLOAD.format(pack=pack, unpack=unpack, write=write)
    a = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    z = (2 * a.exp()).exp()

    truth = await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS)
    timeline = await record(worker, Program(source=source, origin=Origin.OWN), LIMITS)
    found = find_blame(timeline, truth, source=source)

    assert isinstance(truth, Wrong)
    given = [float(each) for each in truth.differences[0].true.split()]
    assert given == pytest.approx((z.cos() * z * 2 * a.exp()).tolist(), rel=1e-3)
    assert found is not None
    assert (found.writes[0].line if found.writes else found.switch) == line


@pytest.mark.parametrize(
    ("pack", "unpack", "right"),
    [
        ("n = len(kept); kept[n] = t.detach().clone(); return n", "return kept[p]", True),
        ("n = len(kept); kept[n] = t.clone().detach(); return n", "return kept.pop(p)", True),
        ("return t.detach().numpy().copy()", "return torch.from_numpy(p)", True),
        ("return t.half()", "return p.float()", False),
        ("return (t * 64).round(), t.shape", "return p[0] / 64", False),
        ("return t + 0.01 * torch.rand_like(t)", "return p", False),
    ],
)
@pytest.mark.whole(every=3)
async def test_hooks_that_round_leave_a_doubt_and_exact_ones_none(
    worker: Worker, pack: str, unpack: str, right: bool
) -> None:
    source = OFFLOAD.format(pack=pack, unpack=unpack, write="")

    truth = await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS)

    assert truth == (Right() if right else NotReproducible(reason=Reason.ROUNDED))


@pytest.mark.parametrize("function", ["grad", "jacrev", "hessian"])
@pytest.mark.whole(every=3)
async def test_of_torch_func_it_is_said_why_it_can_t_be_told(worker: Worker, function: str) -> None:
    source = f"import torch\ng = torch.func.{function}(lambda t: t.exp().sum())(torch.ones(2))\n"

    truth = await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS)

    assert truth == NotReproducible(reason=Reason.TRANSFORMED)


@pytest.mark.parametrize(
    ("keep", "read"),
    [
        ("ctx.save_for_backward(x)", "x, = ctx.saved_tensors"),
        ("ctx.x = x", "x = ctx.x"),
        ("ctx.all = [x]", "x = ctx.all[0]"),
    ],
)
@pytest.mark.whole
async def test_what_a_custom_function_keeps_is_protected(
    worker: Worker, keep: str, read: str
) -> None:
    truth = await verify(
        worker, Program(source=CUSTOM.format(keep=keep, read=read), origin=Origin.OWN), LIMITS
    )

    assert isinstance(truth, Wrong)
    assert (truth.differences[0].got, truth.differences[0].true) == ("0.", "6.")


SHARED = """\
import torch
a = torch.zeros(1, 2, requires_grad=True)
b = torch.zeros(1, 2, requires_grad=True)
x, y = a.view(1, 2), b.view(1, 2)
{hook}
(x + y).backward(torch.ones(1, 2))
"""
MODULE = """\
net = torch.nn.Identity()
net.register_full_backward_{hook}(lambda module, *grads: (grads[-1][0].mul_(3), None)[1])
y = net(y)
"""


@pytest.mark.parametrize(
    "hook",
    [
        "y.register_hook(lambda g: (g.mul_(3), None)[1])",
        "y.grad_fn.register_prehook(lambda grads: (grads[0].mul_(3), None)[1])",
        MODULE.format(hook="pre_hook"),
        MODULE.format(hook="hook"),
    ],
)
@pytest.mark.whole(every=3)
async def test_a_hook_that_writes_a_gradient_that_others_get_too_is_found_out(
    worker: Worker, hook: str
) -> None:
    truth = await verify(
        worker, Program(source=SHARED.format(hook=hook), origin=Origin.OWN), LIMITS
    )

    assert isinstance(truth, Wrong)
    # Only b's gradient was meant to be scaled.
    assert {each.tensor: each.true for each in truth.differences}["a"] == "[1. 1.]"


@pytest.mark.parametrize("hook", ["g.mul_(2)", "(g.mul_(2), None)[1]"])
async def test_a_hook_that_writes_what_only_it_gets_is_right(worker: Worker, hook: str) -> None:
    source = EXP.format(write=f"y.register_hook(lambda g: {hook})")
    # A gradient of its own: that of `sum` is one number, expanded, and can't be written.
    source = source.replace("y.sum()", "(y * 1).sum()")

    assert await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS) == Right()


async def test_a_hook_that_returns_another_gradient_is_right(worker: Worker) -> None:
    source = EXP.format(write="y.register_hook(lambda g: g * 2)")

    assert await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS) == Right()


@pytest.mark.parametrize(
    "source",
    [
        "import numpy, torch\nx = torch.ones(2, requires_grad=True)\n"
        "(x * float(numpy.random.rand())).sum().backward()",
        "import torch\ntorch.func.grad(torch.sin)(torch.tensor(1.))",
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\n"
        "z = y.sum()\ny.add_(1)\n"
        "try: (y.exp() * y).sum().backward()\nexcept RuntimeError: pass\n"
        "w = x.exp(); w.add_(1)\n"
        "try: w.sum().backward()\nexcept RuntimeError: x.grad = None; x.sum().backward()",
    ],
    ids=["unseeded", "torch.func", "retry"],
)
async def test_what_can_not_be_known_is_not_guessed(worker: Worker, source: str) -> None:
    truth = await verify(worker, Program(source=source, origin=Origin.OWN), LIMITS)

    assert isinstance(truth, NotReproducible)
    assert truth.reason


@pytest.mark.parametrize(
    "setup",
    [
        "x = torch.rand(2, 3, requires_grad=True)\ny = (x.t() @ x).relu().exp()",
        "x = torch.rand(2, requires_grad=True)\ny = x.expand(3, 2) ** 2",
        "x = torch.rand(8, requires_grad=True)\ny = x.as_strided((3, 4), (1, 1)).sin()",
        "x = torch.rand(3, dtype=torch.complex64, requires_grad=True)\ny = x.conj().sin().abs()",
        "x = torch.rand(3, dtype=torch.bfloat16, requires_grad=True)\ny = x.exp()",
        "e = torch.nn.Embedding(5, 2, sparse=True)\ny = e(torch.tensor([1, 1, 3]))",
        "m = torch.nn.LSTM(2, 3)\ny = m(torch.rand(4, 1, 2))[0]",
        "m = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))\n"
        "y = m(torch.rand(2, 1, 5, 5))",
        "torch.set_default_device('cpu')\nx = torch.rand(3, requires_grad=True)\ny = x[x > 2]",
        "x = torch.rand(0, requires_grad=True)\ny = x * x",
        "x = torch.rand(3, requires_grad=True)\ny = torch.sgn(x * 2)",
        "x = torch.rand(9, requires_grad=True)\ny = torch.rrelu(x - 0.5, training=True)",
    ],
)
@pytest.mark.whole(every=4)
async def test_the_replay_delivers_the_same_for_every_kind_of_tensor(
    worker: Worker, setup: str
) -> None:
    source = f"import torch\n{setup}\ny.sum().backward()\n"

    bare = await tell(worker, source)
    cloned = await tell(worker, source, Mode.CLONED)

    assert bare.outcome == cloned.outcome == Completed()
    assert bare.backwards == cloned.backwards
    assert bare.backwards[0].unsure is None
    assert bare.backwards[0].gradients


async def test_second_derivatives_survive_the_replay(worker: Worker) -> None:
    source = """\
import torch
x = torch.tensor([2.], requires_grad=True)
(g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
g.sum().backward()
assert x.grad.item() == 12.0
"""
    told = await tell(worker, source, Mode.CLONED)

    assert told.outcome == Completed()
    assert [b.gradients[0].tensor for b in told.backwards] == ["output 0", "x"]


TRAINED = """\
import torch
torch.manual_seed(0)
kernel, recurrent = (torch.randn(n, 8).mul(0.3).requires_grad_() for n in (1, 8))
readout = torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam([kernel, recurrent, *readout.parameters()], lr=0.02)
waves = torch.sin(torch.arange(31) * 0.4 + torch.rand(4, 1) * 3)
for epoch in range(3):
    for at in range(0, 30, 6):
        hidden, outputs = torch.zeros(4, 8), []
        for inputs in waves[:, at : at + 6].unsqueeze(-1).unbind(dim=1):
            hidden = torch.tanh(inputs @ kernel + hidden @ recurrent)
            outputs.append(hidden)
        targets = waves[:, at + 1 : at + 7].unsqueeze(-1)
        loss = torch.nn.functional.mse_loss(readout(torch.stack(outputs, dim=1)), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


async def test_a_training_on_views_has_the_same_bits_in_the_replay(worker: Worker) -> None:
    bare, cloned = [await tell(worker, TRAINED, mode) for mode in (Mode.BARE, Mode.CLONED)]

    assert len(bare.backwards) == 15
    assert [each.gradients for each in cloned.backwards] == [e.gradients for e in bare.backwards]


async def test_leaves_have_the_names_of_the_program(worker: Worker) -> None:
    source = """\
import torch
def train(model, scale):
    (model(torch.ones(1, 2)) * scale).sum().backward()
train(torch.nn.Linear(2, 1), torch.ones(1, requires_grad=True))
"""
    told = await tell(worker, source)

    (backward,) = told.backwards
    assert backward.line == 3
    assert {gradient.tensor for gradient in backward.gradients} == {
        "model.weight",
        "model.bias",
        "scale",
    }


async def test_a_recorded_run_is_a_timeline_with_its_end(worker: Worker) -> None:
    program = Program(source=EXP.format(write="y.add_(1)"), origin=Origin.OWN)

    timeline = await record(worker, program, LIMITS)

    assert isinstance(timeline.outcome, Raised)
    assert (timeline.outcome.line, timeline.outcome.in_backward) == (5, True)
    assert [step.line for step in timeline] == [1, 2, 3, 4, 5]


async def test_a_limit_of_steps_stops_the_run(worker: Worker) -> None:
    timeline = await record(
        worker,
        Program(source="while True:\n    pass\n", origin=Origin.OWN),
        Limits(seconds=20, steps=50),
    )

    assert len(timeline) == 50
    assert timeline.outcome == Stopped(limit="steps", value=50)
