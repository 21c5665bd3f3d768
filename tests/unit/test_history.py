"""The runs that are kept, and what was edited between them."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Right, Truth
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.history.runs import History, KeptRun, TextChange, text_change, weight
from inplace_tui.tutorial.present.history import changed
from support.played import ERROR, STEPS

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
    history: History, outcome: Outcome | None = None, *, truth: Truth | None = None
) -> Timeline:
    timeline = told(outcome=outcome)
    history.keep(Program(source=SOURCE, origin=Origin.OWN), timeline, began="12:00:00", seconds=0)
    if truth is not None:
        history.add_truth(timeline, truth)
    return timeline


def failing(exception: str) -> Raised:
    return msgspec.structs.replace(ERROR, exception=exception)


# What is kept.


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
