"""A sandbox that remembers its runs, and begins from a template."""

from __future__ import annotations

from inplace_tui.drive.history import RunLog
from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.history.runs import KeptRun
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import Move, Moved
from inplace_tui.engine.templates import Template
from inplace_tui.texts import say
from inplace_tui.texts.history import HistoryTexts
from inplace_tui.texts.templates import NAMES, TemplateTexts
from inplace_tui.ui.dialogs.history import HistoryDialog
from inplace_tui.ui.dialogs.templates import TemplatesDialog
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.keys import shown
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.sandbox.filing import FilingScreen
from inplace_tui.ui.screens.run_screen import ScreenSessionRunner

UNDO = "ctrl+z"
"""Textual's own key in an editor."""


class RememberingScreen(FilingScreen):
    """Every run that ends here is kept until one leaves."""

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft, recovery)
        self.run_log = RunLog()
        self._listed_runs: HistoryDialog | None = None
        """The list, while it is in front."""

        if draft.cursor is not None:  # whoever opens it runs it
            self.run_log.begin(draft.program)

    def refresh_view(self) -> None:
        """Show the view; keep a run that is over."""
        if self.is_there:
            known = self.run_log.history.runs
            self.run_log.look(self.runner.session, self.runner.took)
            if self._listed_runs is not None and known != self.run_log.history.runs:
                self._listed_runs.tell()
        super().refresh_view()

    # The runs.

    def action_history(self) -> None:
        """List the runs."""
        self._listed_runs = HistoryDialog(self.run_log.history, self.run_log.shown)
        self.app.push_screen(self._listed_runs, self._run_chosen)

    def _run_chosen(self, run: KeptRun | None) -> None:
        self._listed_runs = None
        if run is not None:
            self.recall(run)

    def recall(self, run: KeptRun) -> None:
        """Show a run again, and its text in the editor, where that can be undone."""
        assert isinstance(self.runner, ScreenSessionRunner)
        key = HistoryTexts.recalled_same
        if run.program.source != self.editor.text:
            self.editor.replace_all(run.program.source)
            self._origin = run.program.origin
            key = HistoryTexts.recalled
        self.run_log.recall(run)
        session = Session.of_recording(run.program, run.timeline, run.settled)
        self.host.retire(self.runner)
        self.runner = runner = self.runner.beside(session)
        runner.bind(self)
        self._ran, self.editing, self.zoomed = self.editor.text, False, None
        runner.send(Moved(Move.END))
        self.set_focus(self.query_one(CodePanel))
        self.note(key, number=run.number, undo=shown(UNDO))

    # Templates.

    def action_templates(self) -> None:
        """List the programs to start from."""
        self.app.push_screen(TemplatesDialog(), self._template_chosen)

    def _template_chosen(self, template: Template | None) -> None:
        if template is None:
            return
        self.editor.replace_all(template.source)
        self._edit(editing=True)
        name = say(NAMES[template.id], self.language)
        self.note(TemplateTexts.put, name=name, undo=shown(UNDO))
