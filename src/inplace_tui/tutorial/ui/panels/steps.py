"""The timeline, whose places stand for steps: as a strip, and as a list with one row a step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual import events

from inplace_tui.common.cells import clean, clip, clip_spans, pad, spans_width
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.files import lines_of, place_of, split_files
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.signals import StepChosen
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.present import strip
from inplace_tui.tutorial.ui.panels.panel import Panel
from inplace_tui.tutorial.ui.widgets.lines import target_at

MAX_CACHED_ROWS = 2_000
"""Rows that are kept of those that were looked at."""

MAX_PLACE = 20
"""Cells of the name of a line in a file with a long name."""


def recorded_note(view: View, language: str) -> str:
    """Return the note about later steps that are already shown."""
    ahead = view.cursor < min(view.last_shown, len(view.timeline) - 1)
    return say(ScreenTexts.recorded, language) if ahead else ""


class TimePanel(Panel):
    """A panel of which places stand for steps."""

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
        if step is not None and step != self.view.cursor:
            self.post_message(self.Signalled(StepChosen(step)))

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
        self.call_later(self.screen.run_action, f"scrub({direction})")
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
        if step is None and self._dragged is not None:
            return self.view.reachable
        return step

    def on_click(self, event: events.Click) -> None:
        """Leave it to the press of the button."""
        event.stop()
        event.prevent_default()


class StepRows(LazyRows):
    """A row for each step: a loop has tens of thousands."""

    def __init__(self, view: View, width: int) -> None:
        super().__init__(min(view.last_shown + 1, len(view.timeline)), self._row)
        self._view = view
        self._width = width
        self._digits = max(2, len(str(len(view.timeline))))
        self._lines = lines_of(view.source)
        self._places = 4
        """Cells of the name of a line."""

        for part in split_files(view.source)[1:]:
            last = place_of(view.source, part.before + len(lines_of(part.source)))
            self._places = min(MAX_PLACE, max(self._places, len(last.brief)))

    def _row(self, index: int) -> Row:
        if len(self._made) >= MAX_CACHED_ROWS:
            self._made.clear()  # a search looks at all of them
        view, step = self._view, self._view.timeline.steps[index]
        if index == view.cursor:
            mark = Span("▸", Style.NEXT)
        else:
            mark = Span("●" if index < view.cursor else "○", Style.DIM)
        asked = Span("?", Style.MASKED) if view.gates.get(index) is not None else Span(" ")
        if view.gates.get(index) is Gate.DONE:
            asked = Span("✓", Style.DIM)
        head = [
            mark,
            asked,
            Span(f"{index + 1:>{self._digits}} ", Style.DIM),
            Span(f"{self._place(step.line)} ", Style.DIM),
        ]
        happened = self._happened(step)
        taken = spans_width(head) + sum(len(span.text) + 1 for span in happened)
        text = quoted_text(self._lines[step.line - 1]) if step.line <= len(self._lines) else ""
        text = "  " * min(step.depth, 4) + clean(text)
        spans = [*head, Span(pad(text, max(8, self._width - taken)), Style.PLAIN)]
        for span in happened:
            spans += [Span(" "), span]
        style = Style.CURRENT if index == view.cursor else Style.PLAIN
        return Row(clip_spans(spans, self._width), Target(step=index), style)

    def _place(self, line: int) -> str:
        place = place_of(self._view.source, line)
        return pad(clip(place.brief if place.file else f"L{line}", self._places), self._places)

    def _happened(self, step: Step) -> list[Span]:
        marks = []
        for event in step.events[:8]:
            if isinstance(event, Mutation):
                versions = event.after is not None and f"v{event.before}→v{event.after}"
                marks.append(Span(f"~{versions or ''}", Style.CHANGED))
        if step.raised is not None:
            marks.append(Span("✗", Style.ERROR))
        return marks[-2:]


class StepsPanel(Panel):
    """Shows every step that may be seen; choosing one goes there."""

    TITLE = PanelTitles.timeline

    def title_note_of(self, view: View) -> str:
        return recorded_note(view, self.language)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        rows = StepRows(view, width)
        if len(rows):
            return rows
        return [Row((Span(say(ScreenTexts.steps_none, self.language), Style.DIM),))]

    def redraw(self) -> None:
        super().redraw()
        if self.view.cursor >= 0:
            self.reveal(self.view.cursor, by_page=True)

    def chosen(self, target: Target) -> None:
        if target.step is not None:
            self.post_message(self.Signalled(StepChosen(target.step)))
