"""The graph under keys and mouse: folded and searched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from inplace_tui.common.run.snapshot import Edge, Node
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.panels import CodePanel, GraphPanel, TensorTable
from support import drawn
from support.hosts import Host
from support.views import at, failed, step, tensor, timeline

ROUNDS = 48


def loop(rounds: int = ROUNDS) -> View:
    """Return `y = y * w; y = y + b`, many times: two leaves, two nodes a round, a sum on top."""
    nodes = [Node(id=1, name="AccumulateGrad", leaf=1), Node(id=2, name="AccumulateGrad", leaf=2)]
    last = 1
    for number in range(3, 3 + 2 * rounds, 2):
        nodes.append(Node(id=number, name="MulBackward0", line=7, inputs=(Edge(last), Edge(2))))
        nodes.append(Node(id=number + 1, name="AddBackward0", line=8, inputs=(Edge(number), None)))
        last = number + 1
    nodes.append(Node(id=last + 1, name="SumBackward0", line=9, step=0, inputs=(Edge(last),)))
    named = (tensor(1, "y0"), tensor(2, "w"), tensor(3, "loss", grad_fn=last + 1, is_leaf=False))
    return at(0, timeline(step(0, 9, nodes=tuple(nodes), tensors=named)))


@asynccontextmanager
async def shown(
    view: View, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    app = Host(GraphPanel(), view)
    async with app.run_test(size=size) as pilot:
        app.panel.focus()
        await pilot.pause()
        yield app, pilot


def lines(app: Host) -> list[str]:
    return [row.text.rstrip() for row in app.panel.rows]


def under_cursor(app: Host) -> str:
    assert app.panel.cursor is not None
    return app.panel.rows[app.panel.cursor].text


async def test_a_run_is_one_row_until_enter_opens_it_and_enter_folds_it_again() -> None:
    async with shown(loop()) as (app, pilot):
        assert len(lines(app)) == 4
        assert "× 48  AddBackward0 → MulBackward0  lines 7–8" in lines(app)[1]

        await pilot.press("down", "down", "enter")

        assert len(lines(app)) == 4 + 2 * ROUNDS
        assert "⊟ × 48" in under_cursor(app)

        await pilot.press("enter")

        assert len(lines(app)) == 4
        assert "⊞" in under_cursor(app)


async def test_a_click_opens_a_run() -> None:
    async with shown(loop()) as (app, pilot):
        await pilot.click(GraphPanel, offset=(12, 2))

        assert len(lines(app)) == 4 + 2 * ROUNDS


async def test_a_backward_that_failed_puts_the_cursor_on_the_node_that_raised() -> None:
    async with shown(failed()) as (app, _):
        assert "✗ raised" in under_cursor(app)


async def test_a_step_keeps_the_cursor_on_its_node() -> None:
    async with shown(loop(8)) as (app, pilot):
        await pilot.press("down", "down", "down")
        before = under_cursor(app)
        app.panel.show(loop(9), "en")
        await pilot.pause()

        assert under_cursor(app).split()[-2:] == before.split()[-2:]


async def test_search_goes_to_what_is_typed_and_opens_what_hides_it() -> None:
    async with shown(loop()) as (app, pilot):
        await pilot.press("slash", *"mulb")

        assert "MulBackward0" in under_cursor(app)
        assert len(lines(app)) == 4 + 2 * ROUNDS
        assert "/mulb▏  1 of 48" in drawn.text(app)

        first = app.panel.cursor
        await pilot.press("enter", "down", "up")

        assert "2 of 48" in drawn.text(app)

        await pilot.press("escape")
        assert "/mulb" not in drawn.text(app)
        await pilot.press("apostrophe")
        assert app.panel.cursor == first
        await pilot.press("semicolon", "apostrophe", "apostrophe")

        assert app.panel.cursor == len(lines(app)) - 3


async def test_search_understands_lines_leaves_and_what_is_stale() -> None:
    async with shown(failed()) as (app, pilot):
        for query, found in ((":4", "AddBackward0"), ("stale", "ExpBackward0"), ("leaf", "x")):
            await pilot.press("slash", *query)
            assert found in under_cursor(app)
            assert "1 of 1" in drawn.text(app)
            await pilot.press("escape")
        await pilot.press("slash", *"nothing")

        assert "not found" in drawn.text(app)


async def test_letters_are_text_while_one_searches() -> None:
    """None of them steps or zooms; full-width ones are what they look like."""
    async with shown(failed()) as (app, pilot):
        await pilot.press("slash", *"dux", "backspace", "q")

        assert app.panel.sought == "duq"


async def test_search_in_any_panel_finds_rows_of_text() -> None:
    for panel, query, found in ((CodePanel(), "add_", "y.add_(1)"), (TensorTable(), "y", "y")):
        app = Host(panel, failed())
        async with app.run_test(size=(80, 24)) as pilot:
            app.panel.focus()
            await pilot.press("slash", *query)

            assert found in under_cursor(app)


async def test_rows_that_nobody_looked_at_are_not_made_of_another_graph() -> None:
    chain = [Node(id=1, name="AccumulateGrad", leaf=1)] + [
        Node(id=number, name=f"Op{number}", line=number, inputs=(Edge(number - 1),))
        for number in range(2, 12)
    ]
    more = Node(id=12, name="SumBackward0", line=12, inputs=(Edge(11),))
    made = timeline(
        step(0, 1, nodes=tuple(chain)),
        step(1, 2, nodes=(more,)),
        step(2, 3, lost=tuple(range(1, 13))),
    )
    async with shown(at(0, made), size=(80, 6)) as (app, pilot):
        app.panel.go_to(1)
        await pilot.pause()
        app.panel.show(at(1, made), "en")
        app.panel.show(at(2, made), "en")
        await pilot.pause()

        assert lines(app) == ["No graph here: what led to it is gone. Earlier steps have it."]
