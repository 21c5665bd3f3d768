"""What an open question withholds: nothing of it is in the text of any panel."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.snapshot import Node, Saved, SlotState, Storage
from inplace_tui.common.run.step import Mutation, Printed
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.view import Gate, Mask, View, covered
from inplace_tui.tutorial.present import (
    code,
    graph,
    lanes,
    narration,
    output,
    question,
    strip,
    table,
)
from inplace_tui.tutorial.ui.panels.steps import StepRows
from support.views import at, excerpt, failing, step, storage, tensor, timeline

PANELS = (code, table, graph, lanes, output, strip, narration, question)
SECRETS = {
    "version": ["7341"],
    "values": ["6.789"],
    "grad": ["0.4321", "9911"],
    "grad_fn": ["SecretBackward0"],
    "shape": ["[1,1,3]"],
    "dtype": ["float32"],
    "data_ptr": ["0xabcdef"],
}


def secretive() -> Timeline:
    """Return a run in which every facet of `y` is written down in a way of its own."""
    plain = tensor(1, "x", dtype="int32", shape=(2,))
    before = tensor(2, "y", version=7340)
    y = tensor(
        2, "y", version=7341, shape=(1, 1, 3), stride=(3, 3, 1), grad=3, grad_fn=4,
        data_ptr=0xABCDEF, requires_grad=True, retains_grad=True,
    )  # fmt: skip
    grad = tensor(3, "y.grad", dtype="float64", shape=(1,), version=9911)
    ys, gs = (
        storage(2, 6.789, 6.789, 6.789),
        Storage(id=3, nbytes=8, data=struct.pack("<d", 0.4321)),
    )
    write = Mutation(line=3, op="Tensor.add_", tensor=2, storage=2, before=7340, after=7341)
    saved = Saved(
        node=4, slot="self", tensor=2, storage=2, version=7341, now=7341, state=SlotState.FRESH
    )
    return timeline(
        step(0, 1),
        step(1, 2, tensors=(plain, before), storages=(storage(1, 1, 2, 3), ys)),
        step(2, 3, tensors=(y, grad), storages=(gs,), events=(write,), saved=(saved,),
             nodes=(Node(id=4, name="SecretBackward0", line=3, step=2),)),
    )  # fmt: skip


def told(view: View) -> str:
    """Return all that any panel says, in both languages, wide and narrow."""
    return "\n".join(
        row.text
        for panel in PANELS
        for language in ("en", "zh")
        for width in (300, 70)
        for row in panel.rows(view, width, language)
    ) + "\n".join(row.text for row in table.rows(view, 300, "en", pointers=True, selected=2))


@pytest.mark.parametrize("facet", SECRETS)
def test_what_is_asked_for_is_nowhere_on_the_screen(facet: str) -> None:
    open_view = at(2, secretive())
    masked = replace(open_view, mask=Mask(cells=frozenset({("y", facet)})))

    assert all(secret in told(open_view) for secret in SECRETS[facet])
    assert not any(secret in told(masked) for secret in SECRETS[facet])
    assert "▒▒" in told(masked)


def test_a_star_hides_a_facet_of_every_tensor() -> None:
    masked = replace(at(2, secretive()), mask=Mask(cells=frozenset({("*", "version")})))

    assert "7341" not in told(masked)
    assert "9911" not in told(masked)


def test_a_view_does_not_tell_the_values_of_what_it_looks_at() -> None:
    made = secretive()
    alias = tensor(9, "alias", storage=2, shape=(2,), version=7341)
    made.append(step(3, 4, tensors=(alias,)))
    masked = replace(at(3, made), mask=Mask(cells=frozenset({("y", "values"), ("y", "version")})))

    assert "6.789" not in told(masked)
    assert "7341" not in told(masked)


def passed(made: Timeline, cursor: int) -> View:
    """Return the view of a learner who left the question at step 5 for later."""
    return at(cursor, made, gates={5: Gate.PASSED}, mask=Mask(outcome=True), reachable=cursor)


def test_nothing_tells_how_the_run_goes_on_while_its_outcome_is_asked() -> None:
    made = failing()
    shown = told(at(4, made, gates={5: Gate.OPEN}, mask=Mask(outcome=True), reachable=4))

    for giveaway in (
        "! stale",
        "! 已过期",
        "now v1",
        "现为",
        "━!",
        "v1 !",
        "✗",
        "RuntimeError",
        " end",
    ):
        assert giveaway not in shown


def test_nothing_points_at_a_line_while_a_line_is_asked_for() -> None:
    """Stepping back shows what each line did; side by side the notes would say which it is."""
    made = failing()
    gates = {5: Gate.OPEN}
    plain = at(4, made, gates=gates, mask=Mask(outcome=True), reachable=4)
    mask = Mask(outcome=True, saves=True, writes=True)
    asked = replace(
        plain,
        mask=mask,
        timeline=excerpt(made, reachable=4, hidden_from=5, mask=mask),
        snapshot=plain.snapshot.without_saved(),
        ran=plain.ran and covered(plain.ran, mask),
    )
    steps = [
        "\n".join(row.text for row in StepRows(view, 100)) for view in (plain, asked)
    ]  # fmt: skip

    for giveaway in ("y v0 → v1", "saves y v0", "result: y", "●1"):
        assert giveaway in panels(plain)
        assert giveaway not in panels(asked)
    assert ["~v0→v1" in each for each in steps] == [True, False]


def panels(view: View) -> str:
    """Return the panels that show all lines at once; not what the last one did."""
    return "\n".join(
        row.text for panel in (code, graph, lanes) for row in panel.rows(view, 300, "en")
    )


def test_a_question_left_for_later_still_hides_output_and_gradients() -> None:
    """The run goes on, but what the steps after it left behind is not shown."""
    made = failing()
    made.steps.pop()
    fresh = Timeline()
    for one in made.steps:
        fresh.append(one)
    x = tensor(1, "x", requires_grad=True, grad=8)
    grad = tensor(8, "x.grad", storage=8)
    fresh.append(step(5, 6, tensors=(x, grad), storages=(storage(8, 27.18, 7.38, 2.0),)))
    fresh.append(step(6, 7, events=(Printed(text="tensor([27.18])\n"),)))

    shown = told(passed(fresh, 6))

    assert "27.18" not in shown
    assert "x.grad" not in shown
    assert "▒▒▒▒ hidden until you answer" in shown

    sent = excerpt(fresh, reachable=6, hidden_from=5)
    shown = told(replace(passed(fresh, 6), timeline=sent))

    assert "▒▒▒▒ hidden until you answer" in shown
    assert "Nothing printed" not in shown


def test_a_gradient_from_before_the_question_stays() -> None:
    x = tensor(1, "x", grad=8)
    grad = tensor(8, "x.grad", storage=8)
    made = timeline(
        step(0, 1, tensors=(x, grad), storages=(storage(1, 1, 2, 3), storage(8, 27.18, 7.38, 2))),
        *(step(n, n + 1) for n in range(1, 7)),
    )

    assert "27.18" in told(passed(made, 6))


def test_a_blame_waits_until_the_outcome_may_be_known() -> None:
    view = replace(
        at(5), gates={5: Gate.PASSED}, mask=Mask(outcome=True), outcome=None, ran=None, reachable=5
    )

    shown = "\n".join(row.text for row in code.rows(view, 80, "en"))

    assert "failed here" not in shown
    assert isinstance(view.timeline.outcome, Raised)
