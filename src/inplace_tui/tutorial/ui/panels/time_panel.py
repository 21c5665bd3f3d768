"""A panel that scrubs through time: click, drag with the button held, or turn the wheel.

A drag sends more places than a screen can be drawn for: only the last one is posted, once
the one before is drawn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from inplace_tui.common.cells import spans_width
from inplace_tui.common.rows import Row
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import strip
from inplace_tui.tutorial.ui.panels.panel import Panel
from inplace_tui.tutorial.ui.widgets.lines import target_at


def recorded_note(view: View, language: str) -> str:
    """Return the note about later steps that are already shown."""
    ahead = view.cursor < min(view.last_shown, len(view.timeline) - 1)
    return say(ScreenTexts.recorded, language) if ahead else ""


class TimePanel(Panel):
    """A panel of which places stand for steps."""

    @dataclass
    class StepPicked(Message):
        """A moment was chosen; -1 is the start."""

        step: int

    @dataclass
    class WheelTurned(Message):
        """The wheel was turned over time: on by a column, or back."""

        direction: int

    _dragged: int | None = None
    """Row in which the button went down; None while it is up."""

    _wanted: int | None = None
    _waits = False

    @abstractmethod
    def step_at(self, x: int, row: int) -> int | None:
        """Return the step that a cell of a row stands for; None where it stands for none."""

    def go_to(self, step: int) -> None:
        """Request a step, once the screen has drawn the one requested before."""
        self._wanted = step
        if not self._waits:
            self._waits = True
            self.call_after_refresh(self._post_step)

    def _post_step(self) -> None:
        self._waits = False
        step, self._wanted = self._wanted, None
        if step is not None and self.view is not None and step != self.view.cursor:
            self.post_message(self.StepPicked(step))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        place = event.get_content_offset(self)
        if place is None or event.button != 1:
            return
        row = self._row_at(place.y)
        step = self.step_at(place.x, row)
        if step is not None:
            self._dragged = row
            self.capture_mouse()
            self.go_to(step)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged is None:
            return
        place = event.get_content_offset_capture(self)
        step = self.step_at(place.x, self._dragged)
        if step is not None:
            self.go_to(step)

    def on_mouse_up(self) -> None:
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()

    def on_mouse_release(self) -> None:
        self._dragged = None

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.wheel_turned(1, event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.wheel_turned(-1, event)

    def wheel_turned(self, direction: int, event: events.MouseEvent) -> None:
        self.post_message(self.WheelTurned(direction))
        event.stop()
        event.prevent_default()


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
