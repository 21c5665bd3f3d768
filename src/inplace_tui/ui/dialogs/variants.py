"""What if: the lesson under every edit, and all outcomes side by side."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.engine.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.present.rows import Row
from inplace_tui.present.variants import Guesses, Outcomes, held_rows, rows
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import NumberedDialog, closed_by

AS_WRITTEN = ""
"""The result that means the lesson's own program."""


class VariantsDialog(NumberedDialog[str]):
    """Lists the variants; the result is the id of the chosen one, or `AS_WRITTEN`."""

    HEADING = ScreenTexts.variants
    FOOTER = ScreenTexts.variants_lead
    BINDINGS = closed_by("variants")

    def __init__(self, lesson: LoadedLesson, shown: str | None) -> None:
        super().__init__()
        self._lesson = lesson
        self._shown = shown
        self._outcomes: Outcomes = {}
        self._guesses: Guesses = {}

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


class HoldsDialog(NumberedDialog[str]):
    """Lists the programs that would show the recap false; the result is the key of one."""

    HEADING = ScreenTexts.try_to_break
    FOOTER = ScreenTexts.try_to_break_lead
    BINDINGS = closed_by("holds")

    def __init__(self, lesson: LoadedLesson) -> None:
        super().__init__()
        self._lesson = lesson
        self._outcomes: Outcomes = {}
        self._held: Mapping[str, bool] = {}

    def rows(self, room: int) -> list[Row]:
        return held_rows(self._lesson, self._outcomes, self._held, room, self.host.language)

    def first(self) -> int:
        return 0

    def results(self) -> list[str]:
        return [HOLDS + each.id for each in self._lesson.lesson.holds]

    def show(self, outcomes: Outcomes, held: Mapping[str, bool]) -> None:
        self._outcomes, self._held = dict(outcomes), dict(held)
        self.write()
