"""Why it ended so: who saved, who changed, who needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.view import Gate, View
from inplace_tui.present import explain
from inplace_tui.present.cells import wrap
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.panels.panel import Panel


class WhyPanel(Panel):
    """Shows the explanation of the outcome; a sentence leads to the line that it names."""

    KEY = "why"

    @dataclass
    class LineChosen(Message):
        """A sentence was chosen: show its line."""

        panel: WhyPanel
        line: int

        @property
        def control(self) -> WhyPanel:
            """The panel."""
            return self.panel

    def show(self, view: View, language: str) -> None:
        """Show this view from now on."""
        self.view, self.language = view, language
        self.entitle(say(TEXTS, self.KEY, language))
        self.redraw()

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the explanation, or why there is none yet."""
        rows = explain.rows(view, width, self.language)
        if rows:
            return rows
        hidden = view.mask.outcome or Gate.OPEN in view.gates.values()
        key = "why-hidden" if hidden else "why-not-yet"
        text = say(TEXTS, key, self.language)
        return [Row(line) for line in wrap([Span(text, Style.DIM)], width)]

    def chosen(self, target: Target) -> None:
        """Name the line."""
        if target.line is not None:
            self.post_message(self.LineChosen(self, target.line))
