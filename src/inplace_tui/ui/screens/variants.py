"""What if: the lesson under every edit, and all outcomes side by side."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key

from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.present.variants import Outcomes, rows
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.screens.dialog import Dialog
from inplace_tui.ui.widgets.lines import Lines

AS_WRITTEN = ""
"""The result that means the lesson's own program."""


class VariantsScreen(Dialog[str]):
    """Lists the variants; the result is the id of the chosen one, or `AS_WRITTEN`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "cancel", "back", id="variants"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, lesson: LoadedLesson, shown: str | None) -> None:
        super().__init__()
        self._lesson = lesson
        self._shown = shown
        self._outcomes: Outcomes = {}

    def compose(self) -> ComposeResult:
        """A table that scrolls."""
        with Vertical(classes="dialog -page"):
            yield Lines(id="variants")

    def on_mount(self) -> None:
        """Write what is known by now."""
        box = self.query_one(".dialog")
        box.border_title = self.say("variants")
        box.border_subtitle = self.say("variants-lead")
        self.query_one(Lines).focus()
        self.call_after_refresh(self._write)

    def on_resize(self) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._write)

    def show(self, outcomes: Outcomes) -> None:
        """Tell how the runs ended that have ended by now."""
        self._outcomes = dict(outcomes)
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
        ids = [AS_WRITTEN, *(variant.id for variant in self._lesson.lesson.variants)]
        if place < len(ids):
            self.dismiss(ids[place])

    def _write(self) -> None:
        table = self.query_one(Lines)
        room = table.scrollable_content_region.width
        if room > 0:
            language = self.program.language
            table.draw(rows(self._lesson, self._outcomes, self._shown, room, language))
            if table.cursor is None and table.rows:
                table.cursor = 0
