"""Proposes how names go on: from the program, from its last run, and from torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplace_tui.drive.runs import torch_names
from inplace_tui.engine.editor.completion import Completion, TypedName, completions
from inplace_tui.engine.editor.names import EMPTY as NOTHING_KNOWN
from inplace_tui.engine.editor.names import Names, names_in
from inplace_tui.model.snapshot import Snapshot
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.sandbox.editor_page import EditorPage


class Completing:
    """Knows what may be typed next. Torch is asked once, when somebody begins to type."""

    def __init__(self, page: EditorPage, snapshot_here: Callable[[], Snapshot]) -> None:
        self._page = page
        self._snapshot_here = snapshot_here
        self.torch_names = NOTHING_KNOWN
        self.asked_torch = False
        self._around: tuple[object, ...] = ()
        self._names = Names()
        page.editor.completer = self.completer

    def action_complete(self) -> None:
        """Propose how the name before the cursor may go on."""
        self._page.editor.show_completions(asked=True)
        if not self._page.editor.completions:
            self._page.note(EditorTexts.nothing_to_complete)

    def completer(self, row: int, what: TypedName) -> Sequence[Completion]:
        """Return all that may follow, the nearest first."""
        lines = self._page.editor.text.split("\n")
        around = (row, len(self.torch_names.members), *lines[:row], *lines[row + 1 :])
        if around != self._around:
            # What the other lines say stays so while this one is typed.
            self._around, self._names = around, names_in("\n".join(lines), row, self.torch_names)
        return completions(self._names, what, self._snapshot_here())

    def typed(self) -> None:
        """Ask torch for its names, the first time that something is typed."""
        if not self.asked_torch and self._page.editing:
            self.asked_torch = True
            self._page.run_worker(self._learn(), group="torch_names")

    async def _learn(self) -> None:
        learnt = await torch_names(self._page.runner.worker)
        if learnt is None:
            self.asked_torch = False  # the worker died under it: again, at the next letter
        else:
            self.torch_names = learnt
            self._page.editor.refresh_completions()
