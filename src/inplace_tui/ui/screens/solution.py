"""One solution of a challenge, as what it changes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.present.challenge import solution
from inplace_tui.texts import say
from inplace_tui.texts.challenges import TASK
from inplace_tui.ui.screens.dialog import Dialog
from inplace_tui.ui.widgets.lines import Lines


class SolutionScreen(Dialog[None]):
    """A page in front of the challenge."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "cancel", "back", id="answer.challenge"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, challenge: LoadedChallenge) -> None:
        super().__init__()
        self._challenge = challenge

    def compose(self) -> ComposeResult:
        """A page that scrolls."""
        with Vertical(classes="dialog -page"):
            yield Lines(id="solution")

    def on_mount(self) -> None:
        """Write the page once its width is known."""
        self.query_one(Lines).focus()
        self.retell()

    def on_resize(self) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._write)

    def retell(self) -> None:
        """Say everything in the language of now."""
        box, language = self.query_one(".dialog"), self.program.language
        box.border_title = say(TASK, "solution", language)
        box.border_subtitle = say(TASK, "solution-lead", language)
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        page = self.query_one(Lines)
        room = page.scrollable_content_region.width
        if room > 0:
            page.draw(solution(self._challenge, room, self.program.language))
