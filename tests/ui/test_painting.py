"""What is painted in spots is what Textual would have drawn whole."""

from __future__ import annotations

import gc
import random
from time import process_time
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len
from rich.color import Color
from rich.console import RenderableType
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.tutorial.ui.textual_private import text_area
from inplace_tui.tutorial.ui.textual_private.compositor import Painter, Spots
from inplace_tui.tutorial.ui.textual_private.text_area import MAX_PARSED, PythonDocument
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support import drawn

HEIGHT, WIDTH = 12, 40
SECOND_HALF = ""
"""What is in the second cell of a wide character."""


class Cell(NamedTuple):
    """What is seen in a cell of the terminal."""

    text: str
    background: Color | None


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
        self.cells = [[Cell(" ", None)] * WIDTH for _ in range(HEIGHT)]
        self.pieces = 0

    def get_default_screen(self) -> Screen[None]:
        """Return the page."""
        return Page()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, Spots):
            self.pieces += len(renderable.pieces)
            for x, y, strip in renderable.pieces:
                self._write(self.cells[y], x, _cells(strip))
        elif renderable is not None:
            self.cells = _whole(screen)

    def _write(self, line: list[Cell], x: int, cells: list[Cell]) -> None:
        """Write as a terminal does: half of a wide character that is left becomes a space."""
        end = x + len(cells)
        if line[x].text == SECOND_HALF:
            line[x - 1] = line[x - 1]._replace(text=" ")
        if end < len(line) and line[end].text == SECOND_HALF:
            line[end] = line[end]._replace(text=" ")
        line[x:end] = cells

    @property
    def shown(self) -> list[str]:
        """The lines on the terminal."""
        return ["".join(cell.text for cell in line) for line in self.cells]


def _cells(strip: Strip) -> list[Cell]:
    return [
        Cell(each, style.bgcolor if style else None)
        for text, style, _ in strip
        for character in text
        for each in (character, SECOND_HALF)[: cell_len(character)]
    ]


def _whole(screen: Screen[Any]) -> list[list[Cell]]:
    return [_cells(strip) for strip in drawn.strips(screen.app)]


def _rows(dice: random.Random) -> list[Row]:
    styles = list(Style)[:5]
    words = [Span(dice.choice(("aa ", "b", "ccc ")), dice.choice(styles)) for _ in range(3)]
    return [
        Row(tuple(dice.sample(words, 2)), style=dice.choice((Style.PLAIN, Style.CURRENT)))
        for _ in range(dice.randrange(3, 30))
    ]


@pytest.mark.whole
async def test_spots_leave_on_the_screen_what_a_whole_drawing_would() -> None:
    app, dice = Drawn(), random.Random(5)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        page = app.screen
        assert isinstance(page, Page)
        for turn in range(60):
            lines = page.query_one(dice.choice(("#left", "#right")), Lines)
            lines.draw(_rows(dice))
            if turn % 5 == 0:
                lines.reveal(dice.randrange(len(lines.rows)), by_page=True)
            page.painter.paint()
            await pilot.pause()
            assert app.cells == _whole(page), turn
        assert app.pieces


class Wide(Drawn):
    """Two texts in Chinese side by side, and something that lies over parts of both."""

    CSS = """
    Screen { layout: horizontal; layers: below above; }
    Static { width: 1fr; height: 1fr; background: blue; }
    #left { border: round red; padding: 0 1; background: green; }
    #above { layer: above; offset: 15 3; width: 10; height: 2; }
    """

    def get_default_screen(self) -> Screen[None]:
        return Bare()

    def compose(self) -> ComposeResult:
        yield Static("一个叶子的值 changed 在它被保存之后，" * 40, id="left")
        yield Lines(id="right")
        yield Static("above all", id="above")


class Bare(Screen[None]):
    """A page that is painted in spots."""

    def __init__(self) -> None:
        super().__init__()
        self.painter = Painter(self)


@pytest.mark.whole
async def test_no_spot_takes_half_of_a_wide_character_away() -> None:
    app, dice = Wide(), random.Random(3)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        right = app.screen.query_one("#right", Lines)
        right.draw(
            [Row((Span("x" * (y % 3) + "张量被改写之后再用到" * 2),)) for y in range(HEIGHT)]
        )
        await pilot.pause()
        for turn in range(200):
            widget = app.screen.query_one(dice.choice(("#left", "#right")))
            x, y = dice.randrange(widget.size.width), dice.randrange(widget.size.height)
            widget.refresh(Region(x, y, dice.randrange(1, 9), dice.randrange(1, 5)))
            await pilot.pause()
            assert app.cells == _whole(app.screen), turn


async def test_what_was_behind_something_that_moves_is_whole_again() -> None:
    app, dice = Wide(), random.Random(4)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        above = app.screen.query_one("#above")
        for turn in range(40):
            above.styles.offset = dice.randrange(WIDTH - 10), dice.randrange(HEIGHT - 2)
            await pilot.pause()
            assert app.cells == _whole(app.screen), turn


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


async def test_what_is_far_away_comes_to_the_middle_and_the_next_page_begins_where_one_left() -> (
    None
):
    app = Drawn()
    async with app.run_test(size=(WIDTH, HEIGHT)):
        lines = app.screen.query_one("#left", Lines)
        lines.draw([Row((Span(str(number)),)) for number in range(1000)])
        height = lines.scrollable_content_region.height
        seen = []
        for index in (500, 499, 501, 500 + height, 0, 3):
            lines.reveal(index, by_page=True)
            seen.append(index - lines.scroll_offset.y)
        middle = height // 2
        assert seen == [middle, middle - 1, middle + 1, 2, 0, 3]


@pytest.mark.whole
async def test_rows_that_fit_exactly_are_forgotten_without_a_search_for_garbage() -> None:
    app = Drawn()
    async with app.run_test(size=(WIDTH, HEIGHT)):
        lines = app.screen.query_one("#left", Lines)
        width = lines.scrollable_content_region.width
        lines.draw([Row((Span("x" * width),)) for _ in range(HEIGHT)])
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            lines.rendered(range(HEIGHT))
            lines.notify_style_update()
            gc.collect()
            assert not [each for each in gc.garbage if type(each) is Strip]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()


def test_a_line_of_nested_code_is_drawn_without_colours_and_at_once() -> None:
    python, query = text_area._python()
    text = "x = 1\n" + "\n" * text_area.CHUNK + "y = x" + ".a" * 30_000
    highlights = text_area.Highlights(PythonDocument(text, python), query)
    begun = process_time()

    assert highlights[0]
    assert highlights[text_area.CHUNK + 1] == []
    assert process_time() - begun < 5  # with colours, a minute


def test_a_long_program_has_no_colours_and_gets_them_back_when_it_is_short() -> None:
    python, query = text_area._python()
    document = PythonDocument("x = 1\n", python)
    highlights = text_area.Highlights(document, query)
    many = "y = 2\n" * (MAX_PARSED // 6 + 1)
    short = list(highlights[0])

    document.replace_range((1, 0), (1, 0), many)
    long = list(text_area.Highlights(document, query)[0])
    document.replace_range((1, 0), document.end, "z = 3")

    assert short
    assert long == []
    assert text_area.Highlights(document, query)[0] == short
    assert PythonDocument(many, python).text == many
