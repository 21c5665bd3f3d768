"""What is read from a graph written by hand."""

from __future__ import annotations

import struct
import sys

import pytest

from inplace_tui.common.run.snapshot import (
    Edge,
    Node,
    Saved,
    SlotState,
    Storage,
    Tensor,
    Unreadable,
    ViewOrigin,
)
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.forecast.forecast import (
    Forecast,
    NotNeeded,
    Raises,
    Runs,
    RunsWrong,
    StepForecasts,
    Unknown,
    UnknownReason,
)
from support.views import floats, step, storage, tensor, timeline

X = tensor(1, "x", requires_grad=True)
Y = tensor(2, "y", requires_grad=True, is_leaf=False, grad_fn=2)
LEAF = Node(id=1, name="AccumulateGrad", leaf=1)
EXP = Node(id=2, name="ExpBackward0", line=2, step=1, inputs=(Edge(1),), order=1)
RESULT = Saved(
    node=2, slot="result", tensor=2, storage=2, shape=(3,), dtype="float32", version=0, now=0,
    is_output=True,
)  # fmt: skip


def made(
    *after: Step,
    node: Node = EXP,
    saved: tuple[Saved, ...] = (RESULT,),
    y: Tensor = Y,
    **fields: object,
) -> Timeline:
    """Return the timeline of `x = …; y = x.exp()`, and what came after."""
    second = step(
        1, 2, tensors=(y,), storages=(storage(2, 2.0, 3.0, 4.0),), nodes=(LEAF, node), saved=saved,
        **fields,
    )  # fmt: skip
    return timeline(step(0, 1, tensors=(X,), storages=(storage(1, 1, 2, 3),)), second, *after)


def last(found: Timeline, number: int = 2) -> Forecast:
    return StepForecasts(found, len(found) - 1).of(number)


def test_a_fresh_graph_runs() -> None:
    assert last(made()) == Runs()


def test_a_leaf_and_a_tensor_without_a_graph_need_no_forecast() -> None:
    plain = timeline(step(0, 1, tensors=(X, tensor(3, "c")), storages=(storage(1, 1, 2, 3),)))

    assert StepForecasts(plain, 0).of(1) == NotNeeded(leaf=True)
    assert StepForecasts(plain, 0).of(3) == NotNeeded(leaf=False)


def state(**changes: object) -> Step:
    given = {name: getattr(RESULT, name) for name in RESULT.__struct_fields__}
    return step(2, 3, saved=(Saved(**{**given, **changes}),))


@pytest.mark.parametrize(
    ("changes", "verdict", "now"),
    [
        ({"state": SlotState.STALE, "now": 2}, Verdict.SAVED_TENSOR_MODIFIED, 2),
        ({"state": SlotState.STALE}, Verdict.SAVED_TENSOR_DETACHED, 0),
        ({"state": SlotState.FREED, "now": None}, Verdict.GRAPH_FREED, None),
    ],
)
def test_a_slot_that_torch_refuses_raises(
    changes: dict[str, object], verdict: Verdict, now: int | None
) -> None:
    assert last(made(state(**changes))) == Raises(verdict, 2, "result", 0, now)


@pytest.mark.parametrize(
    ("origin", "verdict"),
    [
        (ViewOrigin.MULTI_OUTPUT, Verdict.MULTI_VIEW_MODIFIED),
        (ViewOrigin.NO_GRAD, Verdict.NO_GRAD_VIEW_MODIFIED),
        (ViewOrigin.INFERENCE, Verdict.INFERENCE_VIEW_MODIFIED),
        (ViewOrigin.CUSTOM, Verdict.CUSTOM_VIEW_MODIFIED),
    ],
)
def test_a_view_that_torch_will_not_use_is_refused_before_versions_are_compared(
    origin: ViewOrigin, verdict: Verdict
) -> None:
    stale = state(state=SlotState.STALE, now=1, origin=origin)

    assert last(made(stale)) == Raises(verdict, 2, "result", 0, 1)


def test_a_view_of_a_base_that_may_require_grad_by_now_is_left_open() -> None:
    """Once its base does, torch refuses the view; before, it speaks of versions."""
    changes = {"state": SlotState.STALE, "now": 1, "origin": ViewOrigin.GRADLESS}
    elsewhere = {**changes, "storage": 9}

    assert last(made(state(**changes))) == Unknown(UnknownReason.VIEW, 2, "result")
    assert last(made(state(**elsewhere))) == Raises(
        Verdict.SAVED_TENSOR_MODIFIED, 2, "result", 0, 1
    )


def test_what_only_other_tensors_need_is_no_matter() -> None:
    other = Node(id=3, name="MulBackward0", line=3, step=2, inputs=(Edge(1),), order=2)
    z = tensor(3, "z", requires_grad=True, is_leaf=False, grad_fn=3)
    more = step(2, 3, tensors=(z,), storages=(storage(3, 0, 0, 0),), nodes=(other,))
    stale = state(state=SlotState.STALE, now=1)
    stale = Step(
        **{**{f: getattr(stale, f) for f in stale.__struct_fields__}, "index": 3, "began": 3}
    )

    assert last(made(more, stale), 3) == Runs()


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (Node(id=2, name="CopySlices", line=2, step=1, order=1, opaque=True), UnknownReason.HIDDEN),
        (Node(id=2, name="DoubleBackward", line=2, step=1, order=1), UnknownReason.CUSTOM),
        (Node(id=2, name="LinalgQrBackward0", line=2, step=1, order=1), UnknownReason.RARE),
        (Node(id=2, name="IgammaBackward0", line=2, step=1, order=1), UnknownReason.RARE),
        (Node(id=2, name="ExpBackward0", line=2, step=1, order=1, inputs=(Edge(9),)),
         UnknownReason.UNRECORDED),
    ],
)  # fmt: skip
def test_a_node_that_can_not_be_looked_into_leaves_it_open(node: Node, why: UnknownReason) -> None:
    assert last(made(node=node, saved=())) == Unknown(why, 2)


@pytest.mark.parametrize("name", ["AcoshBackward1", "GeqrfBackward0", "NotImplemented"])
def test_a_node_without_a_derivative_raises(name: str) -> None:
    node = Node(id=2, name=name, line=2, step=1, order=1)

    assert last(made(node=node, saved=())) == Raises(Verdict.NO_DERIVATIVE, 2)


def test_a_failure_behind_such_a_node_is_still_a_failure() -> None:
    """What is hidden may raise before it; not raise at all it can't."""
    slices = Node(id=3, name="CopySlices", line=3, step=2, inputs=(Edge(2),), order=2, opaque=True)
    z = tensor(3, "z", requires_grad=True, is_leaf=False, grad_fn=3)
    more = step(
        2, 3, tensors=(z,), storages=(storage(3, 0, 0, 0),), nodes=(slices,),
        saved=state(state=SlotState.STALE, now=1).saved,
    )  # fmt: skip

    assert last(made(more), 3) == Raises(
        Verdict.SAVED_TENSOR_MODIFIED, 2, "result", 0, 1, first=False
    )
    assert last(made(more), 2) == Raises(Verdict.SAVED_TENSOR_MODIFIED, 2, "result", 0, 1)


def test_memory_that_changed_unseen_makes_it_wrong_where_every_element_counts() -> None:
    write = Mutation(line=3, op=None, tensor=2, storage=2)
    changed = step(2, 3, storages=(storage(2, 3.0, 4.0, 5.0),), events=(write,))

    assert last(made(changed)) == RunsWrong(2, "result")


def test_and_where_it_need_not_count_it_is_left_open() -> None:
    relu = Node(id=2, name="ReluBackward0", line=2, step=1, inputs=(Edge(1),), order=1)
    changed = step(2, 3, storages=(storage(2, 3.0, 4.0, 5.0),))

    assert last(made(changed, node=relu)) == Unknown(UnknownReason.CHANGED, 2, "result")


def test_a_large_storage_is_left_open() -> None:
    large = step(2, 3, storages=(Storage(id=2, nbytes=100_000),))

    assert last(made(large)) == Unknown(UnknownReason.LARGE, 2, "result")


def test_a_line_that_may_write_unseen_is_not_trusted_with_what_it_saved() -> None:
    assert last(made(hides=True)) == Unknown(UnknownReason.UNSEEN, 2, "result")


def test_but_with_what_was_there_before_it() -> None:
    kept = Saved(node=2, slot="self", tensor=1, storage=1, shape=(3,), version=0, now=0)
    sine = Node(id=2, name="SinBackward0", line=2, step=1, inputs=(Edge(1),), order=1)

    assert last(made(hides=True, node=sine, saved=(kept,))) == Runs()


def test_a_gradient_that_was_saved_is_written_by_backward_itself() -> None:
    grad = tensor(4, "x.grad", storage=2)
    filled = step(2, 3, tensors=(tensor(1, "x", requires_grad=True, grad=4), grad))

    assert last(made(filled)) == Unknown(UnknownReason.GRADIENT, 2, "result")


def test_a_gradient_of_another_shape_leaves_it_open() -> None:
    grad = tensor(4, "x.grad", storage=4, shape=(2,))
    odd = step(
        2, 3, tensors=(tensor(1, "x", requires_grad=True, grad=4), grad),
        storages=(storage(4, 0, 0),),
    )  # fmt: skip

    assert last(made(odd)) == Unknown(UnknownReason.GRADIENT, 1)


def test_hooks_and_modes_leave_all_of_it_open() -> None:
    assert last(made(unpredictable=True)) == Unknown(UnknownReason.PROGRAM)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"grad_fn": Unreadable("outdated")}, Unknown(UnknownReason.VIEW)),
        ({"layout": "sparse_coo"}, Unknown(UnknownReason.TENSOR)),
        ({"device": "meta"}, Unknown(UnknownReason.TENSOR)),
        ({"dtype": "float16"}, Unknown(UnknownReason.TENSOR)),
        ({"is_subclass": True}, Unknown(UnknownReason.TENSOR)),
        ({"dtype": "complex64"}, Raises(Verdict.NOT_A_SCALAR)),
    ],
)
def test_unusual_tensors(fields: dict[str, object], told: Forecast) -> None:
    given = {name: getattr(Y, name) for name in Y.__struct_fields__}

    assert last(made(y=Tensor(**{**given, **fields}))) == told


def test_thirty_tensors_on_a_graph_of_two_thousand_nodes_are_read_in_one_go() -> None:
    """Counted in calls, of which no machine makes more than another."""
    nodes, saved, storages, tensors = [LEAF], [], [], []
    for number in range(2, 2_002):
        below = (Edge(number - 1),)
        nodes.append(
            Node(id=number, name="ExpBackward0", line=2, step=1, inputs=below, order=number)
        )
        saved.append(
            Saved(node=number, slot="result", storage=2, shape=(3,), version=0, now=0,
                  state=SlotState.STALE if number % 3 == 0 else SlotState.FRESH)
        )  # fmt: skip
        if number % 66 == 0:
            tensors.append(
                tensor(number, f"t{number}", requires_grad=True, is_leaf=False, grad_fn=number)
            )
    storages.append(Storage(id=2, nbytes=12, data=floats(1, 2, 3)))
    long = timeline(
        step(0, 1, tensors=(X,), storages=(storage(1, 1, 2, 3),)),
        step(1, 2, tensors=tuple(tensors), storages=tuple(storages), nodes=tuple(nodes),
             saved=tuple(saved)),
    )  # fmt: skip

    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        reading = StepForecasts(long, 1)
        told = [reading.of(row.id) for row in tensors]
    finally:
        sys.setprofile(None)

    assert len(told) == 30
    assert all(isinstance(each, Raises) and each.first for each in told)
    assert calls < 50 * len(nodes), calls


def test_numbers_are_read_as_torch_wrote_them() -> None:
    """A float64 storage is not mistaken for a float32 one of twice the elements."""
    kept = Saved(node=2, slot="result", storage=2, shape=(3,), dtype="float64", version=0, now=0)
    y = tensor(2, "y", requires_grad=True, is_leaf=False, grad_fn=2, dtype="float64")
    data = struct.pack("<3d", 2, 3, 4)
    start = made(saved=(kept,), y=y)
    start.append(step(2, 3, storages=(Storage(id=2, nbytes=24, data=data),)))

    assert last(start) == Unknown(UnknownReason.CHANGED, 2, "result")


def test_a_graph_of_more_nodes_than_are_gone_through_has_no_forecast() -> None:
    found = made()
    refused = StepForecasts(found, 1, most=1)
    read = StepForecasts(found, 1, most=2)

    assert (refused.of(2), refused.refused, refused.walked) == (
        Unknown(UnknownReason.DEEP), True, 0
    )  # fmt: skip
    assert (read.of(2), read.refused, read.walked) == (Runs(), False, 2)
