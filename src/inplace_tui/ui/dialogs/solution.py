"""One solution of a challenge, as what it changes."""

from __future__ import annotations

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.present.challenge import solution
from inplace_tui.present.rows import Row
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import RowsDialog, closed_by


class SolutionDialog(RowsDialog[None]):
    """A page in front of the challenge."""

    HEADING = ChallengeTexts.solution
    FOOTER = ScreenTexts.help_close
    BINDINGS = closed_by("answer.challenge")

    def __init__(self, challenge: LoadedChallenge) -> None:
        super().__init__()
        self._challenge = challenge

    def rows(self, room: int) -> list[Row]:
        return solution(self._challenge, room, self.language)
