"""The fixes that were run, each with its whole change; one can be opened in the sandbox."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key

from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.fixes.search import Search
from inplace_tui.present.fixes import page
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.screens.dialog import Dialog
from inplace_tui.ui.widgets.lines import Lines


def in_order(listed: tuple[Fix, ...], found: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Return what is listed from now on: a fix keeps its number, whatever is found after it."""
    known = {fix.source for fix in listed}
    return (*listed, *(fix for fix in found if fix.source not in known))


class FixesScreen(Dialog[Fix]):
    """Lists the fixes; the result is the chosen one. It fills while the search goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "cancel", "back", id="fixes"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, search: Search, place: int = 0) -> None:
        """List what is found by now, with the cursor on the fix at `place`."""
        super().__init__()
        self._search = search
        self._fixes = search.found
        self._place = place

    def compose(self) -> ComposeResult:
        """A list that scrolls."""
        with Vertical(classes="dialog -page"):
            yield Lines(id="fixes")

    def on_mount(self) -> None:
        """Write what is known by now."""
        self.query_one(Lines).focus()
        self.retell()

    def on_resize(self) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._write)

    def retell(self) -> None:
        """Say everything in the language of now."""
        box = self.query_one(".dialog")
        box.border_title = self.say("fixes")
        self.call_after_refresh(self._write)

    def show(self, search: Search) -> None:
        """Tell what is found by now."""
        self._search = search
        self._fixes = in_order(self._fixes, search.found)
        if self.is_mounted:
            self._write()

    def on_key(self, event: Key) -> None:
        """A digit chooses."""
        character = ascii_key(event).character
        if character is not None and character.isdecimal() and character != "0":
            event.stop()
            self._take(int(character) - 1)

    @on(Lines.Chosen)
    def _chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if event.target.choice is not None:
            self._take(event.target.choice)

    def _take(self, place: int) -> None:
        if place < len(self._fixes):
            self.dismiss(self._fixes[place])

    def _write(self) -> None:
        key = "fixes-lead" if self._fixes else "help-close"
        self.query_one(".dialog").border_subtitle = self.say(key)
        lines = self.query_one(Lines)
        room = lines.scrollable_content_region.width
        if room <= 0:
            return
        lines.draw(page(self._fixes, self._search, room, self.program.language))
        if lines.cursor is None:
            places = [at for at, row in enumerate(lines.rows) if row.target.choice == self._place]
            if places:
                lines.cursor = places[0]
                self.call_after_refresh(lines.reveal, places[0])
