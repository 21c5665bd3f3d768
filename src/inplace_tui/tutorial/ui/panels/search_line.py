"""The search of a panel: a line at its bottom, and what matches.

A match is found while one types. A long panel is searched in slices, so that no key waits.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.strip import Strip

from inplace_tui.common.cells import clip_spans, pad_spans, spans_width
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.texts import say
from inplace_tui.common.texts.searching import SearchTexts
from inplace_tui.tutorial.present.matches import marked
from inplace_tui.tutorial.ui.keys import ascii_twin, takes_key
from inplace_tui.tutorial.ui.widgets.clickable_keys import key_named
from inplace_tui.tutorial.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.panels.panel import Panel

SLICE = 256
"""Rows that are searched before other events get their turn."""


class SearchLine:
    """What is typed to search, and its hits."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self.query = ""
        self.is_open = False
        """Whether keys go to the line at the bottom."""

        self._hits: list[int] = []
        self._at: int | None = None
        self._from = 0
        self._scanning = False

    def open(self) -> None:
        self.is_open, self.query = True, ""
        self._hits, self._at, self._from = [], None, self._panel.rank_of_cursor()
        self._redraw()
        self._panel.screen.refresh_bindings()

    def close(self) -> None:
        """Hide the line; the matches can still be gone through."""
        if self.is_open:
            self.is_open = False
            self._redraw()
            self._panel.screen.refresh_bindings()

    def step(self, direction: int) -> None:
        """Go to the next match of the last search, or to the one before."""
        if not self.query or not (self._hits or self.is_open):
            self.open()
            return
        if self._hits:
            here = self._panel.rank_of_cursor()
            ranks = [self._panel.rank(hit) for hit in self._hits]
            if direction > 0:
                after = [n for n, rank in enumerate(ranks) if rank > here]
                self._at = after[0] if after else 0
            else:
                before = [n for n, rank in enumerate(ranks) if rank < here]
                self._at = before[-1] if before else len(ranks) - 1
            self._panel.go_to(self._hits[self._at])
        self._redraw()

    def find(self, query: str) -> None:
        """Search for this, as if it had been typed, and close the line."""
        self.query, self._from = query, 0
        self._hits = [hit for hit in self._panel.hits(query) if hit is not None]
        self._at = 0 if self._hits else None
        if self._hits:
            self._panel.go_to(self._hits[0])
        self._redraw()

    def on_key(self, event: events.Key) -> None:
        if not self.is_open or not takes_key(event.key):
            return
        event.stop()
        event.prevent_default()
        match event.key:
            case "escape":
                self.close()
            case "enter" | "down" if self._goes_on:
                self.step(1)
            case "up" if self._goes_on:
                self.step(-1)
            case "enter" | "down" | "up" if self.query:
                only = SearchTexts.only_match if self._hits else SearchTexts.no_match
                self._panel.post_message(Lines.EdgeReached(only))
            case "backspace" if self.query:
                self._type(self.query[:-1])
            case "ctrl+u" if self.query:
                self._type("")
            case _ if event.is_printable and event.character:
                self._type(self.query + ascii_twin(event.character))
            case _:
                self._panel.refuse_key(event.key)

    @property
    def _goes_on(self) -> bool:
        """Whether there is another match to go to, or may be soon."""
        return len(self._hits) > 1 or self._scanning

    def on_paste(self, event: events.Paste) -> None:
        if self.is_open:
            event.stop()
            self._type(self.query + " ".join(event.text.split()))

    def on_click(self, event: events.Click) -> bool:
        """Press the key that was clicked in the line; return whether the click was there."""
        place = event.get_content_offset(self._panel)
        if not self.is_open or place is None or place.y != self._panel.size.height - 1:
            return False
        event.stop()
        event.prevent_default()
        line = self._strip()
        key = key_named(line.text, len(line.crop(0, place.x).text))
        if key is not None:
            self._panel.app.simulate_key(key)
        return True

    def marked(self, row: Row) -> Row:
        return marked(row, self.query) if self.is_open else row

    def drawn_over(self, strips: list[Strip], lines: range) -> list[Strip]:
        """Return the strips of some lines, with the search line in its place."""
        if self.is_open and (bottom := self._panel.size.height - 1) in lines:
            strips[lines.index(bottom)] = self._strip()
        return strips

    def _type(self, query: str) -> None:
        self.query = query
        self._hits, self._at = [], None
        self._scanning = bool(query)
        self._panel.run_worker(self._scan(query), group="search", exclusive=True)
        self._redraw()

    async def _scan(self, query: str) -> None:
        """Find all that matches; go to the first from where the search began at once."""
        went = not query
        for count, hit in enumerate(self._panel.hits(query) if query else ()):
            if hit is not None:
                self._hits.append(hit)
                if not went and self._panel.rank(hit) >= self._from:
                    went, self._at = True, len(self._hits) - 1
                    self._panel.go_to(hit)
            if count % SLICE == SLICE - 1:
                await asyncio.sleep(0)
        if not went and self._hits:
            self._at = 0
            self._panel.go_to(self._hits[0])
        self._scanning = False
        self._redraw()

    def _redraw(self) -> None:
        self._panel.forget_strips()
        self._panel.refresh()

    def _strip(self) -> Strip:
        """Return the line: the query, the count of matches, the keys."""
        language, panel = self._panel.language, self._panel
        spans = [Span("/", Style.KEYWORD), Span(self.query, Style.STRONG), Span("▏")]
        if not self.query:
            spans.append(Span(say(self._panel.SEARCH_HINT, language), Style.DIM))
        elif self._at is not None:
            count = say(SearchTexts.at, language, at=self._at + 1, count=len(self._hits))
            spans.append(Span(f"  {count}", Style.NAME))
        elif not self._scanning:
            spans.append(Span(f"  {say(SearchTexts.none, language)}", Style.WARNING))
        room = panel.scrollable_content_region.width
        keys = [Span("  "), Span(say(SearchTexts.keys, language), Style.DIM)]
        left = room - spans_width(spans) - spans_width(keys)
        if left >= 0:
            spans = [*spans, Span(" " * left), *keys]
        cells = pad_spans(clip_spans(spans, room), room)
        segments = [Segment(each.text, panel.style_of(Style.CURRENT, each.style)) for each in cells]
        base = panel.style_of(Style.PLAIN, Style.PLAIN)
        return Strip(segments, room).extend_cell_length(panel.size.width, base)
