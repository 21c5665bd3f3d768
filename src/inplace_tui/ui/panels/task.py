"""The task of a challenge, above its program, with the verdict on what was run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplace_tui.engine.session.view import View
from inplace_tui.present import challenge
from inplace_tui.present.challenge import ChallengeAttempt
from inplace_tui.present.rows import Row
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.ui.panels.panel import Panel


class TaskPanel(Panel):
    """Shows what is wanted, hints, and what holds of the last run and what doesn't."""

    TITLE = ChallengeTexts.title
    SAYS_MORE = True

    def __init__(self, attempt: ChallengeAttempt, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.attempt = attempt

    def rows_of(self, view: View, width: int) -> Sequence[Row]:  # noqa: ARG002
        return challenge.rows(self.attempt, width, self.language)

    def reveal_from(self, place: Callable[[ChallengeAttempt, int, str], int]) -> None:
        """Scroll so that what begins at a place can be read, and what fits of all below it."""
        width = self.scrollable_content_region.width
        if width > 0:
            self.reveal(max(0, len(self.rows) - 1), margin=0)
            self.reveal(place(self.attempt, width, self.language), margin=0)
