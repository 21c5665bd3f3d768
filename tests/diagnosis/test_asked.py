"""What is read of torch through Python alone, against what is read in its memory and torch itself.

It may say less, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.outcome import Completed, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.snapshot import NOT_ASKED, Node, Saved, Snapshot, Tensor
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.system import PORTABLE
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record as recorded_by
from inplace_tui.diagnosis.drive.runs import verify
from inplace_tui.diagnosis.record import choosing, readings
from inplace_tui.diagnosis.record.torch_asked import AskedReadings
from inplace_tui.diagnosis.record.torch_memory import Layout, measure
from inplace_tui.diagnosis.runner.worker import Worker
from support.catalogue import PROGRAMS, Known
from support.provoking import ALL, Provoking
from support.recording import Recorded, bare, in_child, record

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELDS = ("counter", "version", "meta", "attr_version", "saved_version", "memory", "nbytes")


# Which readings are chosen.


def chosen() -> type:
    choosing.choose()
    return type(readings.readings())


@pytest.mark.skipif(PORTABLE, reason="its memory is read on Linux alone")
async def test_memory_is_read_where_python_says_the_same() -> None:
    assert in_child(chosen) is Layout


async def test_where_nothing_of_linux_is_used_memory_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choosing, "PORTABLE", True)

    assert in_child(chosen) is AskedReadings


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("apart", [-8, 4, 8, 16])
@pytest.mark.whole(every=4)
async def test_a_build_with_another_offset_is_read_through_python(
    monkeypatch: pytest.MonkeyPatch, field: str, apart: int
) -> None:
    """Where it is looked for may be no object: the process that looks may die of that."""
    known = measure()
    other = replace(known, **{field: getattr(known, field) + apart})
    monkeypatch.setattr(choosing, "measure", lambda: other)

    assert in_child(chosen) is AskedReadings


async def test_where_no_object_has_a_known_size_memory_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inplace_tui.diagnosis.record.torch_memory.CDLL", lambda _: object())
    monkeypatch.setattr("inplace_tui.diagnosis.record.torch_memory._known", None)

    assert in_child(chosen) is AskedReadings


# What a recording says.


def same_place(node: Node) -> object:
    """Return what tells a node from others, however many are known."""
    return ("leaf", node.leaf) if node.fills_grad else node.order


def known_of(tensor: Tensor, snapshot: Snapshot) -> dict[str, object]:
    """Return all of a tensor but where it lies, with its node as others would find it."""
    row = {name: getattr(tensor, name) for name in tensor.__struct_fields__ if name != "data_ptr"}
    node = snapshot.nodes.get(tensor.grad_fn) if isinstance(tensor.grad_fn, int) else None
    return row | ({} if node is None else {"grad_fn": same_place(node)})


def differences(exact: Recorded, asked: Recorded) -> list[object]:
    """Return what the second says, and the first says otherwise."""
    found: list[object] = []
    for one, other in zip(exact.steps, asked.steps, strict=True):
        if one.events != other.events:
            found.append((one.line, one.events, other.events))
        before, after = exact.timeline.at(one.index), asked.timeline.at(one.index)
        found += [(one.line, *each) for each in otherwise(before, after)]
    return found


def otherwise(before: Snapshot, after: Snapshot) -> Iterator[tuple[object, ...]]:
    for id_, tensor in before.tensors.items():
        row, other = known_of(tensor, before), known_of(after.tensors[id_], after)
        if other["grad_fn"] == NOT_ASKED:
            row |= {"grad_fn": NOT_ASKED, "is_leaf": NOT_ASKED}
        if row != other:
            yield tensor.names, row, other
    nodes = {same_place(node): node for node in before.nodes.values()}
    for node in after.nodes.values():
        known = nodes.get(same_place(node))
        if known is None or (known.name, known.line) != (node.name, node.line):
            yield known, node
            continue
        for (id_, slot), saved in after.saved.items():
            if id_ == node.id:
                told = before.saved[known.id, slot]
                if saved.version is not None and said_of(told) != said_of(saved):
                    yield told, saved


def said_of(saved: Saved) -> object:
    return saved.tensor, saved.storage, saved.shape, saved.version, saved.now, saved.state


@pytest.mark.parametrize("known", PROGRAMS, ids=lambda known: known.id)
@pytest.mark.whole(every=50)
async def test_a_program_ends_as_it_does_alone_and_nothing_else_is_said_of_it(known: Known) -> None:
    measure()  # here, else each run makes its own nodes for that, and one more than the other
    source = f"import torch\ntorch.set_default_dtype(torch.float32)\n{known.source}"
    exact, asked, alone = record(source), record(source, by=AskedReadings), bare(source)

    assert asked.faults == ()
    if exact.ending == alone:  # else its memory is nobody's
        assert asked.ending == alone
        assert differences(exact, asked) == []


# Blame.


async def blame(worker: Worker, source: str) -> tuple[Timeline, Blame | None]:
    program = Program(source=source, origin=Origin.OWN)
    timeline = await recorded_by(worker, program, Limits())
    good = isinstance(timeline.outcome, Completed)
    truth = await verify(worker, program, Limits()) if good else Unverified()
    return timeline, find_blame(timeline, truth, source=source)


@pytest.mark.parametrize("provoking", ALL, ids=lambda each: each.name)
@pytest.mark.whole(every=80)
async def test_blame_is_the_same_or_less(
    worker: Worker, asked: Worker, provoking: Provoking
) -> None:
    (_, exact), (timeline, found) = [
        await blame(each, provoking.program) for each in (worker, asked)
    ]

    assert timeline.faults == ()
    assert found in (exact, None)


async def test_a_tensor_is_let_go_of_while_it_is_swapped() -> None:
    source = "import torch\na = torch.ones(2)\nb = torch.zeros(3)\n"
    source += "torch.utils.swap_tensors(a, b)\na.add_(1)\nb.mul_(2)\n"
    exact, asked = record(source), record(source, by=AskedReadings)

    assert (asked.faults, asked.ending) == ((), bare(source))
    assert differences(exact, asked) == []


async def test_beside_a_thread_nothing_moves_a_version() -> None:
    """Views are still known to share a counter; of a `detach()` it is seen when both move."""
    source = "import threading, time, torch\nt = threading.Thread(target=time.sleep, args=(9,), "
    source += "daemon=True)\nt.start()\nx = torch.ones(3)\nv = x[:2]\nd = x.detach()\n"
    asked = record(f"{source}v.add_(1)\n", by=AskedReadings)

    assert asked.faults == ()
    assert {asked.tensor(name, 7).version for name in "xvd"} == {1}
    assert sorted(each.tensor for each in asked.mutations(7) if each.tensor) == [2, 3]


async def test_no_tensor_and_no_memory_is_kept() -> None:
    source = "import gc, torch, weakref\nx = torch.ones(1000)\nd = x.detach()\n"
    source += "w = weakref.ref(x)\ns = x.untyped_storage()._weak_ref()\ndel x, d\n"
    source += "print(w() is None, torch.UntypedStorage._expired(s))\n"

    assert record(source, by=AskedReadings).ending.printed == "True True\n"
    assert torch.is_grad_enabled()
