"""The runs that are kept, and what changed between two of them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Difference,
    Outcome,
    Raised,
    Right,
    Truth,
    Wrong,
)
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Elements, Tensor
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.history import comparison
from inplace_tui.tutorial.history.comparison import RunComparison, TraitChange, compare
from inplace_tui.tutorial.history.runs import History, KeptRun, TextChange, text_change, weight
from inplace_tui.tutorial.present.comparison import changed, page
from inplace_tui.tutorial.state import diff
from support.played import ERROR, RAISED, STEPS, WRONG
from support.recording import bare, record

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


def test_an_edit_is_quoted_without_its_comment_unless_that_is_the_edit() -> None:
    def quoted(before: str, after: str) -> str:
        return changed(kept(source=before), kept(source=after), 90, "en")

    assert quoted("h += x    # late\n", "h = h + x    # late\n").endswith("h += x → h = h + x")
    assert quoted("h += x  # a\n", "h += x  # b\n").endswith("h += x  # a → h += x  # b")


# What changed.


def test_a_run_that_did_the_same_differs_in_nothing() -> None:
    found = compare(kept(), kept(source="# said anew\n" + SOURCE, steps=moved(STEPS)))

    assert (found.gradients.changes, found.output, found.divergence) == ((), (), None)
    assert found.text == ((None, ("@@ -1,2 +1,3 @@", "+# said anew", *lines(" ", 0, 2))),)


def lines(sign: str, first: int, end: int) -> list[str]:
    return [sign + line for line in SOURCE.splitlines()[first:end]]


def moved(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps of the same lines, one further down."""
    replaced = msgspec.structs.replace
    return tuple(replaced(s, line=s.line + 1, end_line=s.end_line + 1) for s in steps)


def test_runs_part_where_a_tensor_comes_out_otherwise() -> None:
    other = Tensor(id=2, names=("y",), shape=(), dtype="float32", version=7)
    steps = (*STEPS[:2], msgspec.structs.replace(STEPS[2], tensors=(other,)), *STEPS[3:])

    found = compare(kept(), kept(steps)).divergence

    assert found is not None
    assert (found.steps, found.name) == ((STEPS[2], steps[2]), "y")
    assert found.changes == (TraitChange("version", "1", "7"),)


def test_runs_part_at_a_line_that_only_one_of_them_has() -> None:
    source = SOURCE.replace("y.add_(1)\n", "")
    steps = (*STEPS[:2], *(msgspec.structs.replace(s, line=s.line - 1) for s in STEPS[3:]))
    steps = tuple(msgspec.structs.replace(s, index=i, began=i) for i, s in enumerate(steps))

    found = compare(kept(), kept(steps, source=source)).divergence

    assert found is not None
    assert (found.parted, found.last) == (True, (STEPS[1], steps[1]))
    assert (found.steps[0] or STEPS[0]).line == 3


def test_a_line_that_raised_in_one_run_only_parts_them_and_loses_the_gradient() -> None:
    found = compare(kept(), kept((*STEPS[:3], RAISED), ERROR))

    assert found.divergence is not None
    assert (found.divergence.parted, found.divergence.steps) == (False, (STEPS[3], RAISED))
    assert [(g.key, g.after) for g in found.gradients.changes] == [("x", "")]
    assert found.gradients.missing == ("x",)
    assert found.output == ("@@ -1 +0,0 @@", "-1.")


def test_gradients_are_compared_by_their_elements_and_nan_equals_nan() -> None:
    def with_gradient(data: bytes) -> tuple[Step, ...]:
        grad = Tensor(id=3, names=("x.grad",), shape=(), dtype="float32", values=Elements(data))
        leaf = Tensor(id=1, names=("x",), shape=(), dtype="float32", grad=3)
        return (*STEPS[:3], msgspec.structs.replace(STEPS[3], tensors=(leaf, grad)), STEPS[4])

    one, two, nan = b"\0\0\x80\x3f", b"\0\0\0\x40", b"\0\0\xc0\x7f"

    assert compare(kept(with_gradient(one)), kept(with_gradient(two))).gradients.changes == (
        TraitChange("x", "1.", "2.", 0.5),
    )
    assert compare(kept(with_gradient(nan)), kept(with_gradient(nan))).gradients.changes == ()


# What changed, in real runs.

LOOP = """\
import torch
w = torch.ones(2, requires_grad=True)
for i in range(4):
    y = torch.exp(w * torch.tensor([1.0, 2.0]))
    if i == 2:
        y.add_(1)
    y.sum().backward()
print(w.grad)
"""
MENDED = LOOP.replace("y.add_(1)", "y = y + 1")


def ran(source: str, truth: Truth | None = None, *, number: int = 1) -> KeptRun:
    """Record a program; one that torch stops is stopped on line 7."""
    found = record(source)
    outcome = None if found.ending.error is None else msgspec.structs.replace(ERROR, line=7)
    run = kept(found.steps, outcome, source)
    return replace(run, number=number, truth=truth or run.truth)


def said(found: RunComparison, language: str = "en") -> str:
    rows = page(found, 200, language)
    return " ".join(row.text.partition("│")[2].strip() for row in rows)


def test_gradients_are_compared_at_the_backward_in_which_one_run_died() -> None:
    """Not with those of the end, a round later: they differ for another reason."""
    found = compare(ran(LOOP), ran(MENDED, number=2))

    assert found.gradients.moment is not None
    assert [(step.line, step.visit) for step in found.gradients.moment] == [(7, 3), (7, 3)]
    assert found.gradients.same == 2
    assert found.gradients.missing == ("w",)
    text = said(found)
    assert "y came out differently. run 1  modified it in place: version 0 → 1" in text
    assert "Line 7 ran 3 times in run 1, which stopped there, and 4 times in run 2" in text
    assert "before it reached w.grad" in text
    assert "differ by" not in text


def test_rounds_that_only_one_run_has_say_nothing_of_its_gradients() -> None:
    shorter, longer = MENDED.replace("range(4)", "range(2)"), MENDED
    assert bare(shorter).printed != bare(longer).printed, "they leave other gradients"

    found = compare(ran(shorter), ran(longer, number=2))

    assert (found.gradients.changes, found.gradients.same) == ((), 2)
    assert "2 of the 2 in run 1, 2 of the 4 in run 2" in said(found)
    assert "After line 3, time 3, they ran different lines: run 1  line 8" in said(found)


def test_a_silent_fault_says_which_gradient_is_wrong() -> None:
    hidden = LOOP.replace("y.add_(1)", "y.data.add_(1)")
    difference = Difference(tensor="w", line=7, got="", true="")

    found = compare(ran(hidden, Wrong(differences=(difference,), visit=3)), ran(MENDED, number=2))

    text = said(found)
    assert "its version counter did not move" in text
    assert "wrong" in text.partition("w.grad")[2].partition("run 1")[2].partition("run 2")[0]


def test_numbers_that_are_drawn_anew_are_not_taken_for_what_the_edit_did() -> None:
    drawing = "import torch, os\ntorch.manual_seed(int.from_bytes(os.urandom(4)))\n"
    drawing += LOOP.replace("torch.ones(2", "torch.randn(2")

    found = compare(*map(ran, (drawing, drawing.replace("y.add_(1)", "y = y + 1"))))

    assert found.drawn is not None
    assert (found.drawn.name, found.divergence and found.divergence.name) == ("w", "y")


def test_a_loop_that_never_ends_in_one_run_is_where_they_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison, "MAX_STEPS", 40)
    endless = MENDED.replace("print", "while i < 90:\n    i += 1\nprint")

    found = compare(ran(endless), ran(MENDED, number=2)).divergence

    assert found is not None
    assert found.parted
    assert [step and step.line for step in found.steps] in ([8, 8], [9, 8])


def test_lines_are_named_by_their_file_and_a_file_of_one_run_is_not_shown() -> None:
    one = join_files(SOURCE, [("pkg/a.py", "a = 1\nb = 2\n")])
    two = join_files(SOURCE, [("pkg/a.py", "a = 1\nb = 3\n"), ("c.py", "c = 1\n")])

    found = compare(kept(source=one), kept(source=two))

    assert found.text == (
        ("pkg/a.py", ("@@ -1,2 +1,2 @@", " a = 1", "-b = 2", "+b = 3")),
        ("c.py", ()),
    )


def test_elements_of_runs_that_are_alike_are_not_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a network of 50,000 weights that took minutes."""

    def fail(*_: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(diff, "element_reader", fail)

    found = compare(ran(MENDED), ran(MENDED, number=2))

    assert (found.divergence, found.gradients.same) == (None, 4)
