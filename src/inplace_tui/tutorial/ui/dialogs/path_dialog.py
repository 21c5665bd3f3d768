"""Asks for a file; Tab completes its name as a shell does."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from inplace_tui.common.cells import clean
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.tutorial.ui.dialogs.dialog import LiveText, PromptDialog
from inplace_tui.tutorial.ui.program_line import completions

MAX_SHOWN = 8
"""Names that are listed where there are several."""


class PathInput(Input):
    """A line in which Tab completes, instead of leading away."""

    BINDINGS = [Binding("tab", "complete", "complete", show=False)]  # noqa: RUF012  (Textual's)

    def __init__(
        self,
        text: str,
        complete: Callable[[str], list[str]],
        show: Callable[[list[str]], None],
        *,
        select_on_focus: bool = True,
    ) -> None:
        """Ask `complete` what all before the cursor may become, and `show` that."""
        super().__init__(text, select_on_focus=select_on_focus)
        self._complete, self._show = complete, show

    def action_complete(self) -> None:
        before = self.value[: self.cursor_position]
        found = self._complete(before)
        common = os.path.commonprefix(found)  # noqa: RUF071  (a part of a name, too)
        if len(common) > len(before):
            self.value = common + self.value[self.cursor_position :]
            self.cursor_position = len(common)
        self._show(found)


class PathDialog(PromptDialog):
    """Asks where to write something."""

    def __init__(self, question: LiveText, *, text: str = "") -> None:
        super().__init__(question, partial(self.say, ExportTexts.paths_lead), text=text)
        self._names: list[str] | None = None
        """The names that match, once Tab was pressed."""

    def lines(self, text: str) -> ComposeResult:
        yield PathInput(text, completions, self.show_names)

    def show_names(self, names: list[str]) -> None:
        self._names = names
        self.update_texts()

    def footer(self) -> str:
        names = self._names
        if names is None or len(names) == 1:
            return super().footer()
        last = [clean(name.rstrip("/").rpartition("/")[2]) for name in names]
        text = "  ".join(last[:MAX_SHOWN])
        if not names:
            return self.say(ExportTexts.paths_none)
        return (
            text
            if len(names) <= MAX_SHOWN
            else self.say(ExportTexts.paths_more, names=text, count=len(names))
        )

    def update_texts(self) -> None:
        super().update_texts()
        # A file may be called as a key is.
        self.query_one(".dialog--foot").disabled = len(self._names or ()) > 1
