"""Where the graph itself is not what the program did; the oracle is central differences."""

from __future__ import annotations

import math

import pytest
import torch

from inplace_tui.common.blame import SilentCause
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.outcome import NotReproducible, Right, Truth, Unverified, Wrong
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.record.replay.repairs import UNRECORDED, overlaps
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHECKPOINT = """\
import torch
from torch.utils.checkpoint import checkpoint
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([5., -3.], requires_grad=True)
y = checkpoint(lambda t: (w * t).exp(), x, use_reentrant={reentrant})
{write}
y.sum().backward()
"""
FORGOTTEN = """\
import torch
class Double(torch.autograd.Function):
    @staticmethod
    def forward({parameters}):
        {body}
        return x.clone()
    {setup}
    @staticmethod
    def backward(ctx, g):
        return g
a = torch.tensor([1., 2.], requires_grad=True)
x = {made}
y = Double.apply(x)
({loss}).sum().backward()
"""
UNTRACKED = """\
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(3, 3)
    def forward(self, h):
        return checkpoint(self.lift, h, use_reentrant={reentrant})
x = torch.ones(2, 3)
w = nn.Parameter(torch.tensor([1., 2., 3.]))
body, head = nn.Linear(3, 3), nn.Linear(3, 1)
both, block, frozen = nn.Sequential(body, head), Block(), nn.Linear(3, 3).requires_grad_(False)
h = {call}
{loss}.backward()
"""
WINDOWS = """\
import torch
a = torch.tensor([1., 2., 3., 4.], requires_grad=True)
x = a * 1
{write}
(x * x).sum().backward()
"""


async def told(worker: Worker, source: str) -> Truth:
    return await verify(worker, Program(source=source, origin=Origin.OWN), Limits(seconds=30))


def by_differences(source: str, *, step: float = 1e-4) -> list[float]:
    """Return the derivative of the sum that the last line runs backward on, by `a`."""
    *lines, last = source.strip().splitlines()
    a = next(line for line in lines if line.startswith("a = "))
    values = [float(number) for number in a.partition("[")[2].partition("]")[0].split(",")]
    found = []
    for index in range(len(values)):
        ends = []
        for sign in (1, -1):
            moved = list(values)
            moved[index] += sign * step
            namespace: dict[str, object] = {}
            text = "\n".join(lines).replace(a, f"a = torch.tensor({moved}, requires_grad=True)")
            code = compile(f"{text}\nloss = {last.removesuffix('.backward()')}", "program", "exec")
            torch.set_default_dtype(torch.float64)
            try:
                exec(code, namespace)
            finally:
                torch.set_default_dtype(torch.float32)
            loss = namespace["loss"]
            assert isinstance(loss, torch.Tensor)
            ends.append(loss.item())
        found.append((ends[0] - ends[1]) / (2 * step))
    return found


def numbers(text: str) -> list[float]:
    return [float(number) for number in text.split()]


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("write", ["pass", "torch.zeros(2).add_(1)"])
@pytest.mark.whole(every=4)
async def test_a_checkpoint_that_reads_what_it_read_is_right(
    worker: Worker, reentrant: bool, write: str
) -> None:
    source = CHECKPOINT.format(reentrant=reentrant, write=write)

    assert await told(worker, source) == Right()


@pytest.mark.parametrize(
    ("call", "lost"),
    [
        ("checkpoint(body, x, use_reentrant={reentrant})", {"body.weight", "body.bias"}),
        ("checkpoint(lambda t: t * w, x, use_reentrant={reentrant})", {"w"}),
        ("block(x)", {"block.lift.weight", "block.lift.bias"}),
        (
            "checkpoint_sequential(both, 2, x, use_reentrant={reentrant}).expand(2, 3)",
            {"body.weight", "body.bias"},
        ),
        ("checkpoint(frozen, x, use_reentrant={reentrant})", set()),
        ("checkpoint(body, x.requires_grad_(), use_reentrant={reentrant})", set()),
    ],
)
@pytest.mark.whole(every=3)
async def test_a_reentrant_checkpoint_that_was_not_recorded_names_the_leaves_without_a_gradient(
    worker: Worker, call: str, lost: set[str]
) -> None:
    """The twin with `use_reentrant=False` delivers to them."""
    loss = "(head(h).sum() + h.sum())"
    source, twin = (
        UNTRACKED.format(reentrant=each, loss=loss, call=call.format(reentrant=each))
        for each in (True, False)
    )

    truth = await told(worker, source)

    assert await told(worker, twin) == Right()
    found = truth.differences if isinstance(truth, Wrong) else ()
    assert {each.tensor for each in found if each.got == "None"} == lost
    assert bool(lost) == isinstance(truth, Wrong)


@pytest.mark.parametrize("loss", ["h.sum()", "h.detach().sum()"])
async def test_a_checkpoint_is_blamed_only_where_weights_in_it_need_a_gradient(
    worker: Worker, loss: str
) -> None:
    asked = loss == "h.sum()"
    call = f"checkpoint({'body' if asked else 'frozen'}, x, use_reentrant=True)"
    source = UNTRACKED.format(reentrant=True, call=call, loss=loss)
    timeline = await record(worker, Program(source=source, origin=Origin.OWN), Limits())

    found = find_blame(timeline, Unverified(), source=source)

    assert found is not None
    assert found.switch == (14 if asked else None)
    assert (found.cause is SilentCause.UNTRACKED) == asked


PUT_AWAY = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
h = w * 2
{write}
{loss}.backward()
"""


@pytest.mark.parametrize(
    ("write", "loss", "line"),
    [
        ("kept = h.detach(); kept += b", "h.pow(2).sum()", 5),
        ("h.data.mul_(b)", "h.sum()", 5),
        ("h.data[0] = b[0]", "h.pow(2).sum()", 5),
        ("h.detach().view(2, 1)[1].add_(b[1])", "h.pow(2).sum()", 5),
        ("h.data = h.data + b", "h.pow(2).sum()", 5),
        (
            "g, = torch.autograd.grad(h.pow(2).sum(), w, create_graph=True); w.data = w - 0.1 * g",
            "w.pow(3).sum()",
            5,
        ),
        ("w.data -= 0.5 * w", "w.pow(3).sum()", None),
        ("kept = h.detach(); kept += b", "kept.pow(2).sum()", None),
        ("kept = h.detach(); kept += b.detach()", "h.pow(2).sum()", None),
        ("h.data.add_(1)", "h.pow(2).sum()", None),
        ("b.data.mul_(0.9).add_(0.1 * w)", "h.pow(2).sum()", None),
        ("kept = h.detach()", "h.pow(2).sum()", None),
    ],
)
@pytest.mark.whole(every=4)
async def test_a_history_that_no_backward_can_go_through_leaves_a_doubt(
    worker: Worker, write: str, loss: str, line: int | None
) -> None:
    """In the first six the loss depends on what was written, and no gradient says so."""
    truth = await told(worker, PUT_AWAY.format(write=write, loss=loss))

    if line is None:
        assert truth == Right()
    else:
        assert isinstance(truth, NotReproducible)
        assert truth.line == line
        assert truth.reason is (Reason.CUT_UPDATE if "create_graph" in write else Reason.UNREACHED)


IN_THREADS = """\
import threading
import torch
a = torch.tensor([1., 2.], requires_grad=True)
made, written = threading.Event(), threading.Event()
box = []
def make():
    box.append(a.exp())
def write():
    {write}
def run():
    box[0].sum().backward()
def all_of_it():
    make(); write(); run()
class Own(threading.Thread):
    def run(self):
        make()
        made.set()
        written.wait()
        run()
def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
{calls}
"""


@pytest.mark.parametrize(
    "calls",
    [
        "in_thread(make); write(); run()",
        "make(); in_thread(write); run()",
        "make(); write(); in_thread(run)",
        "in_thread(all_of_it)",
        "own = Own(); own.start(); made.wait(); write(); written.set(); own.join()",
        "from concurrent.futures import ThreadPoolExecutor as Pool\n"
        "with Pool(1) as pool: pool.submit(all_of_it)",
    ],
)
@pytest.mark.whole(every=4)
async def test_a_graph_of_a_thread_is_judged_as_one_of_the_main_thread(
    worker: Worker, calls: str
) -> None:
    wrong = await told(worker, IN_THREADS.format(write="box[0].data.mul_(2)", calls=calls))
    right = await told(worker, IN_THREADS.format(write="pass", calls=calls))

    assert right == Right()
    assert isinstance(wrong, Wrong)
    exact = [math.exp(1), math.exp(2)]
    assert numbers(wrong.differences[0].true) == pytest.approx(exact, rel=1e-4)
    assert numbers(wrong.differences[0].got) == pytest.approx([2 * e for e in exact], rel=1e-4)


INNER = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 1)
x, y = torch.randn(4, 2), torch.randn(4, 1)
opt, adam = (each(net.parameters(), lr=0.1) for each in (torch.optim.SGD, torch.optim.Adam))
def loss(w=net.weight):
    return ((nn.functional.linear(x, w, net.bias) - y) ** 2).mean()
def inner(steps=1):
    for _ in range(steps):
        g, = torch.autograd.grad(loss(), net.weight, create_graph=True)
        {update}
{then}
"""


@pytest.mark.parametrize(
    ("update", "then", "line"),
    [
        ("net.weight.data -= 0.1 * g.data", "inner(); loss().backward()", 11),
        ("net.weight.data.sub_(g.detach(), alpha=0.1)", "inner(3); loss().backward()", 11),
        ("with torch.no_grad(): net.weight -= 0.1 * g", "inner(); loss().backward()", 11),
        (
            "net.weight.grad = g; opt.step(); net.weight.grad = None",
            "inner(); torch.autograd.grad(loss(), net.weight)",
            11,
        ),
        (
            "pass",
            "loss().backward(create_graph=True)\nopt.step(); opt.zero_grad()\nloss().backward()",
            13,
        ),
        (
            "net.weight.grad = g; adam.step(); net.weight.grad = None",
            "inner(3); torch.autograd.grad(loss(), net.weight)",
            11,
        ),
        (
            "b, = torch.autograd.grad(loss(), net.bias, create_graph=True); "
            "net.bias.data -= 0.05 * b.detach()",
            "inner(2); loss().backward()",
            12,
        ),
        # Near misses: plain descent, the graph is used, nothing moved, moved by another gradient,
        # a first-order update that says so, and one that is part of the loss.
        ("with torch.no_grad(): net.weight -= 0.1 * g", "inner(3)", None),
        ("g.norm().backward(); opt.step()", "inner(3); loss().backward()", None),
        ("print(g.norm().item())", "inner(3); loss().backward()", None),
        ("loss().backward(); opt.step(); opt.zero_grad()", "inner(3); loss().backward()", None),
        ("pass", "inner(); net.weight.data.clamp_(-0.1, 0.1); loss().backward()", None),
        ("pass", "inner(); net.weight.data.sub_(0.1); loss().backward()", None),
        (
            "torch.autograd.grad(loss(), net.bias, create_graph=True)",
            "inner(); net.bias.data.clamp_(-0.01, 0.01); loss().backward()",
            None,
        ),
        ("net.weight.grad = g; adam.step(); net.weight.grad = None", "inner(3)", None),
        (
            "g, = torch.autograd.grad(loss(), net.weight); net.weight.data -= 0.1 * g",
            "inner(); loss().backward()",
            None,
        ),
        ("loss(net.weight - 0.1 * g).backward()", "inner(); opt.step()", None),
        ("(loss() * (1 + g.detach().norm())).backward(); opt.step()", "inner(3)", None),
    ],
)
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.whole(every=6)
async def test_an_update_that_cuts_a_gradient_whose_graph_was_asked_for_leaves_a_doubt(
    worker: Worker, update: str, then: str, line: int | None
) -> None:
    """Out of place the gradient would be another one: by the weight before the update."""
    truth = await told(worker, INNER.format(update=update, then=then))

    if line is None:
        assert isinstance(truth, Right)
    else:
        assert isinstance(truth, NotReproducible)
        assert (truth.reason, truth.line) == (Reason.CUT_UPDATE, line)
        moved = ["net.bias"] if "b.detach" in update or line == 13 else []
        assert truth.detail == ", ".join(moved + ["net.weight"] * ("b.detach" not in update))
        assert truth.backward is not None


@pytest.mark.parametrize("reentrant", [True, False])
async def test_a_checkpoint_that_reads_something_else_in_backward_is_wrong(
    worker: Worker, reentrant: bool
) -> None:
    source = CHECKPOINT.format(reentrant=reentrant, write="w.data.zero_()")

    truth = await told(worker, source)

    assert isinstance(truth, Wrong)
    differences = {difference.tensor: difference for difference in truth.differences}
    assert numbers(differences["x"].got) == [0, 0]
    # The derivative of exp(w * x) is w * exp(w * x), at the w of then.
    assert numbers(differences["x"].true) == pytest.approx(
        [5 * math.exp(5), -3 * math.exp(-6)], rel=1e-3
    )


@pytest.mark.parametrize("name", UNRECORDED)
@pytest.mark.whole(every=4)
async def test_a_logical_operation_in_place_lets_no_gradient_through(
    worker: Worker, name: str
) -> None:
    other = "" if name == "logical_not_" else "torch.tensor([1., 0.])"
    source = "import torch\na = torch.tensor([0.5, 2.], requires_grad=True)\nx = a * 1\n"
    source += f"x.{name}({other})\n(x * 3).sum().backward()\n"

    truth = await told(worker, source)

    assert isinstance(truth, Wrong)
    assert numbers(truth.differences[0].true) == by_differences(source) == [0, 0]
    assert [(each.line, each.op) for each in truth.unrecorded] == [(4, f"Tensor.{name}")]


async def test_no_other_operation_in_place_is_left_out_of_the_graph() -> None:
    """Torch itself says which: those whose `grad_fn` stays though the values changed."""
    left_out = set()
    for name in dir(torch.Tensor):
        if not name.endswith("_") or name.startswith("_"):
            continue
        for args in ([], [torch.tensor([0.25, 0.5])], [2.0], [2], [0, torch.tensor([0]), 3.0]):
            x = torch.tensor([0.5, 0.75], requires_grad=True) * 1
            before = x.tolist()
            grad_fn = x.grad_fn
            try:
                getattr(x, name)(*args)
                after = x.tolist()
            except (RuntimeError, TypeError, IndexError, NotImplementedError, ValueError):
                continue
            if x.requires_grad and x.grad_fn is grad_fn and before != after:
                left_out.add(name)

    assert left_out - {"set_", "resize_", "resize_as_"} == set(UNRECORDED)


@pytest.mark.parametrize(
    ("parameters", "body", "setup"),
    [
        ("ctx, x", "x.mul_(2)", ""),
        ("ctx, x", "ctx.save_for_backward(x); x.exp_()", ""),
        ("x", "x.mul_(x)", "@staticmethod\n    def setup_context(ctx, inputs, output): pass"),
    ],
)
@pytest.mark.parametrize("made", ["a * 1", "(a * 1)[:]"])
@pytest.mark.whole(every=4)
async def test_a_forgotten_mark_dirty_is_found_where_the_input_is_used(
    worker: Worker, parameters: str, body: str, setup: str, made: str
) -> None:
    source = FORGOTTEN.format(
        parameters=parameters, body=body, setup=setup, made=made, loss="x * 3"
    )

    truth = await told(worker, source)

    assert isinstance(truth, Wrong)
    assert numbers(truth.differences[0].true) == pytest.approx(by_differences(source), rel=1e-3)
    assert [(each.op, each.in_function) for each in truth.unrecorded] == [("Double", True)]


async def test_a_forgotten_mark_dirty_that_no_gradient_passes_is_right(worker: Worker) -> None:
    source = FORGOTTEN.format(
        parameters="ctx, x", body="x.mul_(2)", setup="", made="a * 1", loss="y"
    )

    assert await told(worker, source) == Right()


async def test_what_forward_can_not_repeat_is_a_doubt(worker: Worker) -> None:
    source = FORGOTTEN.format(
        parameters="ctx, x", body="x.uniform_()", setup="", made="a * 1", loss="x * 3"
    )

    assert await told(worker, source) == NotReproducible(reason=Reason.NOT_MARKED, detail="Double")


@pytest.mark.parametrize(
    "write",
    [
        "x.unfold(0, 2, 1).mul_(2)",
        "x.unfold(0, 2, 1).mul_(torch.tensor([2., 3.]))",
        "w = x.unfold(0, 2, 1)\nw *= 3",
        "x.as_strided((3, 2), (1, 1)).div_(4)",
        "x.unfold(0, 3, 1).sin_()",
    ],
)
@pytest.mark.whole(every=4)
async def test_a_write_to_overlapping_windows_is_differentiated_as_it_was_executed(
    worker: Worker, write: str
) -> None:
    source = WINDOWS.format(write=write)

    truth = await told(worker, source)

    assert isinstance(truth, Wrong)
    assert numbers(truth.differences[0].true) == pytest.approx(by_differences(source), rel=1e-3)


@pytest.mark.parametrize(
    "write",
    [
        "x.unfold(0, 2, 1).add_(1)",
        "x.unfold(0, 2, 2).mul_(2)",
        "x.unfold(0, 2, 1).sum()",
        "x.view(2, 2).t().mul_(2)",
    ],
)
@pytest.mark.whole(every=4)
async def test_windows_that_do_no_harm_are_right(worker: Worker, write: str) -> None:
    assert await told(worker, WINDOWS.format(write=write)) == Right()


@pytest.mark.parametrize(
    ("size", "stride", "expected"),
    [
        ((3, 2), (1, 1), True),
        ((2, 2), (2, 1), False),
        ((2, 2), (1, 2), False),
        ((2, 3), (2, 1), True),
        ((3, 1), (1, 7), False),
        ((0, 2), (1, 1), False),
        ((), (), False),
        ((2, 2), (1, 3), False),
    ],
)
async def test_overlap_is_what_counting_the_cells_says(
    size: tuple[int, ...], stride: tuple[int, ...], expected: bool
) -> None:
    tensor = torch.arange(12.0).as_strided(size, stride)

    assert overlaps(tensor) is expected
    assert (len(set(tensor.flatten().tolist())) < tensor.numel()) is expected
