"""The runs of a page with an editor: each that ends is kept until the page is left."""

from __future__ import annotations

from inplace_tui.drive.history import RunLog
from inplace_tui.engine.history.runs import KeptRun
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import Move, Moved
from inplace_tui.texts.history import HistoryTexts
from inplace_tui.ui.dialogs.history import HistoryDialog
from inplace_tui.ui.keys import UNDO
from inplace_tui.ui.sandbox.editor_page import EditorPage


class RunHistory:
    """Lists the runs, and shows one again."""

    def __init__(self, page: EditorPage) -> None:
        self._page = page
        self.log = RunLog()
        self._listed: HistoryDialog | None = None
        """The list, while it is in front."""

    def update(self) -> None:
        known = self.log.history.runs
        self.log.update(self._page.runner.session, self._page.runner.run_seconds)
        if self._listed is not None and known != self.log.history.runs:
            self._listed.write()

    def action_history(self) -> None:
        self._listed = HistoryDialog(self.log.history, self.log.shown)
        self._page.app.push_screen(self._listed, self._chosen)

    def _chosen(self, run: KeptRun | None) -> None:
        self._listed = None
        if run is not None:
            self.recall(run)

    def recall(self, run: KeptRun) -> None:
        """Show a run again, and its text in the editor, where that can be undone."""
        page = self._page
        before = page.editor.text
        page.take_program(run.program)
        text = HistoryTexts.recalled_same if page.editor.text == before else HistoryTexts.recalled
        self.log.recall(run)
        page.play(
            page.runner.for_session(
                Session.of_recording(run.program, run.timeline, run.known_truth)
            )
        )
        page.ran_text = page.editor.text
        page.runner.send(Moved(Move.END))
        page.edit(editing=False)
        page.note(text, number=run.number, undo=UNDO)
