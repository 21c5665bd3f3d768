"""The sandbox: write a program, run it, step through it, edit and run again."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from inplace_tui.drive.player import Player
from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.session.signals import Move, Moved, ProgramReplaced, RunToLine, Signal
from inplace_tui.engine.session.view import View
from inplace_tui.model.outcome import Raised
from inplace_tui.model.program import Program
from inplace_tui.present.said import ending
from inplace_tui.ui.keys import Where, bindings
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.screens import textfile
from inplace_tui.ui.screens.dialog import Ask, Prompt
from inplace_tui.ui.screens.run_screen import RunScreen
from inplace_tui.ui.screens.textfile import FileError, Recovery, TextFile
from inplace_tui.ui.widgets.bar import Bar
from inplace_tui.ui.widgets.editor import Editor

KEEP_AFTER = 0.8
"""Seconds without typing after which the recovery copy is written."""


AT_THE_END = sys.maxsize
"""A step to open at: wherever the run ends."""


@dataclass(frozen=True)
class Draft:
    """What the sandbox opens with."""

    text: str
    file: TextFile | None = None
    seed: int | None = 0
    cursor: int | None = None
    """The step to show at once; None does not run anything yet."""

    recovered: bool = False
    missing: bool = False
    """`file` is not there yet."""

    notice: str | None = None
    """Key of what to say first."""


def drafted(recovery: Recovery, path: Path | None) -> Draft:
    """Return what the sandbox opens with: what was not saved last time, else the file.

    Raises:
        FileError: the file can't be opened.
    """
    file = None if path is None else textfile.read(path)
    text = "" if file is None else file.text
    kept = recovery.kept(path)
    recovered = kept is not None and kept != text
    return Draft(
        kept if recovered and kept is not None else text,
        file=file,
        seed=0 if file is None else None,
        recovered=recovered,
        missing=file is not None and file.stamp is None,
    )


class SandboxScreen(RunScreen):
    """A program of the learner's own."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.RUN, Where.SANDBOX)]

    def __init__(self, player: Player, draft: Draft, recovery: Recovery) -> None:
        super().__init__(player)
        self.file = draft.file
        self.editing = draft.cursor is None
        self._draft = draft
        self._seed = draft.seed
        self._recovery = recovery
        self._saved_text = draft.text if draft.file is not None else ""
        self._ran = draft.text if draft.cursor is not None else None
        self._following = False
        self._was_running = False
        self._keeping: Timer | None = None

    def compose_editor(self) -> ComposeResult:
        """The editor has the code panel's place while one types."""
        yield Editor(self._draft.text, id="editor")

    def on_mount(self) -> None:
        """Go where the learner goes on."""
        draft = self._draft
        self._saved_text = self.editor.text if not draft.recovered else self._saved_text
        if draft.file is None and draft.cursor is not None:
            self._saved_text = self.editor.text
        super().on_mount()
        self.first_focus().focus()
        if draft.notice is not None:
            self.note(draft.notice)
        elif draft.recovered:
            self.note("recovered")
        elif draft.missing and draft.file is not None:
            self.note("file-new", path=str(draft.file.path))

    @property
    def editor(self) -> Editor:
        """The text."""
        return self.query_one(Editor)

    @property
    def unsaved(self) -> bool:
        """Whether something was typed that is in no file."""
        return self.editor.text != self._saved_text

    def first_focus(self) -> Widget:
        """Return the editor while typing, else the code."""
        return self.editor if self.editing else self.query_one(CodePanel)

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
                self.player.send(Moved(Move.END))
        elif ended and self._was_running and outcome is not None and self.view.cursor < last:
            self.note("ended-ahead", how=ending(outcome, self.view.truth, self.language))
        self._was_running = not ended

    def show_title(self) -> None:
        """Say which file this is, and whether it is saved."""
        name = self.say("untitled") if self.file is None else self.file.path.name
        parts = [Content.styled(self.say("sandbox"), "bold $primary"), Content(name)]
        if self.unsaved:
            parts.append(Content.styled(self.say("unsaved"), "$warning"))
        right = Content("")
        if self._ran is not None:
            right = self.progress_said(self.view)
            if self._ran != self.editor.text:
                right = Content.styled(self.say("edited-since"), "$warning")
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stepping waits for a run, and for the learner to leave the editor."""
        if action == "type":
            return not self.editing
        return super().check_action(action, parameters)

    # Typing.

    @on(TextArea.Changed, "#editor")
    def _typed(self) -> None:
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(KEEP_AFTER, self.keep)
        self.show_title()

    def keep(self) -> None:
        """Write the recovery copy, or drop it when there is nothing to recover."""
        if self.unsaved and self.editor.text.strip():
            self._recovery.keep(self._path, self.editor.text)
        else:
            self._recovery.forget(self._path)

    @property
    def _path(self) -> Path | None:
        return None if self.file is None else self.file.path

    def action_type(self) -> None:
        """Go into the editor, at the line that the code panel points at."""
        line = self._line_of_interest()
        self._edit(editing=True)
        if line is not None:
            self.editor.move_cursor((line - 1, 0))

    def _line_of_interest(self) -> int | None:
        if self._ran is None or self._ran != self.editor.text:
            return None
        cursor = self.query_one(CodePanel).cursor
        if cursor is not None:
            return cursor + 1
        outcome = self.view.outcome
        if isinstance(outcome, Raised) and outcome.line is not None:
            return outcome.line
        return None

    def _edit(self, *, editing: bool) -> None:
        self.editing = editing
        self.zoomed = None
        self.refresh_view()
        self.first_focus().focus()

    def action_leave(self) -> None:
        """Out of the editor; out of the zoom; out of the sandbox."""
        if self.editing:
            self._edit(editing=False)
            if self._ran is None:
                self.note("edit-first")
        else:
            super().action_leave()

    # Running.

    def action_run(self) -> None:
        """Run what is in the editor."""
        self.keep()
        self._ran = self.editor.text
        self._following = True
        self.editing = False
        self.player.send(ProgramReplaced(self.program_of(self._ran)))
        self.query_one(CodePanel).focus()

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
        )

    def open_fix(self, fix: Fix) -> None:
        """Write the fix into the editor, where it can be undone, and run it."""
        editor = self.editor
        editor.history.checkpoint()
        editor.replace(fix.source, (0, 0), editor.document.end)
        self.action_run()
        self.note("fix-in-editor")

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
            self.note("edit-first")

    # Files.

    def action_save(self) -> None:
        """Save to the file; ask for its name if there is none."""
        if self.file is None:
            self.action_save_as()
        else:
            self.run_worker(self._save(self.file), exclusive=True)

    def action_save_as(self) -> None:
        """Ask for a name and save there."""
        self.run_worker(self._save_as(), exclusive=True)

    def action_open(self) -> None:
        """Ask for a file and open it."""
        self.run_worker(self._open(), exclusive=True)

    async def _save(self, file: TextFile) -> bool:
        if textfile.changed_since(file):
            question = self.say("ask-reload", path=str(file.path))
            answers = [("overwrite", self.say("do-overwrite"))]
            if await self.app.push_screen_wait(Ask(question, answers)) is None:
                return False
        return self._write(file.path)

    async def _save_as(self) -> bool:
        text = "" if self.file is None else str(self.file.path)
        name = await self.app.push_screen_wait(Prompt(self.say("prompt-save"), text=text))
        if name is None:
            return False
        path = textfile.named(name)
        if textfile.exists(path) and (self.file is None or path != self.file.path):
            answers = [("overwrite", self.say("do-overwrite"))]
            question = self.say("ask-overwrite", path=str(path))
            if await self.app.push_screen_wait(Ask(question, answers)) is None:
                return False
        return self._write(path)

    def _write(self, path: Path) -> bool:
        try:
            file = textfile.write(path, self.editor.text)
        except FileError as refusal:
            self.notice(self.say(refusal.key, **refusal.values), wrong=True)
            return False
        self._recovery.forget(self._path)
        self.file, self._saved_text = file, self.editor.text
        self.note("saved", path=str(path))
        self.show_title()
        return True

    async def _open(self) -> None:
        if not await self.may_lose():
            return
        name = await self.app.push_screen_wait(Prompt(self.say("prompt-open")))
        if name is None:
            return
        path = textfile.named(name)
        try:
            file = textfile.read(path)
            if file.stamp is None:
                raise FileError("file-missing", {"path": str(path)})
        except FileError as refusal:
            self.notice(self.say(refusal.key, **refusal.values), wrong=True)
            return
        self.file, self._seed = file, None
        self.editor.load_text(file.text)
        self._saved_text, self._ran = self.editor.text, None
        self._edit(editing=True)
        self.note("opened", path=str(path))

    async def may_lose(self) -> bool:
        """Ask what to do with changes that are not saved; True if they may go."""
        if not self.unsaved or not self.editor.text.strip():
            return True
        answers = [("save", self.say("do-save")), ("discard", self.say("do-discard"))]
        answer = await self.app.push_screen_wait(Ask(self.say("ask-save"), answers))
        if answer == "save":
            return await (self._save_as() if self.file is None else self._save(self.file))
        if answer == "discard":
            if self._keeping is not None:
                self._keeping.stop()
            self._recovery.forget(self._path)
        return answer == "discard"

    def go_away(self) -> None:
        """Leave, once nothing can be lost."""
        self.run_worker(self._go_away(), exclusive=True)

    async def _go_away(self) -> None:
        if await self.may_lose():
            self.program.leave(self)
