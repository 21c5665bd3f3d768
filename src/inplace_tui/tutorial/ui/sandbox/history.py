"""The runs of a page with an editor, until it is left: one to show again, two to compare."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.common.rows import Row
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.drive.history import RunLog
from inplace_tui.tutorial.history.comparison import RunComparison, compare
from inplace_tui.tutorial.history.runs import History, KeptRun
from inplace_tui.tutorial.present import comparison
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog, closed_by
from inplace_tui.tutorial.ui.keys import UNDO
from inplace_tui.tutorial.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen


class ComparisonDialog(RowsDialog[None]):
    """What changed between two runs."""

    FOOTER = HistoryTexts.compare_lead
    SHAPE = "-broad"
    BINDINGS = closed_by("history")

    def __init__(self, found: RunComparison) -> None:
        super().__init__()
        self._found = found

    def heading(self) -> str:
        numbers = {"before": self._found.before.number, "after": self._found.after.number}
        return self.say(HistoryTexts.compare, **numbers)

    def rows(self, room: int) -> Sequence[Row]:
        return comparison.page(self._found, room, self.language)


class HistoryDialog(RowsDialog[KeptRun]):
    """The list, newest first; the result is the run to show again."""

    HEADING = HistoryTexts.history
    SHAPE = "-broad"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "mark"),
        *closed_by("history"),
    ]

    def __init__(self, runs: History, shown: KeptRun | None) -> None:
        super().__init__()
        self._history = runs
        self._shown = shown
        self.first = runs.runs[-1].number if runs.runs else None
        self._marked: KeptRun | None = None

    def footer(self) -> str:
        if self._marked is not None:
            return self.say(HistoryTexts.marked_one, number=self._marked.number)
        roomy = self.app.size.width >= 76
        return self.say(HistoryTexts.lead if roomy else HistoryTexts.lead_short)

    def rows(self, room: int) -> Sequence[Row]:
        marked = [] if self._marked is None else [self._marked.number]
        return comparison.listing(
            self._history, shown=self._shown, marked=marked, room=room, language=self.language
        )

    def take(self, choice: int) -> None:
        run = self._run(choice)
        if run is not None:
            self.dismiss(run)

    def action_mark(self) -> None:
        """Mark the run under the cursor; the second one is compared with the first."""
        choice = self.query_one(Lines).under_cursor.choice
        run = None if choice is None else self._run(choice)
        if run is None:
            return
        before, self._marked = self._marked, run
        if before is not None:
            self._marked = None
            if before.number != run.number:
                older, newer = sorted((before, run), key=lambda each: each.number)
                self.run_worker(self._compare(older, newer), exclusive=True)
        self.write()

    async def _compare(self, older: KeptRun, newer: KeptRun) -> None:
        """Compare in a thread: two long runs take a second."""
        found = await asyncio.to_thread(compare, older, newer)
        self.app.push_screen(ComparisonDialog(found))

    def _run(self, number: int) -> KeptRun | None:
        return next((run for run in self._history.runs if run.number == number), None)


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
