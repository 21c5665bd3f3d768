"""One solution of a challenge, as what it changes."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.present.challenge import solution
from inplace_tui.present.rows import Row
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import RowsDialog


class SolutionDialog(RowsDialog[None]):
    """A page in front of the challenge."""

    HEADING = ChallengeTexts.solution
    FOOTER = ScreenTexts.help_close
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "cancel", "back", id="answer.challenge"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, challenge: LoadedChallenge) -> None:
        super().__init__()
        self._challenge = challenge

    def rows(self, room: int) -> list[Row]:
        return solution(self._challenge, room, self.host.language)
