"""Rows of styled text, drawn line by line, of which one may be chosen.

Stepping redraws the rows that differ and nothing else: what is visible is
compared with what was. Rows may be a lazy sequence of any length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import ClassVar, cast

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style as VisualStyle

from inplace_tui.common.cells import spans_width, width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Style, Target, drawn
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.keys import ascii_twin, takes_key
from inplace_tui.tutorial.ui.textual_private.app import BaseScreen
from inplace_tui.tutorial.ui.textual_private.compositor import (
    LineWidget,
    laid_over,
    refresh_scroll_bars,
)
from inplace_tui.tutorial.ui.theme import CURSOR, theme_style
from inplace_tui.tutorial.ui.widgets.scroll_bar import SCROLL_BAR_STYLES, set_total

NOTHING = Target()
BLANK = Row()
BEFORE, BEYOND = "‹", "…"
"""At the edge of a row that begins before what is seen of it, or goes on behind it."""

FRAME_STYLES = """\
border: round $border;
        border-title-color: $text-muted;
        border-title-style: none;
        border-subtitle-color: $text-muted;
        &:focus {
            border: round $primary;
            border-title-color: $primary;
            border-title-style: bold;
        }
        &:focus:nocolor { border: heavy $primary; }"""
"""Of what has a frame, whose title says what is in it."""


MOVE_KEYS: tuple[BindingType, ...] = (
    Binding("up", "move(-1)", "Up", show=False),
    Binding("down", "move(1)", "Down", show=False),
    Binding("pageup", "page(-1)", "Page up", show=False),
    Binding("pagedown", "page(1)", "Page down", show=False),
)
EDGE_KEYS: tuple[BindingType, ...] = (
    Binding("home", "edge(-1)", "First row", show=False),
    Binding("end", "edge(1)", "Last row", show=False),
)
"""Of lines on which a cursor goes along; the others leave them to the page."""


class Lines(ScrollView, LineWidget, can_focus=True, inherit_bindings=False):
    """Shows rows; `draw` them. Up and down move the cursor over those that can be chosen."""

    DEFAULT_CSS = f"""
    Lines {{
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        {SCROLL_BAR_STYLES}
    }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVE_KEYS,
        Binding("less_than_sign", "sideways(-8)", "Scroll left", show=False),
        Binding("greater_than_sign", "sideways(8)", "Scroll right", show=False),
        Binding("enter", "choose", "Choose", show=False, id="choose_row"),
    ]

    cursor: reactive[int | None] = reactive[int | None](None, repaint=False)
    """Index of the row that Enter would choose; None before the first move."""

    typed: str | None = None
    """What is typed here to find something; None where keys run their bindings."""

    @dataclass
    class RowChosen(Message):
        """A row was chosen by Enter or by a click."""

        lines: Lines
        target: Target

        @property
        def control(self) -> Lines:
            return self.lines

    @dataclass
    class EdgeReached(Message):
        """A key was to lead on where there is no more; the text says so."""

        text: LocalText

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual calls it that)
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self._pinned = 0
        self._looks: dict[tuple[Style, Style, bool], RichStyle] = {}

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus

    @property
    def under_cursor(self) -> Target:
        """What the cursor is on; nothing where there is no cursor."""
        row = None if self.cursor is None else _at(self.rows, self.cursor)
        return NOTHING if row is None else row.target

    def row_of(self, choice: int) -> int | None:
        """Return the first row that stands for a choice; None where none does."""
        return next((at for at, row in enumerate(self.rows) if row.target.choice == choice), None)

    @property
    def text(self) -> str:
        return "\n".join(row.text.rstrip() for row in self.rows)

    def draw(self, rows: Sequence[Row], *, pinned: int = 0, widest: int | None = None) -> None:
        """Show these rows instead of those before; each may be computed lazily.

        The first `pinned` ones stay when the others scroll. `widest` is the cells of the widest
        row, where looking at all of them costs too much.
        """
        before, self.rows = self.rows, rows
        repinned, self._pinned = pinned != self._pinned, pinned
        if widest is None:
            widest = max((spans_width(row.spans) for row in rows), default=0)
        if self.cursor is not None and self.cursor >= len(rows):
            self.cursor = None
        self._extend(Size(widest, len(rows)))
        if repinned:
            self.refresh()
            return
        room = self.scrollable_content_region
        changed = [Region(0, y, room.width, 1) for y in self._changed(before, rows, room.height)]
        if changed:
            self.refresh(*changed)

    def _changed(self, before: Sequence[Row], rows: Sequence[Row], height: int) -> Iterator[int]:
        """Yield the lines of the viewport in which the row differs."""
        top, earlier, now = round(self.scroll_offset.y), len(before), len(rows)
        for y in range(height):
            index = y if y < self._pinned else y + top
            old = drawn(before, index) if index < earlier else BLANK
            new = rows[index] if index < now else BLANK
            if old is not new and old != new:
                yield y

    def _extend(self, size: Size) -> None:
        """Be as large as the rows are.

        For a row more or less Textual would arrange the screen anew and draw all of this
        widget; where its own size does not depend on its rows, a scroll bar is all that changes.
        """
        if size == self.virtual_size:
            return
        if self.styles.auto_dimensions or not self.container_size:
            self.virtual_size = size
        else:
            self.set_reactive(Lines.virtual_size, size)
            refresh_scroll_bars(self)
            if self.show_vertical_scrollbar:
                set_total(self.vertical_scrollbar, size.height)
            self.scroll_x = self.validate_scroll_x(self.scroll_x)
            self.scroll_y = self.validate_scroll_y(self.scroll_y)

    def reveal(self, index: int, *, margin: int = 2, by_page: bool = False) -> None:
        """Scroll as little as needed to have row `index` in view, with some rows around it.

        Where pages are turned, most steps scroll nothing: what is before that row or after it
        comes into view, too, and a row that is farther away than a page comes to the middle.
        """
        height = self.scrollable_content_region.height - self._pinned
        if height <= 0:
            return
        margin = min(margin, (height - 1) // 2)
        top, place = round(self.scroll_offset.y), index - self._pinned
        above, below = place - margin, place + margin - height + 1
        if by_page and not top - height <= place < top + 2 * height:
            top = place - height // 2
        elif above < top:
            top = below if by_page else above
        elif below > top:
            top = above if by_page else below
        else:
            return
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        return self.rendered(range(y, y + 1))[0]

    def rendered(self, lines: range) -> list[Strip]:
        """Return lines of the viewport, without the scroll bar beside them."""
        (left, top), width = self.scroll_offset, self.scrollable_content_region.width
        cursor = self.cursor if self.shows_cursor else None
        places = (y if y < self._pinned else y + top for y in lines)
        return [
            self._drawn(_at(self.rows, place) or BLANK, left, width, chosen=place == cursor)
            for place in places
        ]

    def _drawn(self, row: Row, left: int, width: int, *, chosen: bool) -> Strip:
        """Return a row as it is seen, from column `left` on."""
        strip = self.make_strip(row, chosen=chosen)
        if not left and strip.cell_length == width:
            return strip  # `crop_extend` would keep it in itself, until garbage is searched for
        base = self.style_of(row.style, Style.PLAIN, chosen=chosen)
        seen = strip.crop_extend(left, left + width, base)
        if not left and strip.cell_length < width:
            return seen
        edge = self.style_of(row.style, Style.DIM, chosen=chosen)
        if left and strip.cell_length:
            seen = laid_over(seen, 0, Strip([Segment(BEFORE, edge)], 1))
        if strip.cell_length - left > width:
            seen = laid_over(seen, width - 1, Strip([Segment(BEYOND, edge)], 1))
        return seen

    def notify_style_update(self) -> None:
        self._looks.clear()
        super().notify_style_update()

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        for index in (before, after):
            y = -1 if index is None else self._line_of(index)
            if 0 <= y < self.size.height:
                self.refresh(Region(0, y, self.size.width, 1))

    def action_move(self, step: int) -> None:
        """Move the cursor to the next row that can be chosen; scroll where there is none."""
        start = self.cursor
        if start is None:
            start = self._row_at(self._pinned) - 1 if step > 0 else len(self.rows)
        index = start + step
        while 0 <= index < len(self.rows):
            if self.rows[index].target != NOTHING:
                self.cursor = index
                self.reveal(index, margin=1)
                return
            index += step
        self.scroll_by(y=step)

    def action_page(self, direction: int) -> None:
        page = max(1, self.scrollable_content_region.height - self._pinned - 1)
        self.scroll_by(y=direction * page)
        self.cursor = None

    def action_sideways(self, cells: int) -> None:
        self.scroll_by(x=cells)

    def scroll_by(self, *, x: int = 0, y: int = 0) -> None:
        """Scroll, or say that there is no more on that side."""
        before = self.scroll_offset
        self.scroll_relative(x=x, y=y, animate=False, force=True, immediate=True)
        if self.scroll_offset == before:
            self.post_message(self.EdgeReached(edge_text(x, y)))

    def action_edge(self, side: int) -> None:
        """Put the cursor on the first row that can be chosen, or on the last one."""
        places = range(len(self.rows))[::-side]
        self.go_to_edge(next((at for at in places if self.rows[at].target != NOTHING), None), side)

    def go_to_edge(self, place: int | None, side: int) -> None:
        """Put the cursor on a row; where it is there, or without a row, scroll to the edge."""
        if place in (None, self.cursor):
            self.scroll_by(y=side * len(self.rows))
        else:
            self.cursor = place
            self.reveal(place, margin=1)

    def action_choose(self) -> None:
        """Choose the row under the cursor; without one the screen takes the key."""
        if self.under_cursor == NOTHING:
            raise SkipAction
        self.chosen(self.under_cursor)

    def chosen(self, target: Target) -> None:
        """Post that this was chosen; a panel posts a message of its own."""
        self.post_message(self.RowChosen(self, target))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        row = None if place is None else _at(self.rows, self._row_at(place.y))
        if place is None or row is None:
            return
        target = target_at(row, place.x + self.scroll_offset.x)
        if target == NOTHING:
            return
        event.stop()
        before = self.under_cursor
        if row.target != NOTHING:
            self.cursor = self._row_at(place.y)
        if target.action is None:
            self.clicked(target, again=before == target)
        else:
            self.call_later(self.screen.run_action, target.action)

    def clicked(self, target: Target, *, again: bool) -> None:  # noqa: ARG002  (of a question)
        """Choose what was clicked; `again` if the cursor was there."""
        self.chosen(target)

    # What is typed.

    def check_consume_key(self, key: str, character: str | None) -> bool:
        taken = self.typed is not None and takes_key(key)
        return taken or super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        if self.typed is None or not takes_key(event.key):
            return
        event.stop()
        event.prevent_default()
        if self.takes_while_typing(event.key):
            pass
        elif event.key == "backspace" and self.typed:
            self.type_instead(self.typed[:-1])
        elif event.key == "ctrl+u" and self.typed:
            self.type_instead("")
        elif event.is_printable and event.character:
            self.type_instead(self.typed + ascii_twin(event.character))
        else:  # it does not mean what it means elsewhere
            cast("BaseScreen", self.screen).refuse_key(event.key)

    def on_paste(self, event: events.Paste) -> None:
        if self.typed is not None:
            event.stop()
            self.type_instead(self.typed + " ".join(event.text.split()))

    def takes_while_typing(self, key: str) -> bool:  # noqa: ARG002  (of what can be typed in)
        """Do what a key does that is no text; return whether it does anything."""
        return False

    def type_instead(self, text: str) -> None:
        """Have this typed from now on."""
        self.typed = text

    def on_focus(self) -> None:
        self.watch_cursor(None, self.cursor)

    def on_blur(self) -> None:
        self.watch_cursor(None, self.cursor)

    def _row_at(self, y: int) -> int:
        return y if y < self._pinned else y + self.scroll_offset.y

    def _line_of(self, index: int) -> int:
        return index if index < self._pinned else index - self.scroll_offset.y

    def make_strip(self, row: Row, *, chosen: bool) -> Strip:
        segments = [
            Segment(
                "".join(span.text for span in spans), self.style_of(row.style, style, chosen=chosen)
            )
            for style, spans in groupby(row.spans, attrgetter("style"))
        ]
        return Strip(segments, spans_width(row.spans))

    def style_of(self, row: Style, span: Style, *, chosen: bool = False) -> RichStyle:
        """Return the style of a span over those of its row and of the cursor."""
        key = (row, span, chosen)
        if key not in self._looks:
            _, _, background, color = self.colors
            look = VisualStyle(background, color)
            for each in (row, *([CURSOR] if chosen else []), span):
                look += theme_style(each, self.app)
            self._looks[key] = look.rich_style
        return self._looks[key]


def _at(rows: Sequence[Row], index: int) -> Row | None:
    return rows[index] if 0 <= index < len(rows) else None


def edge_text(across: int, down: int) -> LocalText:
    """Return what says that there is no more in a direction."""
    if across:
        return ScreenTexts.at_side
    return ScreenTexts.at_bottom if down > 0 else ScreenTexts.at_top


def target_at(row: Row, column: int) -> Target:
    for span in row.spans:
        column -= width(span.text)
        if column < 0:
            return span.target or row.target
    return row.target
