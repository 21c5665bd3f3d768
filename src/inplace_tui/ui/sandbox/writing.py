"""A run of a program that is written on the same screen: the editor, into it and out of it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.model.outcome import Raised
from inplace_tui.texts import say
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.keymap import USUAL
from inplace_tui.ui.keys import ACTIONS, Where
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.screens.run_screen import RunScreen
from inplace_tui.ui.widgets.editor import Editor
from inplace_tui.ui.widgets.editor_pane import EditorPane

IN_THE_EDITOR = ("find", "find_next", "comment", "complete")
"""Actions that are of no use anywhere else."""


class WritingScreen(RunScreen):
    """Shows the editor in the code panel's place while one types."""

    def __init__(self, runner: SessionRunner, draft: Draft) -> None:
        super().__init__(runner)
        self.editing = draft.cursor is None
        self.pad = EditorPane(draft.text, id="editor")
        self._draft = draft
        self._ran = draft.text if draft.cursor is not None else None
        """The text of the run that is shown; None before the first."""

    def compose_editor(self) -> ComposeResult:
        """The editor has the code panel's place while one types."""
        yield self.pad

    def on_mount(self) -> None:
        """Let the editor know which keys are not its own."""
        own = self.host.keymap.own
        ours = (each.id for each in ACTIONS if each.where in (Where.SANDBOX, Where.EVERYWHERE))
        keys = (own.get(name, USUAL[name]) for name in ours)
        self.editor.give_way(frozenset(key for some in keys for key in some))
        super().on_mount()

    def retell(self) -> None:
        """Say everything again, unless the screen is being taken down just now."""
        if self.query("#title"):
            self.pad.border_title = Content(say(EditorTexts.editor, self.language))
            super().retell()
            self.pad.retell(self.language)

    @property
    def editor(self) -> Editor:
        """The text."""
        return self.pad.editor

    def first_focus(self) -> Widget:
        """Return the editor while typing, else the code."""
        return self.editor if self.editing else self.query_one(CodePanel)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody goes into the editor who is there; what is done to its text is done in it."""
        if action == "type":
            return not self.editing
        if action in IN_THE_EDITOR:
            return self.editing
        return super().check_action(action, parameters)

    def action_type(self) -> None:
        """Go into the editor, at the line that the code panel points at."""
        line = self._line_of_interest()
        self._edit(editing=True)
        if line is not None:
            self.editor.move_cursor((line - 1, 0))

    def action_find(self) -> None:
        """Look for a text in the program."""
        self.pad.find(self.language)

    def action_find_next(self) -> None:
        """Go to the next place of what was looked for."""
        if not self.pad.find_next():
            self.note(EditorTexts.nothing_sought)

    def action_comment(self) -> None:
        """Make comments of the selected lines, or code again."""
        self.editor.action_comment()

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
        self.pad.close()
        self.editing = editing
        self.zoomed = None
        self.refresh_view()
        self.set_focus(self.first_focus())  # now: the next key may be here already

    def action_leave(self) -> None:
        """Out of the editor; out of the zoom; out of this screen."""
        if self.editing:
            self._edit(editing=False)
            if self._ran is None:
                self.note(ScreenTexts.edit_first)
        else:
            super().action_leave()
