"""Why it ended so: who saved, who changed, who needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.session.view import Gate, View
from inplace_tui.present import explain, why
from inplace_tui.present.cells import wrap
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.present.why import Subject
from inplace_tui.texts import say
from inplace_tui.texts.panels import PANELS
from inplace_tui.texts.screen import ScreenTexts
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

    @dataclass
    class FixChosen(Message):
        """A fix was chosen, by its place: show it whole."""

        panel: WhyPanel
        place: int

        @property
        def control(self) -> WhyPanel:
            """The panel."""
            return self.panel

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual calls it that)
        super().__init__(id=id)
        self.subject: Subject | None = None
        """What was asked about; None for the outcome."""

    def ask(self, subject: Subject | None) -> None:
        """Explain this from now on."""
        self.subject = subject
        self.redraw()

    def show(self, view: View, language: str) -> None:
        """Show this view from now on."""
        self.view, self.language = view, language
        self.entitle(say(PANELS[self.KEY], language))
        self.redraw()

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the answer, and the explanation of the outcome or why there is none yet."""
        rows = explain.rows(view, width, self.language, keys=self.key_labels)
        if self.subject is not None:
            answer = why.rows(view, self.subject, width, self.language)
            return [*answer, Row(), *rows] if rows else answer
        if rows:
            return rows
        hidden = view.mask.outcome or Gate.OPEN in view.gates.values()
        key = ScreenTexts.why_hidden if hidden else ScreenTexts.why_not_yet
        text = say(key, self.language)
        return [Row(line) for line in wrap([Span(text, Style.DIM)], width)]

    def chosen(self, target: Target) -> None:
        """Name the line, or the fix."""
        if target.line is not None:
            self.post_message(self.LineChosen(self, target.line))
        elif target.choice is not None:
            self.post_message(self.FixChosen(self, target.choice))
