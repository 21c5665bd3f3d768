"""Why it ended so: who saved, who changed, who needed."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.cells import wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import why
from inplace_tui.tutorial.present.why import WhySubject
from inplace_tui.tutorial.ui.panels.panel import Panel


class WhyPanel(Panel):
    """Shows the explanation of the outcome; a sentence leads to the line that it names."""

    TITLE = PanelTitles.why

    subject: WhySubject | None = None
    """What was asked about; None for the outcome."""

    def ask(self, subject: WhySubject | None) -> None:
        self.subject = subject
        self.redraw()

    def basis(self, view: View) -> object:
        if view.explained.outcome is not None or self.subject is not None:
            return None
        return self._hidden(view)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        rows = explain.rows(view.explained, width, self.language, keys=self.key_labels)
        if self.subject is not None:
            answer = why.rows(view, self.subject, width, self.language)
            return [*answer, Row(), *rows] if rows else answer
        if rows:
            return rows
        key = ScreenTexts.why_hidden if self._hidden(view) else ScreenTexts.why_not_yet
        text = say(key, self.language)
        return wrapped([Span(text, Style.DIM)], width)

    @staticmethod
    def _hidden(view: View) -> bool:
        return view.mask.outcome or view.has_open_question

    def chosen(self, target: Target) -> None:
        if target.line is not None:
            self.call_later(self.screen.run_action, f"point_at({target.line})")
        elif target.choice is not None:
            self.call_later(self.screen.run_action, f"fixes({target.choice})")  # shown whole
