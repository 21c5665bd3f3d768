"""Asks for a file; Tab completes its name as a shell does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from inplace_tui.common.cells import clean, clip, clip_spans
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.dialogs.dialog import LiveText, Offers, PromptDialog
from inplace_tui.tutorial.ui.widgets.lines import Lines

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


class PathInput(Input):
    """A line in which Tab completes, instead of leading away."""

    BINDINGS = [Binding("tab", "complete", "complete", show=False)]  # noqa: RUF012  (Textual's)

    def action_complete(self) -> None:
        screen = self.screen
        assert isinstance(screen, PathDialog)
        before = self.value[: self.cursor_position]
        found = completions(before)
        common = os.path.commonprefix(found)  # noqa: RUF071  (a part of a name, too)
        if len(common) > len(before):
            self.value = common + self.value[self.cursor_position :]
            self.cursor_position = len(common)
        screen.show_names(found)


class PathDialog(PromptDialog):
    """Asks for a path; some may be offered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "offer(-1)", "Up", show=False),
        Binding("down", "offer(1)", "Down", show=False),
    ]

    def __init__(self, question: LiveText, *, text: str = "", offered: Sequence[Path] = ()) -> None:
        super().__init__(question, partial(self.say, ExportTexts.paths_lead), text=text)
        self._offered = offered
        self._names: list[str] | None = None
        """The names that match, once Tab was pressed."""

    def lines(self, text: str) -> ComposeResult:
        yield PathInput(text)
        if self._offered:
            yield Offers()

    def on_resize(self) -> None:
        self.update_texts()

    def _write(self) -> None:
        """List what is offered, by its name first: that is seen in any width."""
        if not self.is_there:
            return
        lines = self.query_one(Offers)
        room = lines.scrollable_content_region.width
        rows = [Row((Span(clip(self.say(ScreenTexts.last_programs), room), Style.DIM),))]
        for place, path in enumerate(self._offered):
            name, folder = clean(path.name), clean(str(path.parent))
            spans = Span(f" {name}"), Span(f"  {folder}", Style.DIM)
            rows.append(Row(clip_spans(spans, room), Target(choice=place)))
        lines.draw(rows)

    def action_offer(self, step: int) -> None:
        if not self._offered:
            raise SkipAction
        lines, line = self.query_one(Offers), self.query_one(Input)
        choice = lines.under_cursor.choice
        place = 0 if choice is None else min(max(0, choice + step), len(self._offered) - 1)
        lines.cursor = lines.row_of(place)
        line.value = str(self._offered[place])
        line.cursor_position = len(line.value)

    @on(Lines.RowChosen)
    def _chosen(self, event: Lines.RowChosen) -> None:
        if event.target.choice is not None:
            self.dismiss(str(self._offered[event.target.choice]))

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
        if self._offered:
            self.call_after_refresh(self._write)
        # A file may be called as a key is.
        self.query_one(".dialog--foot").disabled = len(self._names or ()) > 1
