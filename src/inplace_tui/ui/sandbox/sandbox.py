"""The sandbox: write a program, run it, step through it, edit and run again."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.session.signals import Move, Moved, ProgramReplaced, RunToLine, Signal
from inplace_tui.engine.session.view import View
from inplace_tui.model.program import Program
from inplace_tui.present.outcome_text import ending_text
from inplace_tui.texts import say
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.keymap import key_labels
from inplace_tui.ui.keys import Where, bindings
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.sandbox.live import LiveScreen
from inplace_tui.ui.sandbox.sharing import SharingScreen
from inplace_tui.ui.widgets.bar import Bar


class SandboxScreen(LiveScreen, SharingScreen):
    """A program of the learner's own."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.RUN, Where.SANDBOX)]

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft, recovery)
        self._following = False
        self._was_running = False

    # Showing.

    def look(self) -> View:
        """Return the view; before the first run, the text alone."""
        view = super().look()
        if self._ran is None:
            return replace(view, source=self.editor.text, running=False, next_line=None)
        return view

    def refresh_view(self) -> None:
        """Show the view; follow a run until the learner steps through it."""
        super().refresh_view()
        if self._ran is None:
            return
        last = len(self.view.timeline) - 1
        ended, outcome = not self.view.running, self.view.timeline.outcome
        if self._following:
            self._following = not ended
            if self.view.cursor < last:
                self.runner.send(Moved(Move.END))
        elif ended and self._was_running and outcome is not None and self.view.cursor < last:
            self.note(
                ScreenTexts.ended_ahead, how=ending_text(outcome, self.view.truth, self.language)
            )
        self._was_running = not ended

    def retell(self) -> None:
        """Say everything again, in an empty editor what can be done there."""
        empty = say(EditorTexts.empty, self.language, keys=key_labels(self.app))
        self.editor.placeholder = Content(empty)
        super().retell()

    def show_title(self) -> None:
        """Say which file this is, and whether it is saved."""
        name = self.say(ScreenTexts.untitled) if self.file is None else self.file.path.name
        parts = [Content.styled(self.say(ScreenTexts.sandbox), "bold $primary"), Content(name)]
        if self.unsaved:
            key = (
                ScreenTexts.unsaved
                if self._recovery.trouble is None
                else ScreenTexts.unsaved_unkept
            )
            parts.append(Content.styled(self.say(key), "$warning"))
        right = Content("")
        if self._ran is not None:
            right = self.progress_said(self.view)
            if self._ran != self.editor.text:
                right = Content.styled(self.say(ScreenTexts.edited_since), "$warning")
        if self.is_live:
            right = self.live_said()
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    # Running.

    def action_run(self) -> None:
        """Run what is in the editor."""
        self.keep()
        self.stop_beside()
        self._ran = self.editor.text
        self._following = True
        self.editing = False
        program = self.program_of(self._ran)
        self.run_log.begin(program)
        self.runner.send(ProgramReplaced(program))
        self.set_focus(self.query_one(CodePanel))  # now: the next key may be here already

    def began(self, program: Program) -> None:
        """Keep the runs that were made while typing, too."""
        self.run_log.begin(program, live=True)

    def program_of(self, text: str) -> Program:
        """Return what to run when this is in the editor.

        A file draws other numbers each time, as under python; the replays of one run
        draw the same, or nothing could be compared.
        """
        return Program(
            source=text,
            filename="sandbox.py" if self.file is None else self.file.path.name,
            folder=None if self.file is None else str(self.file.path.absolute().parent),
            seed=secrets.randbelow(2**31) if self._seed is None else self._seed,
            origin=self.origin,
        )

    def open_fix(self, fix: Fix) -> None:
        """Write the fix into the editor, where it can be undone, and run it."""
        self.editor.replace_all(fix.source)
        self.action_run()
        self.note(ScreenTexts.fix_in_editor)

    def action_restart(self) -> None:
        """Run again; here that is the same as running."""
        self.action_run()

    def send(self, signal: Signal) -> None:
        """Before the first run there is nothing to step through."""
        if self._ran is not None:
            self._following = False
            super().send(signal)
        elif isinstance(signal, RunToLine):
            self.action_type()
            self.editor.move_cursor((signal.line - 1, 0))
        else:
            self.note(ScreenTexts.edit_first)
