"""`Searching`: rows in which one can look for something, in a line at their bottom.

What is typed is found as it is typed. A long panel is looked through in slices,
so that no key waits for it.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from inplace_tui.present.cells import clip_spans, pad_spans, spans_width
from inplace_tui.present.matches import has, marked
from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.texts import say
from inplace_tui.texts.searching import SearchTexts
from inplace_tui.ui.keys import ascii_twin
from inplace_tui.ui.widgets.keyed_text import key_named
from inplace_tui.ui.widgets.lines import Lines

SLICE = 256
"""Rows looked at before other events get their turn."""


class Searching(Lines):
    """Rows with a search. A hit is a row, or what a panel takes for one."""

    SEARCHED = SearchTexts.text
    """Key of the words that say what can be looked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", show=False, id="search"),
        Binding("semicolon", "match(1)", "Next match", show=False, id="next_match"),
        Binding("apostrophe", "match(-1)", "Match before", show=False, id="previous_match"),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.query_text = ""
        self.searching = False
        """Whether keys go to the line at the bottom."""

        self._hits: list[int] = []
        self._at: int | None = None
        self._from = 0
        self._scanning = False

    @property
    @abstractmethod
    def search_language(self) -> str:
        """The language of what the line says."""

    def hits(self, query: str) -> Iterator[int | None]:
        """Yield what matches, from above, and None for each that does not."""
        for index in range(len(self.rows)):
            row = self.rows[index]
            yield index if has(row.text, query) else None

    def rank(self, hit: int) -> int:
        """Return the place of a hit among all that could be hits."""
        return hit

    def rank_of_cursor(self) -> int:
        """Return the place from which a search begins."""
        return self.cursor if self.cursor is not None else round(self.scroll_offset.y)

    def go_to(self, hit: int) -> None:
        """Put the cursor on a hit."""
        self.cursor = hit
        self.reveal(hit)

    def action_search(self) -> None:
        """Open the line in which one types."""
        self.searching, self.query_text = True, ""
        self._hits, self._at, self._from = [], None, self.rank_of_cursor()
        self._redraw_marks()
        self.screen.refresh_bindings()

    def action_match(self, step: int) -> None:
        """Go to the next match of what was looked for last, or to the one before."""
        if not self.query_text:
            self.action_search()
            return
        if self._hits:
            here = self.rank_of_cursor()
            ranks = [self.rank(hit) for hit in self._hits]
            if step > 0:
                after = [n for n, rank in enumerate(ranks) if rank > here]
                self._at = after[0] if after else 0
            else:
                before = [n for n, rank in enumerate(ranks) if rank < here]
                self._at = before[-1] if before else len(ranks) - 1
            self.go_to(self._hits[self._at])
        self._redraw_marks()

    def find(self, query: str) -> None:
        """Look for this, as if it had been typed, and close the line."""
        self.query_text, self._from = query, 0
        self._hits = [hit for hit in self.hits(query) if hit is not None]
        self._at = 0 if self._hits else None
        if self._hits:
            self.go_to(self._hits[0])
        self._redraw_marks()

    def close_search(self) -> None:
        """Take the line away; what was found can still be gone through."""
        self.searching = False
        self._redraw_marks()
        self.screen.refresh_bindings()

    async def on_key(self, event: events.Key) -> None:
        """Type into the line while it is open."""
        if not self.searching:
            return
        if _types_nothing(event.key):
            return
        event.stop()
        event.prevent_default()
        match event.key:
            case "escape":
                self.close_search()
            case "enter" | "down":
                self.action_match(1)
            case "up":
                self.action_match(-1)
            case "backspace":
                self._type(self.query_text[:-1])
            case "ctrl+u":
                self._type("")
            case _ if event.is_printable and event.character:
                self._type(self.query_text + ascii_twin(event.character))

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the line while it is open."""
        if self.searching:
            event.stop()
            self._type(self.query_text + " ".join(event.text.split()))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Say that no key means anything else while one types."""
        taken = self.takes_all_keys and not _types_nothing(key)
        return taken or super().check_consume_key(key, character)

    @property
    def takes_all_keys(self) -> bool:  # type: ignore[override]
        """Whether one types into the line at the bottom."""
        return self.searching

    def on_blur(self) -> None:
        """Close the line when the keys go elsewhere. That of the rows is called, too."""
        if self.searching:
            self.close_search()

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked in the line; what is elsewhere is the rows' affair."""
        place = event.get_content_offset(self)
        if self.searching and place is not None and place.y == self.size.height - 1:
            event.stop()
            event.prevent_default()
            line = self._bar()
            key = key_named(line.text, len(line.crop(0, place.x).text))
            if key is not None:
                self.app.simulate_key(key)

    def rendered(self, lines: range) -> list[Strip]:
        """Return lines of the rows, the one in which one types among them."""
        strips = super().rendered(lines)
        if self.searching and (bottom := self.size.height - 1) in lines:
            strips[lines.index(bottom)] = self._bar()
        return strips

    def _strip(self, row: Row, *, chosen: bool) -> Strip:
        return super()._strip(
            marked(row, self.query_text) if self.searching else row, chosen=chosen
        )

    def _type(self, query: str) -> None:
        self.query_text = query
        self._hits, self._at = [], None
        self._scanning = bool(query)
        self.run_worker(self._scan(query), group="search", exclusive=True)
        self._redraw_marks()

    async def _scan(self, query: str) -> None:
        """Find all that matches; go to the first from where the search began at once."""
        went = not query
        for count, hit in enumerate(self.hits(query) if query else ()):
            if hit is not None:
                self._hits.append(hit)
                if not went and self.rank(hit) >= self._from:
                    went, self._at = True, len(self._hits) - 1
                    self.go_to(hit)
            if count % SLICE == SLICE - 1:
                await asyncio.sleep(0)
        if not went and self._hits:
            self._at = 0
            self.go_to(self._hits[0])
        self._scanning = False
        self._redraw_marks()

    def _redraw_marks(self) -> None:
        self._strips.clear()
        self.refresh()

    def _bar(self) -> Strip:
        """Return the line: what is looked for, how often it is there, what the keys do."""
        at = self.search_language
        spans = [Span("/", Style.KEYWORD), Span(self.query_text, Style.STRONG), Span("▏")]
        if not self.query_text:
            spans.append(Span(say(self.SEARCHED, at), Style.DIM))
        elif self._at is not None:
            said = say(SearchTexts.at, at, at=self._at + 1, count=len(self._hits))
            spans.append(Span(f"  {said}", Style.NAME))
        elif not self._scanning:
            spans.append(Span(f"  {say(SearchTexts.none, at)}", Style.WARNING))
        room = self.scrollable_content_region.width
        keys = [Span("  "), Span(say(SearchTexts.keys, at), Style.DIM)]
        left = room - spans_width(spans) - spans_width(keys)
        if left >= 0:
            spans = [*spans, Span(" " * left), *keys]
        row = Row(pad_spans(clip_spans(spans, room), room), style=Style.CURRENT)
        segments = [
            Segment(each.text, self._look(row.style, each.style, chosen=False))
            for each in row.spans
        ]
        base = self._look(Style.PLAIN, Style.PLAIN, chosen=False)
        return Strip(segments, room).extend_cell_length(self.size.width, base)


def _types_nothing(key: str) -> bool:
    """Whether a key means where one types what it means elsewhere; but the line has its Ctrl-U."""
    function = key[0] == "f" and key[1:].isdigit()
    return function or (key.startswith("ctrl+") and key != "ctrl+u")
