"""The program, and where in it we are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.view import View
from inplace_tui.present import code
from inplace_tui.present.rows import Row, Target
from inplace_tui.ui.panels.panel import Panel


class CodePanel(Panel):
    """Shows the source with the line that ran and the line that runs next."""

    DEFAULT_CSS = """
    CodePanel { overflow-x: auto; }
    """

    KEY = "code"

    @dataclass
    class LineChosen(Message):
        """A line was chosen: run to it."""

        panel: CodePanel
        line: int

        @property
        def control(self) -> CodePanel:
            """The panel."""
            return self.panel

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the lines of the program."""
        return code.rows(view, width, self.language)

    def widest(self, width: int) -> int:
        """Long lines scroll."""
        return max(width, code.widest(self.view.source) if self.view else 0)

    def redraw(self) -> None:
        """Keep the line that ran, or the one that is next, in view."""
        super().redraw()
        if self.view is not None:
            line = code.current_line(self.view)
            if line is not None:
                self.reveal(line - 1)

    def chosen(self, target: Target) -> None:
        """Name the line."""
        if target.line is not None:
            self.post_message(self.LineChosen(self, target.line))
