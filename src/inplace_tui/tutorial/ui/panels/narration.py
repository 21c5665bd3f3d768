"""The author's words: about the step at the cursor, and at the end."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.rows import Row
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import narration
from inplace_tui.tutorial.ui.panels.panel import Panel


class NarrationPanel(Panel):
    """Shows the author's words, and what the line did."""

    TITLE = PanelTitles.narration
    SAYS_MORE = True

    def show(self, view: View, language: str) -> None:
        """Start at the top of a new text."""
        if self.scroll_offset.y and self.view.cursor != view.cursor:
            self.scroll_to(y=0, animate=False, immediate=True)
        super().show(view, language)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return narration.words(view, width, self.language, brief=True)


class RecapPanel(NarrationPanel):
    """Shows what a lesson closes with: the recap, the score, what comes next."""

    TITLE = PanelTitles.recap

    alone = False
    """It covers the text of the step, so that comes first here."""

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        if self.alone:
            return narration.rows(view, width, self.language, brief=True)
        return narration.closing(view, width, self.language)
