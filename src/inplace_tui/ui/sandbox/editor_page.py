"""The page with an editor, as its parts know it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from textual.timer import Timer

from inplace_tui.model.program import Program
from inplace_tui.ui.run.run_page import RunPage
from inplace_tui.ui.run.session_runner import ScreenSessionRunner
from inplace_tui.ui.widgets.editor import Editor


class EditorPage(RunPage, Protocol):
    """A page on which a program is written and run."""

    ran_text: str | None
    """The text of the run that is shown; None before the first."""

    @property
    def editor(self) -> Editor: ...
    @property
    def editing(self) -> bool:
        """Whether the editor has the code panel's place."""

    def edit(self, *, editing: bool) -> None:
        """Go into the editor, or out of it."""

    def take_program(self, program: Program) -> None:
        """Put a program into the editor, where that can be undone."""

    def program_of(self, text: str) -> Program: ...

    def stop_saving(self) -> None:
        """Do not keep what was typed: it is safe, or given up."""

    def play(self, runner: ScreenSessionRunner) -> None:
        """Show the run of another runner from now on."""

    def show_title(self) -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], None], /) -> Timer: ...
