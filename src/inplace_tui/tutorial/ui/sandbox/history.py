"""The runs of a page with an editor, until it is left: each can be shown again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inplace_tui.common.rows import Row
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.drive.history import RunLog
from inplace_tui.tutorial.history.runs import History, KeptRun
from inplace_tui.tutorial.present.history import listing
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog, closed_by
from inplace_tui.tutorial.ui.keys import UNDO

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen


class HistoryDialog(RowsDialog[KeptRun]):
    """The list, newest first; the result is the run to show again."""

    HEADING = HistoryTexts.history
    FOOTER = HistoryTexts.lead
    SHAPE = "-broad"
    BINDINGS = closed_by("history")

    def __init__(self, runs: History, shown: KeptRun | None) -> None:
        super().__init__()
        self._history = runs
        self._shown = shown
        self.first = runs.runs[-1].number if runs.runs else None

    def rows(self, room: int) -> Sequence[Row]:
        return listing(self._history, shown=self._shown, room=room, language=self.language)

    def take(self, choice: int) -> None:
        run = next((run for run in self._history.runs if run.number == choice), None)
        if run is not None:
            self.dismiss(run)


class RunHistory:
    """Lists the runs, and shows one again."""

    def __init__(self, page: EditorScreen) -> None:
        self._page = page
        self.log = RunLog()
        self._listed: HistoryDialog | None = None

    def update(self) -> None:
        known = self.log.history.runs
        self.log.update(self._page.runner.session, self._page.runner.run_seconds)
        if self._listed is not None and known != self.log.history.runs:
            self._listed.write()

    def offer(self) -> None:
        self._listed = HistoryDialog(self.log.history, self.log.shown)
        self._page.host.ask(self._listed, self.recall)

    def recall(self, run: KeptRun) -> None:
        """Show a run again, and its text in the editor, where that can be undone."""
        page = self._page
        before = page.editor.text
        page.take_program(run.program)
        text = HistoryTexts.recalled_same if page.editor.text == before else HistoryTexts.recalled
        self.log.recall(run)
        session = Session.of_recording(run.program, run.timeline, run.known_truth)
        page.play(page.runner.for_session(session))
        page.ran_text = page.editor.text
        page.runner.send(Moved(Move.END))
        page.edit(editing=False)
        page.note(text, number=run.number, undo=UNDO)
