"""What all panels have in common: a view in, rows out, a title on the border."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from inplace_tui.common.cells import clip_spans, pad_spans, spans_width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, has, marked
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.searching import SearchTexts
from inplace_tui.tutorial.activity.session.signals import Signal
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.keymap import keymap_of
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.widgets.bars import key_named
from inplace_tui.tutorial.ui.widgets.lines import EDGE_KEYS, FRAME_STYLES, Lines

NOTHING_YET = View(source="", timeline=Timeline())

SLICE = 256
"""Rows that are searched before other events get their turn."""


class Panel(Lines):
    """Shows one aspect of a view, and can be searched. It draws only while it can be seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *EDGE_KEYS,
        *bindings(Where.PANEL, only=("search", "next_match", "previous_match")),
    ]

    DEFAULT_CSS = f"""
    Panel {{
        padding: 0 0 0 1;
        {FRAME_STYLES}
    }}
    """

    TITLE: ClassVar[LocalText]

    @dataclass
    class Signalled(Message):
        """Something was chosen that the session is to be told."""

        signal: Signal

    SEARCH_HINT: ClassVar[LocalText] = SearchTexts.text
    """What can be searched for."""

    SAYS_MORE: ClassVar[bool] = False
    """The title says when there is more below what is seen: it is text to be read."""

    PINNED = 0
    """How many of its rows are heads that do not scroll."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual calls it that)
        super().__init__(id=id)
        self.view = NOTHING_YET
        self.language = "en"
        self.number: int | None = None
        """The digit that leads to it, which its title names; None where there is none."""

        self.title_note = ""
        """What the title has after the panel's name: that something is left out."""

        self.sought = ""
        """What was searched for last."""

        self._hits: list[int] = []
        self._hit: int | None = None
        """The place among the hits of the one that was gone to."""

        self._sought_from = 0
        self._scanning = False
        self._titled: str | None = None
        self._basis: object = None

    def show(self, view: View, language: str) -> None:
        if self.view.timeline is not view.timeline and not self.display:
            self.release_run()
        basis = self.basis(view) if self.display else None
        same = basis is not None and (basis, language) == self._basis
        self.view, self.language = view, language
        self._basis = (basis, language)
        self.title_note = self.title_note_of(view)
        if self.display and not same:
            self.redraw()
        self.say_title()

    def say_title(self) -> None:
        title = title_of(self, self.language)
        more, height = self.says_more, self.scrollable_content_region.height
        if more is not None and 0 < height <= self.last_row - round(self.scroll_offset.y):
            title += f" · {say(more, self.language)}"
        self.set_title(title)

    @property
    def tab_texts(self) -> tuple[str, ...]:
        """What its tab says, the longest first."""
        key, noted = f" {self.number or '·'} ", title_of(self, self.language)
        return f"{key}{noted} ", f"{key}{say(self.TITLE, self.language)} ", key

    @property
    def says_more(self) -> LocalText | None:
        """What the title says where there is more below what is seen."""
        return ScreenTexts.more_below if self.SAYS_MORE else None

    @property
    def last_row(self) -> int:
        return max((at for at, row in enumerate(self.rows) if row.text.strip()), default=0)

    def read_on(self) -> bool:
        """Scroll to what stands below; False where all of it was in view."""
        height = self.scrollable_content_region.height
        top, last = round(self.scroll_offset.y), self.last_row
        if not self.display or height <= 0 or last < top + height:
            return False
        below = min(top + max(1, height - 1), last - height + 1)
        self.scroll_to(y=below, animate=False, force=True, immediate=True)
        return True

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.says_more is not None:
            self.say_title()

    def release_run(self) -> None:
        """Free a run that is over: hidden rows would keep all of it."""
        self.rows = ()

    def basis(self, view: View) -> object:  # noqa: ARG002  (most depend on each step)
        """Return what the rows depend on: while it stays, nothing is drawn. None: on anything."""
        return None

    @property
    def key_labels(self) -> Mapping[str, str]:
        return keymap_of(self.app).labels

    def title_note_of(self, view: View) -> str:  # noqa: ARG002  (most have nothing to add)
        return ""

    def set_title(self, title: str) -> None:
        """Set the title if it has changed: setting it draws the whole panel."""
        titled = title if self.number is None else f"{self.number} {title}"
        if titled != self._titled:
            self._titled = titled
            self.border_title = Content(titled)

    @abstractmethod
    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return what to draw in `width` cells."""

    def redraw(self) -> None:
        width = self.scrollable_content_region.width
        if not self.display or width <= 0:
            return
        rows = self.rows_of(self.view, width)
        self.take(rows)
        self.draw(rows, pinned=self.pinned, widest=self.widest(width))

    def take(self, rows: Sequence[Row]) -> None:
        """Keep what rows about to be drawn were computed with."""

    @property
    def pinned(self) -> int:
        """How many of the rows drawn last are heads that do not scroll."""
        return self.PINNED

    def widest(self, width: int) -> int:
        """Return the cells of the widest row; more than `width` scrolls sideways."""
        return width

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a question is open, Home and End stay here: to the start it is a key of its own."""
        if action == "edge":
            return self.view.awaits_answer
        return super().check_action(action, parameters)

    # Search.

    def hits(self, query: str) -> Iterator[int | None]:
        """Yield what matches, from above, and None for each that does not."""
        rows = self.rows  # which a step exchanges for fewer while a long table is searched
        for index in range(len(rows)):
            yield index if has(rows[index].text, query) else None

    def rank(self, hit: int) -> int:
        """Return the place of a hit among all that could be hits."""
        return hit

    def rank_of_cursor(self) -> int:
        """Return the place from which a search begins."""
        return self.cursor if self.cursor is not None else round(self.scroll_offset.y)

    def go_to(self, hit: int) -> None:
        self.cursor = hit
        self.reveal(hit)

    def action_search(self) -> None:
        self.typed = self.sought = ""
        self._hits, self._hit, self._sought_from = [], None, self.rank_of_cursor()
        self.refresh()
        self.screen.refresh_bindings()

    def close_search(self) -> None:
        """Hide the line; the matches can still be gone through."""
        if self.typed is not None:
            self.typed = None
            self.refresh()
            self.screen.refresh_bindings()

    def action_match(self, direction: int) -> None:
        """Go to the next match of the last search, or to the one before."""
        if not self.sought or not (self._hits or self.typed is not None):
            self.action_search()
            return
        if self._hits:
            here = self.rank_of_cursor()
            ranks = [self.rank(hit) for hit in self._hits]
            if direction > 0:
                self._hit = next((n for n, rank in enumerate(ranks) if rank > here), 0)
            else:
                before = [n for n, rank in enumerate(ranks) if rank < here]
                self._hit = before[-1] if before else len(ranks) - 1
            self.go_to(self._hits[self._hit])
        self.refresh()

    def find(self, query: str) -> None:
        """Search for this, as if it had been typed, and close the line."""
        self.sought, self._sought_from = query, 0
        self._hits = [hit for hit in self.hits(query) if hit is not None]
        self._hit = 0 if self._hits else None
        if self._hits:
            self.go_to(self._hits[0])
        self.refresh()

    def takes_while_typing(self, key: str) -> bool:
        goes_on = len(self._hits) > 1 or self._scanning  # there is another match, or may be soon
        match key:
            case "escape":
                self.close_search()
            case "enter" | "down" if goes_on:
                self.action_match(1)
            case "up" if goes_on:
                self.action_match(-1)
            case "enter" | "down" | "up" if self.sought:
                only = SearchTexts.only_match if self._hits else SearchTexts.no_match
                self.post_message(self.EdgeReached(only))
            case _:
                return False
        return True

    def type_instead(self, text: str) -> None:
        self.typed = self.sought = text
        self._hits, self._hit = [], None
        self._scanning = bool(text)
        self.run_worker(self._scan(text), group="search", exclusive=True)
        self.refresh()

    async def _scan(self, query: str) -> None:
        """Find all that matches; go to the first from where the search began at once."""
        went = not query
        for count, hit in enumerate(self.hits(query) if query else ()):
            if hit is not None:
                self._hits.append(hit)
                if not went and self.rank(hit) >= self._sought_from:
                    went, self._hit = True, len(self._hits) - 1
                    self.go_to(hit)
            if count % SLICE == SLICE - 1:
                await asyncio.sleep(0)
        if not went and self._hits:
            self._hit = 0
            self.go_to(self._hits[0])
        self._scanning = False
        self.refresh()

    def on_blur(self) -> None:
        self.close_search()

    def rendered(self, lines: range) -> list[Strip]:
        strips, bottom = super().rendered(lines), self.size.height - 1
        if self.typed is not None and bottom in lines:
            strips[lines.index(bottom)] = self._search_line()
        return strips

    def make_strip(self, row: Row, *, chosen: bool) -> Strip:
        row = row if self.typed is None else marked(row, self.sought)
        return super().make_strip(row, chosen=chosen)

    def _search_line(self) -> Strip:
        """Return the query, the count of matches, the keys."""
        language, room = self.language, self.scrollable_content_region.width
        spans = [Span("/", Style.KEYWORD), Span(self.sought, Style.STRONG), Span("▏")]
        if not self.sought:
            spans.append(Span(say(self.SEARCH_HINT, language), Style.DIM))
        elif self._hit is not None:
            count = say(SearchTexts.at, language, at=self._hit + 1, count=len(self._hits))
            spans.append(Span(f"  {count}", Style.NAME))
        elif not self._scanning:
            spans.append(Span(f"  {say(SearchTexts.none, language)}", Style.WARNING))
        keys = [Span("  "), Span(say(SearchTexts.keys, language), Style.DIM)]
        left = room - spans_width(spans) - spans_width(keys)
        if left >= 0:
            spans = [*spans, Span(" " * left), *keys]
        cells = pad_spans(clip_spans(spans, room), room)
        segments = [Segment(each.text, self.style_of(Style.CURRENT, each.style)) for each in cells]
        base = self.style_of(Style.PLAIN, Style.PLAIN)
        return Strip(segments, room).extend_cell_length(self.size.width, base)

    # The mouse and the size.

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked in the search line; zoom where the title is clicked."""
        place = event.get_content_offset(self)
        if self.typed is not None and place is not None and place.y == self.size.height - 1:
            event.stop()
            event.prevent_default()
            line = self._search_line()
            key = key_named(line.text, len(line.crop(0, place.x).text))
            if key is not None:
                self.app.simulate_key(key)
            return
        if self.styles.border_top[0] and event.screen_y == self.region.y:
            event.stop()
            self.call_later(self.screen.run_action, "zoom")

    def on_resize(self) -> None:
        self.redraw()
        if self.says_more is not None:
            self.say_title()

    def on_show(self) -> None:
        """Draw what has changed while it was hidden."""
        self.redraw()


def title_of(panel: Panel, language: str) -> str:
    """Return what a panel is called on its tab, its border and the help page."""
    title = say(panel.TITLE, language)
    return f"{title} · {panel.title_note}" if panel.title_note else title
