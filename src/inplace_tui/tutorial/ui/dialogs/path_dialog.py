"""Asks for a file; Tab completes its name as a shell does."""

from __future__ import annotations

import os
from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from inplace_tui.common.cells import clean
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.tutorial.ui.dialogs.dialog import PromptDialog
from inplace_tui.tutorial.ui.program_line import completions

MAX_SHOWN = 8
"""Names that are listed where there are several."""


class PathInput(Input):
    """A line in which Tab completes, instead of leading away."""

    BINDINGS = [Binding("tab", "complete", "complete", show=False)]  # noqa: RUF012  (Textual's)

    def __init__(self, text: str, complete: Callable[[str], list[str]]) -> None:
        """Ask `complete` what all before the cursor may become; it shows that, too."""
        super().__init__(text)
        self._complete = complete

    def action_complete(self) -> None:
        before = self.value[: self.cursor_position]
        common = os.path.commonprefix(self._complete(before))  # noqa: RUF071  (a part of a name, too)
        if len(common) > len(before):
            self.value = common + self.value[self.cursor_position :]
            self.cursor_position = len(common)


class PathDialog(PromptDialog):
    """Asks where to write something."""

    def __init__(self, question: LocalText, *, text: str = "") -> None:
        super().__init__(question, ExportTexts.paths_lead, text=text)

    def lines(self, text: str) -> ComposeResult:
        yield PathInput(text, self._complete)

    def _complete(self, before: str) -> list[str]:
        """Return what a path may become, and list it where there is not just one."""
        found = completions(before)
        names = "  ".join(clean(each.rstrip("/").rpartition("/")[2]) for each in found[:MAX_SHOWN])
        if not found:
            self.note(ExportTexts.paths_none)
        elif len(found) > MAX_SHOWN:
            self.note(ExportTexts.paths_more, names=names, count=len(found))
        elif len(found) > 1:
            self.notice(names)
        return found
