"""Proposes how names go on: from the program, from its last run, and from torch."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widgets import TextArea

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.drive.torch_names import learn
from inplace_tui.engine.editor.completion import Completion, TypedName, completions
from inplace_tui.engine.editor.names import EMPTY as NOTHING_KNOWN
from inplace_tui.engine.editor.names import Names, names_in
from inplace_tui.model.snapshot import EMPTY, Snapshot
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.sandbox.filing import FilingScreen
from inplace_tui.ui.screens.run_screen import ScreenSessionRunner


class CompletingScreen(FilingScreen):
    """Knows what may be typed next. Torch is asked once, when somebody begins to type."""

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft, recovery)
        self.torch_names = NOTHING_KNOWN
        self._asked_torch = False
        self._around: tuple[object, ...] = ()
        self._names = Names()
        self.pad.editor.advise = self.advise

    def action_complete(self) -> None:
        """Propose how the name before the cursor may go on."""
        self.editor.propose(asked=True)

    def advise(self, row: int, what: TypedName) -> Sequence[Completion]:
        """Return all that may follow, the nearest first."""
        lines = self.editor.text.split("\n")
        around = (row, len(self.torch_names.members), *lines[:row], *lines[row + 1 :])
        if around != self._around:
            # What the other lines say stays so while this one is typed.
            self._around, self._names = around, names_in("\n".join(lines), row, self.torch_names)
        return completions(self._names, what, self.snapshot_here())

    def snapshot_here(self) -> Snapshot:
        """Return what was there at the line that is being typed, in the last run."""
        return EMPTY

    @on(TextArea.Changed, "Editor")
    def _begin_to_learn(self) -> None:
        if not self._asked_torch and isinstance(self.runner, ScreenSessionRunner) and self.editing:
            self._asked_torch = True
            self.run_worker(self._learn(self.runner), group="torch_names")

    async def _learn(self, runner: ScreenSessionRunner) -> None:
        learnt = await learn(runner.worker)
        if learnt is None:
            self._asked_torch = False  # the worker died under it: again, at the next letter
        else:
            self.torch_names = learnt
            self.editor.reconsider()
