"""What if: the lesson under every edit, and all outcomes side by side."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.present.rows import Row
from inplace_tui.present.variants import Guesses, Outcomes, rows
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import NumberedDialog

AS_WRITTEN = ""
"""The result that means the lesson's own program."""


class VariantsDialog(NumberedDialog[str]):
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
        self._guesses: Guesses = {}

    def heading(self) -> str:
        return self.say(ScreenTexts.variants)

    def footer(self) -> str:
        return self.say(ScreenTexts.variants_lead)

    def rows(self, room: int) -> list[Row]:
        return rows(
            self._lesson,
            self._outcomes,
            self._guesses,
            shown=self._shown,
            room=room,
            language=self.host.language,
        )

    def first(self) -> int:
        """Begin at the first that is not predicted yet."""
        ids = self.results()
        return next((n for n, each in enumerate(ids) if each and each not in self._guesses), 0)

    def results(self) -> list[str]:
        return [AS_WRITTEN, *(variant.id for variant in self._lesson.lesson.variants)]

    def show(self, outcomes: Outcomes, guesses: Guesses) -> None:
        self._outcomes, self._guesses = dict(outcomes), dict(guesses)
        self.write()
