"""Proposes how names go on: from the program, from its last run, and from torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplace_tui.engine.editor.completion import Completion, TypedName, completions
from inplace_tui.engine.editor.names import EMPTY as NOTHING_KNOWN
from inplace_tui.engine.editor.names import Names, names_in
from inplace_tui.model.snapshot import Snapshot
from inplace_tui.ui.widgets.editor import Editor


class Completing:
    """Knows what may be typed next."""

    def __init__(self, editor: Editor, snapshot_here: Callable[[], Snapshot]) -> None:
        self._editor = editor
        self._snapshot_here = snapshot_here
        self.torch_names = NOTHING_KNOWN
        self._around: tuple[object, ...] = ()
        self._names = Names()
        editor.completer = self.completer

    def completer(self, row: int, what: TypedName) -> Sequence[Completion]:
        """Return all that may follow, the nearest first."""
        lines = self._editor.text.split("\n")
        around = (row, len(self.torch_names.members), *lines[:row], *lines[row + 1 :])
        if around != self._around:
            # What the other lines say stays so while this one is typed.
            self._around, self._names = around, names_in("\n".join(lines), row, self.torch_names)
        return completions(self._names, what, self._snapshot_here())
