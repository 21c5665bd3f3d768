"""The timeline as a list: one row a step, the cursor among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from inplace_tui.common.cells import clean, clip, clip_spans, pad, spans_width
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.files import lines_of, place_of, split_files
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.ui.panels.panel import Panel
from inplace_tui.tutorial.ui.panels.time_panel import TimePanel, recorded_note

MAX_CACHED_ROWS = 2_000
"""Rows that are cached for the next step."""


MAX_PLACE = 20
"""Cells of the name of a line in a file with a long name."""


class StepRows(Sequence[Row]):
    """Makes each row lazily: a loop has tens of thousands."""

    def __init__(self, view: View, width: int, before: Sequence[Row] = ()) -> None:
        self._view = view
        self._width = width
        self._count = min(view.last_shown + 1, len(view.timeline))
        self._digits = max(2, len(str(len(view.timeline))))
        self._common = (view.timeline, view.source, width, self._digits)
        self._made: dict[tuple[int, int, Gate | None], Row] = {}
        if isinstance(before, StepRows) and before._common == self._common:
            self._made = before._made
        self._lines = lines_of(view.source)
        self._places = 4
        """Cells of the name of a line."""

        for part in split_files(view.source)[1:]:
            last = place_of(view.source, part.before + len(lines_of(part.source)))
            self._places = min(MAX_PLACE, max(self._places, len(last.brief)))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        place, cursor = index % self._count, self._view.cursor
        key = (place, (place > cursor) - (place < cursor), self._view.gates.get(place))
        if key not in self._made:
            if len(self._made) >= MAX_CACHED_ROWS:
                self._made.clear()  # a search looks at all of them
            self._made[key] = self._row(place)
        return self._made[key]

    def _row(self, index: int) -> Row:
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
        text = self._lines[step.line - 1].strip() if step.line <= len(self._lines) else ""
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
        rows = StepRows(view, width, self.rows)
        if len(rows):
            return rows
        return [Row((Span(say(ScreenTexts.steps_none, self.language), Style.DIM),))]

    def redraw(self) -> None:
        super().redraw()
        if self.view is not None and self.view.cursor >= 0:
            self.turn_page_to(self.view.cursor)

    def chosen(self, target: Target) -> None:
        if target.step is not None:
            self.post_message(TimePanel.StepPicked(target.step))
