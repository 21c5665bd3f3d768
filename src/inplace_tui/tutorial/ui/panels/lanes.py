"""The lives of the storages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual import events
from textual.message import Message

from inplace_tui.common.rows import Row, Target
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import lanes
from inplace_tui.tutorial.present.lanes import LaneLayout, LaneOptions
from inplace_tui.tutorial.state.lifetimes import neighbours, scales
from inplace_tui.tutorial.ui.panels.steps import TimePanel, recorded_note

ROOM = 60
"""Cells for which columns are reckoned before the panel was ever seen."""


class LanesPanel(TimePanel):
    """Shows one row per storage: its writes, and while nodes hold it saved."""

    TITLE = PanelTitles.lanes

    def title_note_of(self, view: View) -> str:
        return recorded_note(view, self.language)

    @dataclass
    class LaneChosen(Message):
        """A lane was chosen, or the cursor came to it; its tensor is meant."""

        tensor: int
        entered: bool
        """It was chosen; the cursor has not only come to it."""

    _options = LaneOptions()
    _layout: LaneLayout | None = None

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        height = self.scrollable_content_region.height
        options = replace(self._options, height=height)
        return lanes.rows(view, width, self.language, options, before=self._layout)

    def take(self, rows: Sequence[Row]) -> None:
        """Have columns stay where they are when the next step is drawn."""
        assert isinstance(rows, lanes.LaneRows)
        self._layout = layout = rows.layout
        self._options = replace(
            layout.options, start=layout.window.start, versions=layout.version_room
        )

    def release_run(self) -> None:
        super().release_run()
        self._layout = None

    @property
    def pinned(self) -> int:
        """The rulers stay, however many there are."""
        layout = self._layout
        return 0 if layout is None or not layout.until or not len(layout.lanes) else layout.head

    # What is marked.

    @property
    def selected(self) -> int | None:
        return self._options.selected

    def select(self, tensor: int | None) -> None:
        if tensor != self._options.selected:
            self._options = replace(self._options, selected=tensor)
            self.redraw()

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        super().watch_cursor(before, after)
        tensor = self.under_cursor.tensor
        if tensor is not None and tensor != self.selected:
            self.select(tensor)
            self.post_message(self.LaneChosen(tensor, entered=False))

    def chosen(self, target: Target) -> None:
        if target.tensor is not None:
            self.post_message(self.LaneChosen(target.tensor, entered=True))

    # Time.

    def zoom(self, direction: int) -> bool:
        """Show fewer steps, or more; return whether there is another scale."""
        layout = self._computed_layout()
        known = scales(max(1, layout.until), layout.track)
        now = len(known) - 1 if self._options.scale is None else self._options.scale
        scale = min(now, len(known) - 1) - direction
        if not 0 <= scale < len(known):
            return False
        last = scale == len(known) - 1
        self._options = replace(self._options, scale=None if last else scale)
        self._center(layout)
        self.redraw()
        return True

    def _center(self, layout: LaneLayout) -> None:
        """Put the cursor where it is not at an edge when the scale is another."""
        layout = LaneLayout(layout.view, layout.room, self._options, self.language)
        half = layout.window.each * layout.window.columns // 2
        self._options = replace(self._options, start=max(0, layout.view.cursor - half))

    def column_on(self, direction: int) -> int | None:
        """Return the last step of the column after the cursor's, or before it."""
        layout = self._computed_layout()
        if not layout.until:
            return None
        each, cursor = layout.window.each, layout.view.cursor
        column = cursor // each + direction
        return max(-1, min((column + 1) * each - 1, layout.until - 1))

    def nearest_event(self, direction: int) -> int | None:
        """Return where something happens next to the storage under the cursor, or did last."""
        layout = self._layout
        place = None if layout is None or self.cursor is None else layout.place(self.cursor)
        if layout is None or place is None:
            return None
        life = layout.view.timeline.index.lives[layout.lanes[place].storage]
        if layout.hidden(layout.lanes[place]):
            return None
        return neighbours(life, layout.view.cursor, until=layout.until)[direction > 0]

    @property
    def on_lane(self) -> bool:
        layout, row = self._layout, self.cursor
        return layout is not None and row is not None and layout.place(row) is not None

    def _computed_layout(self) -> LaneLayout:
        """Return the layout, also where the panel is not seen."""
        width = self.scrollable_content_region.width or ROOM
        return LaneLayout(self.view, width, self._options, self.language)

    # The mouse.

    def step_at(self, x: int, row: int) -> int | None:
        layout = self._layout
        if layout is None:
            return None
        if self._dragged is not None:
            x = max(x, layout.label)
        is_time = row < 2 or layout.place(row) is not None
        return layout.step(x, row) if is_time else None

    def on_click(self, event: events.Click) -> None:
        """Choose a lane by its name; the columns are pressed, not clicked."""
        place = event.get_content_offset(self)
        if place is None or self._layout is None:
            return
        row = self._row_at(place.y)
        is_lane = self._layout.place(row) is not None
        if is_lane and place.x < self._layout.label:
            return
        event.stop()
        event.prevent_default()
        if is_lane:
            self.cursor = row

    def wheel_turned(self, direction: int, event: events.MouseEvent) -> None:
        """Zoom with Ctrl, scrub on the rulers, scroll rows on the lanes if there are more."""
        place = event.get_content_offset(self)
        if event.ctrl:
            self.zoom(-direction)
            event.stop()
            event.prevent_default()
        elif (place is not None and place.y < 2) or not self.show_vertical_scrollbar:
            super().wheel_turned(direction, event)
