"""What is blamed where the timeline shows less than everything. Real runs are in tests/worker."""

from __future__ import annotations

import msgspec
import pytest

from inplace_tui.common.blame import Blame, Saver, SilentCause
from inplace_tui.common.run.outcome import (
    Completed,
    Difference,
    Outcome,
    Raised,
    Right,
    TimedOut,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState, Storage, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import SpelledWrite, gradients_read_on, writes_on
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import caught_error
from inplace_tui.diagnosis.blame.find_blame import find_blame

STALE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 2; "
    "expected version 1 instead. Hint: none"
)
Y = Tensor(id=2, names=("y",), shape=(2,), stride=(1,), dtype="float32", storage=5)
WRITE = Mutation(line=3, op="Tensor.add_", tensor=2, storage=5, before=1, after=2)
NODE = Node(id=7, name="ExpBackward0", line=2, step=1)
SLOT = Saved(
    node=7, slot="result", tensor=2, storage=5, shape=(2,), dtype="float32",
    version=1, now=1, is_output=True,
)  # fmt: skip
GONE_STALE = msgspec.structs.replace(SLOT, now=2, state=SlotState.STALE)
SAVER = Saver(line=2, node="ExpBackward0", slot="result", version=1, is_output=True, tensor="y")


def step(index: int, line: int, **rest: object) -> Step:
    plain = Step(index=index, line=line, end_line=line, began=index)
    return msgspec.structs.replace(plain, **rest)


def run(outcome: Outcome, *steps: Step) -> Timeline:
    timeline = Timeline()
    for each in steps:
        timeline.append(each)
    timeline.outcome = outcome
    return timeline


def raised(message: str, line: int = 4, kind: str = "RuntimeError") -> Raised:
    return Raised(exception=kind, message=message, line=line, in_backward=True)


def failing(*steps: Step) -> Timeline:
    error = f"RuntimeError: {STALE}"
    return run(raised(STALE), *steps, step(len(steps), 4, raised=error, in_backward=True))


@pytest.mark.parametrize("outcome", [Completed(), TimedOut(seconds=1.0, line=2)])
def test_where_nothing_went_wrong_nobody_is_to_blame(outcome: Outcome) -> None:
    assert find_blame(run(outcome, step(0, 1)), Right()) is None


def test_the_stale_slot_and_the_first_write_after_it_are_named() -> None:
    early = msgspec.structs.replace(WRITE, before=0, after=1)
    timeline = failing(
        step(0, 1, events=(early,), tensors=(Y,)),
        step(1, 2, nodes=(NODE,), saved=(SLOT,)),
        step(2, 3, events=(WRITE,), saved=(GONE_STALE,)),
    )

    assert find_blame(timeline, Unverified()) == Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED, tensor="y", saver=SAVER, writes=(WRITE,), reader=4
    )


def test_a_write_that_left_no_event_is_found_by_the_version_it_moved() -> None:
    timeline = failing(
        step(0, 1, tensors=(Y,)),
        step(1, 2, nodes=(NODE,), saved=(SLOT,)),
        step(2, 3, saved=(GONE_STALE,)),
    )

    found = find_blame(timeline, Unverified())

    assert found is not None
    assert found.writes == (Mutation(line=3, tensor=2, storage=5, before=1, after=2),)


def test_where_the_slot_is_hidden_the_versions_tell_who_wrote_and_nobody_is_guessed() -> None:
    other = msgspec.structs.replace(WRITE, storage=9, before=0, after=1)
    timeline = failing(step(0, 1, tensors=(Y,)), step(1, 3, events=(other, WRITE)))

    assert find_blame(timeline, Unverified()) == Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED, tensor="y", writes=(WRITE,), reader=4
    )


def test_where_two_storages_fit_the_versions_neither_is_blamed() -> None:
    other = msgspec.structs.replace(WRITE, storage=9)
    timeline = failing(step(0, 1, tensors=(Y,)), step(1, 3, events=(other, WRITE)))

    assert find_blame(timeline, Unverified()) == Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED, reader=4
    )


def test_of_two_stale_slots_made_by_one_line_the_one_nearer_the_loss_is_met_first() -> None:
    """`z = x.exp().tanh()`: tanh needs exp, so backward comes to tanh first."""
    inner = msgspec.structs.replace(GONE_STALE, node=8)
    tanh = Node(id=7, name="TanhBackward0", line=2, step=1, inputs=(Edge(8),), order=2)
    exp = Node(id=8, name="ExpBackward0", line=2, step=1, order=1)
    timeline = failing(
        step(0, 1, tensors=(Y,)), step(1, 2, nodes=(exp, tanh), saved=(inner, GONE_STALE))
    )

    found = find_blame(timeline, Unverified())

    assert found is not None
    assert found.saver is not None
    assert found.saver.node == "TanhBackward0"


def test_only_the_graph_of_this_backward_is_searched_where_it_is_known() -> None:
    other = msgspec.structs.replace(GONE_STALE, node=8)
    loss = Tensor(id=3, names=("loss",), shape=(), dtype="float32", grad_fn=7)
    timeline = failing(
        step(0, 1, tensors=(Y,)),
        step(1, 2, nodes=(NODE,), saved=(GONE_STALE,), tensors=(loss,)),
        step(2, 3, nodes=(Node(id=8, name="Later", line=3, step=2),), saved=(other,)),
    )

    found = find_blame(timeline, Unverified(), source="1\n2\n3\nloss.backward()\n")

    assert found is not None
    assert found.saver == SAVER


def silent(*steps: Step) -> Blame | None:
    wrong = Wrong(differences=(Difference(tensor="x", line=4, got="0.", true="1."),))
    return find_blame(run(Completed(), *steps, step(len(steps), 4)), wrong)


def holding(data: bytes) -> tuple[Storage, ...]:
    return (Storage(id=5, nbytes=8, data=data),)


def test_memory_that_changed_without_a_version_is_blamed_on_the_step_that_changed_it() -> None:
    saving = step(1, 2, nodes=(NODE,), saved=(SLOT,), tensors=(Y,), storages=holding(b"a" * 8))

    found = silent(step(0, 1), saving, step(2, 3, storages=holding(b"b" * 8)))

    assert found == Blame(
        verdict=Verdict.SILENTLY_WRONG,
        tensor="y",
        saver=SAVER,
        writes=(Mutation(line=3, tensor=2, storage=5),),
        reader=4,
        cause=SilentCause.UNSEEN,
    )


def test_a_write_beside_the_saved_elements_is_not_the_one() -> None:
    half = msgspec.structs.replace(Y, shape=(1,))
    slot = msgspec.structs.replace(SLOT, shape=(1,))
    beside = Mutation(line=8, storage=5)
    hit = Mutation(line=9, storage=5)
    saving = step(
        1, 2, nodes=(NODE,), saved=(slot,), tensors=(half,), storages=holding(b"aaaabbbb")
    )

    found = silent(
        step(0, 1),
        saving,
        step(2, 8, events=(beside,), storages=holding(b"aaaacccc")),
        step(3, 9, events=(hit,), storages=holding(b"ddddcccc")),
    )

    assert found is not None
    assert found.writes == (hit,)


def test_memory_too_large_to_keep_is_blamed_on_a_write_that_no_version_saw() -> None:
    unseen = Mutation(line=3, op="Tensor.zero_", storage=5)
    saving = step(1, 2, nodes=(NODE,), saved=(SLOT,), storages=(Storage(id=5, nbytes=10**6),))

    found = silent(step(0, 1), saving, step(2, 3, events=(unseen,)))

    assert found is not None
    assert found.writes == (unseen,)


def test_where_no_memory_changed_only_the_leaf_and_the_line_are_named() -> None:
    assert silent(step(0, 1)) == Blame(verdict=Verdict.SILENTLY_WRONG, tensor="x", reader=4)


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("w += 1", [SpelledWrite("w", "Tensor.add_")]),
        ("self.w[0] **= 2", [SpelledWrite("self.w", "Tensor.pow_")]),
        ("w[0][1] = 3", [SpelledWrite("w", "Tensor.__setitem__")]),
        (
            "w.add_(1).mul_(2)",
            [SpelledWrite("w.add_(1)", "Tensor.mul_"), SpelledWrite("w", "Tensor.add_")],
        ),
        ("w = w.add(1)", []),
        ("w.__len__()", []),
        ("f(", []),
    ],
)
def test_the_writes_that_a_line_spells_out(line: str, writes: list[SpelledWrite]) -> None:
    assert writes_on(f"import torch\n{line}\n", 2) == writes


def test_a_write_inside_a_compound_statement_belongs_to_its_own_line() -> None:
    source = "for w in ws:\n    w += 1\n"

    assert writes_on(source, 1) == []
    assert writes_on(source, 2) == [SpelledWrite("w", "Tensor.add_")]


def test_whose_gradient_a_line_reads() -> None:
    assert gradients_read_on("print(a.grad, m.b.grad, a.grad)\n", 1) == ["a", "m.b"]


def test_an_error_that_was_caught_is_that_of_its_innermost_line() -> None:
    error = {"raised": f"RuntimeError: {STALE}", "in_backward": True}
    steps = [step(0, 3, **error), step(1, 9), step(2, 5, **error), step(3, 8, **error), step(4, 9)]

    assert caught_error(run(Completed(), *steps)) == raised(STALE, line=5)
    assert caught_error(run(Completed(), step(0, 5, raised="ValueError: no"), steps[1])) is None
