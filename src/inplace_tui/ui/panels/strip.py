"""The timeline in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.session.view import View
from inplace_tui.present import strip
from inplace_tui.present.rows import Row, Target
from inplace_tui.ui.panels.panel import Panel


class TimelineStrip(Panel):
    """Shows all steps, the cursor among them, and where questions wait."""

    DEFAULT_CSS = """
    TimelineStrip {
        height: 1;
        border: none;
        overflow: hidden hidden;
        scrollbar-gutter: auto;
        padding: 0 1;
    }
    TimelineStrip:focus { border: none; }
    """

    KEY = "timeline"
    can_focus = False

    @dataclass
    class StepChosen(Message):
        """A step was clicked; -1 is the start."""

        panel: TimelineStrip
        step: int

        @property
        def control(self) -> TimelineStrip:
            """The panel."""
            return self.panel

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the one row."""
        return strip.rows(view, width, self.language)

    def chosen(self, target: Target) -> None:
        """Name the step."""
        if target.step is not None:
            self.post_message(self.StepChosen(self, target.step))
