"""The runs that are kept, and what changed between two of them."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import Cancelled, Completed, Outcome, Raised, Right, Truth
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Elements, Tensor
from inplace_tui.common.run.step import Printed, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.history.comparison import (
    DivergenceKind,
    TensorChange,
    TraitChange,
    compare,
)
from inplace_tui.tutorial.history.runs import History, KeptRun, TextChange, text_change, weight
from support.played import ERROR, RAISED, STEPS, WRONG

SOURCE = "x = make()\ny = x.exp()\ny.add_(1)\ny.backward()\nprint(x.grad)\n"


def told(steps: tuple[Step, ...] = STEPS, outcome: Outcome | None = None) -> Timeline:
    timeline = Timeline()
    for step in steps:
        timeline.append(step)
    timeline.outcome = outcome or Completed()
    return timeline


def kept(
    steps: tuple[Step, ...] = STEPS, outcome: Outcome | None = None, source: str = SOURCE
) -> KeptRun:
    return KeptRun(
        1,
        "12:00:00",
        0.1,
        Program(source=source, origin=Origin.OWN),
        told(steps, outcome),
        truth=Right(),
    )


def keep(
    history: History,
    outcome: Outcome | None = None,
    *,
    live: bool = False,
    truth: Truth | None = None,
) -> Timeline:
    timeline = told(outcome=outcome)
    history.keep(
        Program(source=SOURCE, origin=Origin.OWN), timeline, began="12:00:00", seconds=0, live=live
    )
    if truth is not None:
        history.add_truth(timeline, truth)
    return timeline


def failing(exception: str) -> Raised:
    return msgspec.structs.replace(ERROR, exception=exception)


# What is kept.


def test_a_live_series_that_ends_alike_is_one_run() -> None:
    history = History()

    keep(history, truth=Right())
    for _ in range(5):
        last = keep(history, live=True, truth=Right())

    assert [(run.stands_for, run.live) for run in history.runs] == [(1, False), (5, True)]
    assert history.runs[-1].timeline is last


def test_a_live_run_that_ends_otherwise_begins_a_new_entry() -> None:
    history = History()

    keep(history, live=True, truth=Right())
    keep(history, live=True, truth=WRONG)
    keep(history, failing("TypeError"), live=True)
    keep(history, failing("NameError"), live=True)
    keep(history, failing("NameError"), live=True)

    assert [run.stands_for for run in history.runs] == [1, 1, 1, 2]


def test_a_live_run_that_was_overtaken_is_none() -> None:
    history = History()

    keep(history, Cancelled(), live=True)

    assert history.runs == ()


def test_a_run_that_grows_pushes_out_what_does_not_fit_beside_it() -> None:
    history = History(most_bytes=3 * weight(told()))
    for _ in range(3):
        keep(history)

    history.make_room(told(steps=()))
    assert (len(history.runs), history.dropped) == (3, 0)

    history.make_room(told())
    assert ([run.number for run in history.runs], history.dropped) == ([2, 3], 1)


def test_the_oldest_runs_go_and_are_counted_but_the_newest_stays_whatever_it_weighs() -> None:
    history = History(most_runs=3, most_bytes=2 * weight(told()))

    for _ in range(4):
        last = keep(history)

    assert (len(history.runs), history.dropped) == (2, 2)
    assert history.runs[-1].timeline is last

    heavy = History(most_bytes=1)
    keep(heavy)

    assert len(heavy.runs) == 1


def test_a_gist_names_the_first_line_of_code_that_changed() -> None:
    assert text_change("a\nb\n", "# why\na\nc\nd\n") == TextChange(
        line=3, before="b", after="c", more=2
    )
    assert text_change("a\nb\n", "a\n") == TextChange(line=1, before="b", after=None, more=0)
    assert text_change("a\n", "a") is None


# What changed.


def test_a_run_that_did_the_same_differs_in_nothing() -> None:
    found = compare(kept(), kept(source="# said anew\n" + SOURCE, steps=moved(STEPS)))

    assert (found.gradients, found.tensors, found.output, found.divergence) == ((), (), (), None)
    assert found.text[1:3] == ("+# said anew", " x = make()")


def moved(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps of the same lines, one further down."""
    replaced = msgspec.structs.replace
    return tuple(replaced(s, line=s.line + 1, end_line=s.end_line + 1) for s in steps)


def test_runs_part_where_a_tensor_comes_out_otherwise() -> None:
    other = Tensor(id=2, names=("y",), shape=(), dtype="float32", version=7)
    steps = (*STEPS[:2], msgspec.structs.replace(STEPS[2], tensors=(other,)), *STEPS[3:])

    found = compare(kept(), kept(steps))

    assert found.divergence is not None
    assert (found.divergence.how, found.divergence.name, found.divergence.key) == (
        DivergenceKind.TENSOR,
        "y",
        "version",
    )
    assert (found.divergence.was, found.divergence.now) == ("1", "7")
    [change] = found.tensors
    assert change.name == "y"
    assert [(c.key, c.before, c.after) for c in change.changes] == [("version", "1", "7")]


def test_runs_part_at_a_line_that_only_one_of_them_has() -> None:
    source = SOURCE.replace("y.add_(1)\n", "")
    steps = (*STEPS[:2], *(msgspec.structs.replace(s, line=s.line - 1) for s in STEPS[3:]))
    steps = tuple(msgspec.structs.replace(s, index=i, began=i) for i, s in enumerate(steps))

    found = compare(kept(), kept(steps, source=source))

    assert found.divergence is not None
    assert found.divergence.how is DivergenceKind.LINES
    assert (found.divergence.before or STEPS[0]).line == 3


def test_a_line_that_raised_in_one_run_only_parts_them_and_loses_the_gradient() -> None:
    found = compare(kept(), kept((*STEPS[:3], RAISED), ERROR))

    assert found.divergence is not None
    assert (found.divergence.how, found.divergence.now) == (
        DivergenceKind.RAISED,
        "RuntimeError: modified",
    )
    assert [(g.key, g.after) for g in found.gradients] == [("x", "")]
    assert found.output == ("@@ -1 +0,0 @@", "-1.")


def test_gradients_are_compared_by_their_elements_and_nan_equals_nan() -> None:
    def with_gradient(data: bytes) -> tuple[Step, ...]:
        grad = Tensor(id=3, names=("x.grad",), shape=(), dtype="float32", values=Elements(data))
        leaf = Tensor(id=1, names=("x",), shape=(), dtype="float32", grad=3)
        return (*STEPS[:3], msgspec.structs.replace(STEPS[3], tensors=(leaf, grad)), STEPS[4])

    one, two, nan = b"\0\0\x80\x3f", b"\0\0\0\x40", b"\0\0\xc0\x7f"

    assert compare(kept(with_gradient(one)), kept(with_gradient(two))).gradients == (
        TraitChange("x", "1.", "2.", 1.0),
    )
    assert compare(kept(with_gradient(nan)), kept(with_gradient(nan))).gradients == ()


def test_a_tensor_that_only_one_run_has_is_named_so() -> None:
    z = Tensor(id=9, names=("z",), shape=(), dtype="float32")
    last = msgspec.structs.replace(STEPS[4], tensors=(z,), events=(Printed(text="1."),))

    found = compare(kept(), kept((*STEPS[:4], last)))

    assert found.tensors == (TensorChange("z", only_after=True),)
