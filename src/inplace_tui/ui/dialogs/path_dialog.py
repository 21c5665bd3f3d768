"""Asks for a file; Tab completes its name as a shell does."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from textual.binding import Binding
from textual.widgets import Input

from inplace_tui.present.cells import clean
from inplace_tui.texts.exporting import ExportTexts
from inplace_tui.ui.dialogs.dialog import LiveText, PromptDialog

MAX_SHOWN = 8
"""Names that are listed where there are several."""

MAX_READ = 5_000
"""Entries of a folder that are read, so that completing takes less than a second."""


def completions(typed: str) -> list[str]:
    """Return what `typed` may become, folders with a slash at their end; sorted.

    A name that begins with a dot is only offered to who typed the dot.
    """
    head, _, start = typed.rpartition("/")
    folder = Path(os.path.expanduser(f"{head}/" if "/" in typed else "."))
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry, _ in zip(entries, range(MAX_READ), strict=False):
                hidden = entry.name.startswith(".") and not start.startswith(".")
                if entry.name.startswith(start) and not hidden and entry.name.isprintable():
                    lead = f"{head}/" if "/" in typed else ""
                    found.append(f"{lead}{entry.name}{'/' if entry.is_dir() else ''}")
    except (OSError, ValueError):
        return []
    return sorted(found)


def in_common(names: list[str]) -> str:
    """Return what all names begin with.

    >>> in_common(["model.py", "mode.txt"]), in_common([])
    ('mode', '')
    """
    if not names:
        return ""
    # Between the first and the last in order lie all the others.
    first, last = min(names), max(names)
    return next((first[:at] for at, c in enumerate(first) if last[at : at + 1] != c), first)


class PathInput(Input):
    """A line in which Tab completes, instead of leading away."""

    BINDINGS = [Binding("tab", "complete", "complete", show=False)]  # noqa: RUF012  (Textual's)

    def action_complete(self) -> None:
        screen = self.screen
        assert isinstance(screen, PathDialog)
        before = self.value[: self.cursor_position]
        found = completions(before)
        common = in_common(found)
        if len(common) > len(before):
            self.value = common + self.value[self.cursor_position :]
            self.cursor_position = len(common)
        screen.show_names(found)


class PathDialog(PromptDialog):
    """Asks for a path."""

    def __init__(self, question: LiveText, *, text: str = "") -> None:
        super().__init__(question, partial(self.say, ExportTexts.paths_lead), text=text)
        self._names: list[str] | None = None
        """The names that match, once Tab was pressed."""

    def line(self, text: str) -> Input:
        return PathInput(text)

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
