"""The timeline in one line."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from inplace_tui.engine.session.view import View
from inplace_tui.present import strip
from inplace_tui.present.cells import spans_width
from inplace_tui.present.rows import Row
from inplace_tui.texts.panels import PanelTitles
from inplace_tui.ui.panels.time_panel import TimePanel
from inplace_tui.ui.widgets.lines import target_at


class TimelineStrip(TimePanel):
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

    TITLE = PanelTitles.timeline
    can_focus = False

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return strip.rows(view, width, self.language)

    def step_at(self, x: int, row: int) -> int | None:
        """Return the step of a cell; a drag beyond the row means its ends."""
        if not self.rows:
            return None
        line = self.rows[row]
        inside = min(max(0, x), max(0, spans_width(line.spans) - 1))
        step = target_at(line, inside).step
        if step is None and self._dragged is not None and self.view is not None:
            return self.view.reachable
        return step

    def on_click(self, event: events.Click) -> None:
        """Leave it to the press of the button."""
        event.stop()
        event.prevent_default()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.wheel_turned(1, event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.wheel_turned(-1, event)
