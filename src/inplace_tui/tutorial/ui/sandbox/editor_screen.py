"""A page on which a program is written, run and stepped through."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.run.files import main_text
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts.actions import STOP, TO_PANELS
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.texts.writing import EditorTexts
from inplace_tui.diagnosis.drive.runs import torch_names
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.editor.completion import EMPTY as NOTHING_KNOWN
from inplace_tui.tutorial.editor.completion import (
    Completion,
    Names,
    TypedName,
    completions,
    names_in,
)
from inplace_tui.tutorial.editor.indentation import commented
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.keys import ACTIONS, Where
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.sandbox.line_notes import LineNotes
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.textual_private.compositor import unbind
from inplace_tui.tutorial.ui.widgets.editor import Editor
from inplace_tui.tutorial.ui.widgets.find_bar import FindBar

SAVE_AFTER = 0.6
"""Seconds after which what was typed is kept, however fast one types on."""

LINES_APART = 20
"""Cells by which the longest line has to grow until the code gets more room."""

IN_THE_EDITOR = ("find", "find_next", "comment", "complete")
"""Actions that are of no use anywhere else."""

BACK = (signals.Moved(signals.Move.BACK), signals.Moved(signals.Move.CONTINUE_BACK))


class EditorScreen(RunScreen):
    """Shows an editor in the code panel's place while one types, and runs what is in it."""

    def __init__(self, runner: SessionRunner, text: str, *, ran: bool) -> None:
        """Open an editor; if it `ran`, the text is run at once, else one begins to type."""
        super().__init__(runner)
        self.panel_layout.editing = not ran
        self.ran_text = text if ran else None
        self.editor = Editor(text)
        self.finding = FindBar(self.editor)
        self.notes = LineNotes(self)
        self.editor.completer = self._completions
        self.torch_names = NOTHING_KNOWN
        self._names: tuple[object, Names] = (None, Names())
        """The names of the program, and what they were computed from."""

        self.asked_torch = False
        self._save_timer: Timer | None = None
        self._runs_to_end = False
        """Whether the panels go along with a run: until the learner steps through it."""

        self._back_from_end: list[signals.Signal] = []
        """Steps back that were asked for before the run had any."""

        self._was_running = False
        self._code_width = 0
        """Cells of the longest line that was laid out."""

    @abstractmethod
    def program_of(self, text: str) -> Program: ...

    def compose_more(self) -> list[Widget]:
        return [Vertical(self.editor, self.finding, id="editor")]

    def _write(self, main: str) -> None:
        """Have a main file in the editor, where that can be undone."""
        if main not in (self.editor.text, f"{self.editor.text}\n"):
            self.editor.replace_all(main)

    @property
    def editing(self) -> bool:
        return self.panel_layout.editing

    def edit(self, *, editing: bool) -> None:
        """Go into the editor, or out of it."""
        self.finding.action_close()
        self.panel_layout.editing = editing
        self.panel_layout.zoomed = None
        self.refresh_view()
        self.set_focus(self.first_focus())  # now: the next key may be here already

    def first_focus(self) -> Widget:
        return self.editor if self.editing else self.query_one(CodePanel)

    def begin(self) -> None:
        # The editor leaves to the screen what are keys of the screen's.
        ours = (each.id for each in ACTIONS if each.where in (Where.SANDBOX, Where.EVERYWHERE))
        unbind(self.editor, self.host.keymap.keys(*ours))
        super().begin()
        self.set_focus(self.first_focus())  # now: the next key may be here already

    # Showing.

    @property
    def awaits_run(self) -> bool:
        """Whether what is pressed next is meant for the end of the run that was just begun."""
        return not self.editing and (self._runs_to_end or super().awaits_run)

    def goes_first(self, key: str) -> bool:
        """A new run takes the place of the one that is waited for."""
        runs = self.catches_up and key in self.host.keymap.keys("run", "restart")
        return runs or super().goes_first(key)

    def adjust(self, needs: Needs, view: View) -> Needs:
        """Keep the room that a line once needed: few keys that are typed move a panel."""
        self._code_width = max(self._code_width, min(needs.code_width, self.size.width))
        width = -(-self._code_width // LINES_APART) * LINES_APART
        return replace(super().adjust(needs, view), code_width=width)

    def current_view(self) -> View:
        """Return the view; before the first run, the text alone."""
        view = super().current_view()
        if self.ran_text is None:
            return replace(view, source=self.editor.text, running=False, next_line=None)
        return view

    def view_shown(self) -> None:
        """Go along with a run until the learner steps through it."""
        self.notes.annotate()
        if self.ran_text is None:
            return
        last = len(self.view.timeline) - 1
        ended, outcome = not self.view.running, self.view.timeline.outcome
        was_running, self._was_running = self._was_running, not ended
        if self._runs_to_end:
            self._runs_to_end = not ended
            # Where it raised, what it was about is alive; it may not be where the program ended.
            raised = raising_step(self.view.timeline) if isinstance(outcome, Raised) else None
            goal = last if raised is None else raised.index
            if self.view.cursor != goal:
                self.runner.send(
                    signals.Moved(signals.Move.END) if raised is None else signals.StepChosen(goal)
                )
            if ended:
                waiting, self._back_from_end = self._back_from_end, []
                for signal in waiting:
                    self.runner.send(signal)
        elif ended and was_running and outcome is not None and self.view.cursor < last:
            how = ending_text(outcome, self.view.truth, self.language, self.view.source)
            self.note(ScreenTexts.ended_ahead, how=how)

    def update_texts(self) -> None:
        if self.query("#title"):  # else it is being removed
            self.query_one("#editor").border_title = Content(self.say(EditorTexts.editor))
            self.editor.placeholder = Content(self.say(EditorTexts.empty))
            self.finding.update_texts()
            super().update_texts()

    def edited_since(self) -> Content | None:
        """Return that what is shown is of an older text, where it is."""
        if self.ran_text is None or self.ran_text == self.editor.text:
            return None
        return Content.styled(self.say(ScreenTexts.edited_since), "$warning")

    # Running.

    def action_run(self) -> None:
        self.save_draft()
        self.ran_text = self.editor.text
        self._runs_to_end = True
        self._back_from_end = []
        self.stay()
        self.panel_layout.editing = False
        self.runner.send(signals.Restarted(self.program_of(self.ran_text)))
        self.set_focus(self.query_one(CodePanel))  # now: the next key may be here already

    def action_restart(self) -> None:
        """Run again; here that is the same as running."""
        self.action_run()

    def send(self, signal: signals.Signal) -> None:
        """Before the first run there is nothing to step through; back is from where it ends."""
        if self._runs_to_end and self.view.cursor < 0 and signal in BACK:
            self._back_from_end.append(signal)
            self.notify_session(NoticeTexts.still_running)
        elif self.ran_text is not None:
            self._runs_to_end, self._back_from_end = False, []
            super().send(signal)
        elif isinstance(signal, signals.RunToLine):
            self.action_type()
            self.editor.move_cursor((signal.line - 1, 0))
        else:
            self.note(ScreenTexts.edit_first)

    def open_fix(self, fix: Fix) -> None:
        """Write the fix into the editor, where it can be undone, and run it."""
        shown = self.program_shown()
        self._write(main_text(fix.source, 0 if shown is None else len(shown.files)))
        self.action_run()
        self.note(ScreenTexts.fix_in_editor)

    def program_shown(self) -> Program | None:
        return None if self.ran_text is None else super().program_shown()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody goes into the editor who is there; what is done to its text is done in it."""
        if action == "type":
            return not self.editing
        if action in IN_THE_EDITOR:
            return self.editing
        return super().check_action(action, parameters)

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        return dict.fromkeys(IN_THE_EDITOR, EditorTexts.in_editor)

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        if self.editing:
            return {"leave": TO_PANELS}
        stop = {"leave": STOP} if self.view.running else {}
        return {**stop, **super().label_overrides}

    def action_leave(self) -> None:
        """Leave the innermost of: editor, zoom, panel, a run that goes on, this screen.

        Who has just run something may not mean to leave the screen.
        """
        if self.editing:
            self.edit(editing=False)
            if self.ran_text is None:
                self.note(ScreenTexts.edit_first)
        elif self.goes_back():
            pass
        elif self.view.running:
            self.stay()
            self.runner.send(signals.RunStopped())
            self.note(ScreenTexts.run_stopped)
        elif self.stayed:
            self.note(ScreenTexts.leave_sandbox)
        else:
            self.go_away()

    # Writing.

    def action_type(self) -> None:
        """Go into the editor: to the line that somebody chose in the code, else where one was."""
        line = None if self.ran_text is None else self.query_one(CodePanel).line
        line = None if line is None else self.notes.line_now(line)  # as it is numbered here
        program = self.program_shown()
        shown = None if program is None else self.query_one(CodePanel).part
        self.edit(editing=True)
        if program is None or shown is None:
            return
        if not program.is_main(shown.before + 1):
            self.note(EditorTexts.other_file, name=shown.name, main=self.view.main_name)
        elif line is not None:
            self.editor.move_cursor((line - 1, 0))

    def action_find(self) -> None:
        """Ask what to find; who is asked already goes to the next match."""
        if self.finding.is_open:
            self.action_find_next()
        else:
            self.finding.find()

    def action_find_next(self) -> None:
        if not self.finding.find_next():
            self.note(EditorTexts.nothing_sought)

    def action_comment(self) -> None:
        self.editor.change_lines(commented)

    def action_complete(self) -> None:
        """Propose how the name before the cursor may go on."""
        self.editor.show_completions(asked=True)
        if not self.editor.completions:
            self.note(EditorTexts.nothing_to_complete)

    async def _learn_names(self) -> None:
        """Ask torch for its names, once somebody begins to type."""
        learnt = await torch_names(self.runner.worker)
        if learnt is None:
            self.asked_torch = False  # the worker died under it: again, at the next letter
        else:
            self.torch_names = learnt
            self.editor.refresh_completions()

    def _completions(self, row: int, what: TypedName) -> Sequence[Completion]:
        """Return how a name may go on: in the program, in its last run, in torch, nearest first."""
        lines = self.editor.text.split("\n")
        around = (row, len(self.torch_names.members), *lines[:row], *lines[row + 1 :])
        if around != self._names[0]:
            # What the other lines say stays so while this one is typed.
            self._names = around, names_in("\n".join(lines), row, self.torch_names)
        return completions(self._names[1], what, self.notes.snapshot_here())

    # Saving.

    @property
    @abstractmethod
    def unsaved(self) -> bool:
        """Whether something was typed that would be lost."""

    @abstractmethod
    def keep_draft(self) -> None:
        """Save what was typed, for the next time it is opened."""

    @abstractmethod
    async def may_lose(self) -> bool:
        """Ask what to do with what is not saved; True if it may go."""

    def save_draft(self) -> None:
        self.stop_saving()
        self.keep_draft()

    def save_all(self) -> None:
        if self.is_mounted:
            self.save_draft()
        super().save_all()

    def stop_saving(self) -> None:
        """Cancel the timer: what was typed is saved, or given up."""
        if self._save_timer is not None:
            self._save_timer.stop()
            self._save_timer = None

    @on(TextArea.Changed, "Editor")
    def _typed(self) -> None:
        if self._save_timer is None:
            self._save_timer = self.set_timer(SAVE_AFTER, self.save_draft)
        if self.editing and not self.asked_torch:
            self.asked_torch = True
            self.run_worker(self._learn_names(), group="torch_names")
        self.notes.follow_soon()
        self.show_title()

    @on(TextArea.SelectionChanged, "Editor")
    def _cursor_moved(self) -> None:
        self.notes.follow_soon()
