"""The keys that move through a run."""

from __future__ import annotations

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.session.signals import Move, Moved, Restarted, Signal
from inplace_tui.model.lesson import LocalText
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.session import NoticeTexts
from inplace_tui.ui.screens.page import Page


class Stepping(Page):
    """A page on which there is a run. It says what the learner wants; the runner does it."""

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__()
        self.runner = runner

    def send(self, signal: Signal) -> None:
        """Tell the session what the learner did; the runner calls back."""
        self.runner.send(signal)

    def notify_session(self, text: LocalText) -> None:
        """Show a notice of the session."""
        if text == NoticeTexts.still_running and self.host.worker_waits():
            self.note(ScreenTexts.waiting_worker)
        else:
            self.note(text)

    def action_next(self) -> None:
        """Run the next line."""
        self.send(Moved(Move.NEXT))

    def action_back(self) -> None:
        """Go back a line."""
        self.send(Moved(Move.BACK))

    def action_into(self) -> None:
        """Go into a call."""
        self.send(Moved(Move.INTO))

    def action_out(self) -> None:
        """Go out of a call."""
        self.send(Moved(Move.OUT))

    def action_to_call(self) -> None:
        """Go back to the call."""
        self.send(Moved(Move.TO_CALL))

    def action_to_return(self) -> None:
        """Go back into the last call."""
        self.send(Moved(Move.TO_RETURN))

    def action_continue(self) -> None:
        """Go on to the next stop."""
        self.send(Moved(Move.CONTINUE))

    def action_continue_back(self) -> None:
        """Go back to the stop before."""
        self.send(Moved(Move.CONTINUE_BACK))

    def action_start(self) -> None:
        """Go to the start."""
        self.send(Moved(Move.START))

    def action_end(self) -> None:
        """Go to the end."""
        self.send(Moved(Move.END))

    def action_restart(self) -> None:
        """Run it again."""
        self.send(Restarted())
