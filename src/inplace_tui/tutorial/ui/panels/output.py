"""What the program wrote."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.rows import Row
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import output
from inplace_tui.tutorial.ui.panels.panel import Panel


class OutputPanel(Panel):
    """Shows prints, warnings and the exception, in order, up to the cursor."""

    TITLE = PanelTitles.output

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return output.rows(view, width, self.language)

    def redraw(self) -> None:
        """Keep the last line in view: it is what the step just wrote."""
        super().redraw()
        if self.rows:
            self.reveal(len(self.rows) - 1, margin=0)
