"""The program, and where in it we are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from inplace_tui.engine.lessons.kinds.line import LinesView
from inplace_tui.engine.session.view import View
from inplace_tui.present import code
from inplace_tui.present.question import open_answers
from inplace_tui.present.rows import Row, Target
from inplace_tui.texts.panels import PanelTitles
from inplace_tui.ui.panels.panel import Panel


class CodePanel(Panel):
    """Shows the source with the line that ran and the line that runs next."""

    DEFAULT_CSS = """
    CodePanel { overflow-x: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "edge(-1)", "First line", show=False),
        Binding("end", "edge(1)", "Last line", show=False),
    ]

    TITLE = PanelTitles.code

    @property
    def pointing(self) -> bool:
        """Whether the cursor is there to answer with."""
        return self.view is not None and isinstance(open_answers(self.view), LinesView)

    @dataclass
    class LineChosen(Message):
        """A line was chosen: run to it."""

        line: int

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return code.rows(view, width, self.language)

    def widest(self, width: int) -> int:
        """Long lines scroll."""
        return max(width, code.widest(self.view.source) if self.view else 0)

    def begin_pointing(self) -> None:
        """Put the cursor on the line before which it was asked, and take the keys."""
        if self.view is not None and self.view.question is not None:
            self.cursor = self.view.question.line - 1
        self.redraw()
        self.screen.set_focus(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the cursor is there to answer with, Enter runs to no line and Home stays here."""
        if action == "edge":
            return self.pointing
        if action == "choose" and self.pointing:
            return False
        return super().check_action(action, parameters)

    def redraw(self) -> None:
        """Keep in view the cursor that answers, else the line that ran, or is next."""
        super().redraw()
        if self.pointing and self.cursor is not None:
            self.reveal(self.cursor)
        elif self.view is not None:
            line = code.current_line(self.view)
            if line is not None:
                if self.view.next_line == line + 1:  # in two rows, these two
                    self.reveal(line, margin=0)
                self.reveal(line - 1)

    def action_edge(self, side: int) -> None:
        """Put the cursor on the first line, or the last one."""
        self.cursor = 0 if side < 0 else len(self.rows) - 1
        self.reveal(self.cursor)

    def chosen(self, target: Target) -> None:
        if target.line is not None and not self.pointing:
            self.post_message(self.LineChosen(target.line))
