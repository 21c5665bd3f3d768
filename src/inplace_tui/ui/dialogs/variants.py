"""What if: the lesson under every edit, and all outcomes side by side."""

from __future__ import annotations

from inplace_tui.engine.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.engine.session.session import Session
from inplace_tui.present.rows import Row
from inplace_tui.present.variants import held_rows, rows
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import NumberedDialog, closed_by

AS_WRITTEN = ""
"""The result that means the lesson's own program."""


class VariantsDialog(NumberedDialog[str]):
    """Lists the variants; the result is the id of the chosen one, or `AS_WRITTEN`."""

    HEADING = ScreenTexts.variants
    FOOTER = ScreenTexts.variants_lead
    BINDINGS = closed_by("variants")

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self._lesson = lesson
        self._session = session

    def rows(self, room: int) -> list[Row]:
        session = self._session
        return rows(
            self._lesson,
            session.outcomes,
            session.guesses,
            shown=session.variant,
            room=room,
            language=self.language,
        )

    def first(self) -> int:
        """Begin at the first that is not predicted yet."""
        guesses = self._session.guesses
        return next((n for n, each in enumerate(self.results()) if each and each not in guesses), 0)

    def results(self) -> list[str]:
        return [AS_WRITTEN, *(variant.id for variant in self._lesson.lesson.variants)]


class HoldsDialog(NumberedDialog[str]):
    """Lists the programs that would show the recap false; the result is the key of one."""

    HEADING = ScreenTexts.try_to_break
    FOOTER = ScreenTexts.try_to_break_lead
    BINDINGS = closed_by("holds")

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self._lesson = lesson
        self._session = session

    def rows(self, room: int) -> list[Row]:
        session = self._session
        return held_rows(self._lesson, session.outcomes, session.held, room, self.language)

    def first(self) -> int:
        return 0

    def results(self) -> list[str]:
        return [HOLDS + each.id for each in self._lesson.lesson.holds]
