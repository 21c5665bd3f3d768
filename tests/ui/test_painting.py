"""What is painted in spots is what Textual would have drawn whole."""

from __future__ import annotations

import random

from rich.console import RenderableType
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.ui.painting import Painter, Spots
from inplace_tui.ui.widgets.lines import Lines

HEIGHT, WIDTH = 12, 40


class Page(Screen[None]):
    """Two lists side by side, and something that lies over parts of both."""

    def __init__(self) -> None:
        super().__init__()
        self.painter = Painter(self)

    def compose(self) -> ComposeResult:
        """Put two lists below, and a text above them."""
        yield Lines(id="left")
        yield Lines(id="right")
        yield Static("above all")


class Drawn(App[None]):
    """Keeps the cells that were sent to the terminal."""

    CSS = """
    Page { layout: horizontal; layers: below above; }
    Lines { width: 1fr; border: round red; }
    Static { layer: above; offset: 15 3; width: 10; height: 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.cells = [[" "] * WIDTH for _ in range(HEIGHT)]
        self.pieces = 0

    def get_default_screen(self) -> Screen[None]:
        """Return the page."""
        return Page()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, Spots):
            self.pieces += len(renderable.pieces)
            for x, y, strip in renderable.pieces:
                self.cells[y][x : x + strip.cell_length] = strip.text
        elif renderable is not None:
            self.cells = [list(strip.text) for strip in screen._compositor.render_strips()]

    @property
    def shown(self) -> list[str]:
        """The lines on the terminal."""
        return ["".join(line) for line in self.cells]


def _rows(dice: random.Random) -> list[Row]:
    styles = list(Style)[:5]
    words = [Span(dice.choice(("aa ", "b", "ccc ")), dice.choice(styles)) for _ in range(3)]
    return [Row(tuple(dice.sample(words, 2))) for _ in range(dice.randrange(3, 30))]


async def test_spots_leave_on_the_screen_what_a_whole_drawing_would() -> None:
    app, dice = Drawn(), random.Random(5)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        page = app.screen
        assert isinstance(page, Page)
        for turn in range(60):
            lines = page.query_one(dice.choice(("#left", "#right")), Lines)
            lines.draw(_rows(dice))
            if turn % 5 == 0:
                lines.turn_to(dice.randrange(len(lines.rows)))
            page.painter.paint()
            await pilot.pause()
            whole = [strip.text for strip in page._compositor.render_strips()]
            assert app.shown == whole, turn
        assert app.pieces


async def test_a_paint_sends_the_row_that_changed_and_no_other() -> None:
    app = Drawn()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        page = app.screen
        assert isinstance(page, Page)
        lines = page.query_one("#left", Lines)
        lines.draw([Row((Span(text),)) for text in "abcdefgh"])
        page.painter.paint()
        await pilot.pause()
        app.pieces, page.painter._next = 0, 0.0
        lines.draw([Row((Span(text),)) for text in "abcdXfgh"])
        page.painter.paint()  # at once: nothing was awaited
        assert app.pieces == 1
        assert "X" in app.shown[5]
        assert not lines._repaint_required, "Textual would draw it once more"


async def test_steps_in_quick_succession_are_painted_together() -> None:
    app = Drawn()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        page = app.screen
        assert isinstance(page, Page)
        lines = page.query_one("#left", Lines)
        await pilot.pause()
        page.painter._next = 0.0
        for text in "abc":
            lines.draw([Row((Span(text),))])
            page.painter.paint()
        assert "a" in app.shown[1]
        await pilot.pause(0.05)
        assert "c" in app.shown[1]
