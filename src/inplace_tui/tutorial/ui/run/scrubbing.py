"""Moves through time: by columns of the lanes, by mouse, by number, by the writes to a tensor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import parse_place
from inplace_tui.tutorial.ui.dialogs.dialog import PromptDialog
from inplace_tui.tutorial.ui.panels import LanesPanel, TensorTable
from inplace_tui.tutorial.ui.run.panel_layout import PanelLayout

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class Scrubbing:
    """Scrubs through a run, and goes from write to write of a storage."""

    def __init__(self, page: RunScreen, layout: PanelLayout) -> None:
        self._page = page
        self._layout = layout

    @property
    def _lanes(self) -> LanesPanel:
        """The lanes, seen or not: their columns are what is scrubbed by."""
        return self._page.query_one(LanesPanel)

    def action_scrub(self) -> None:
        self.move(1)

    def action_scrub_back(self) -> None:
        self.move(-1)

    def move(self, columns: int) -> None:
        step = self._lanes.column_on(columns)
        if step is None:  # nothing ran yet: whoever takes the signal says so
            self._page.send(signals.Moved(signals.Move.NEXT if columns > 0 else signals.Move.BACK))
        else:
            self._page.send(signals.StepChosen(step))

    def action_lanes_in(self) -> None:
        """Give each step more room."""
        self._zoom(1, LaneTexts.closest)

    def action_lanes_out(self) -> None:
        """Show more of the run."""
        self._zoom(-1, LaneTexts.whole)

    def _zoom(self, by: int, limit: LocalText) -> None:
        """Change the columns of the lanes; say so where they can't be seen."""
        if not self._lanes.zoom(by):
            self._page.note(limit)
        elif not self._lanes.display:
            self._page.note(LaneTexts.zoomed)

    def action_last_write(self) -> None:
        """Go to the last write to the tensor that was chosen; in a lane, to its last event."""
        self._go_to_nearest(-1)

    def action_next_write(self) -> None:
        """Go to the next write to the tensor that was chosen; in a lane, to its next event."""
        self._go_to_nearest(1)

    def _go_to_nearest(self, direction: int) -> None:
        page, lanes = self._page, self._lanes
        if page.focused is lanes and lanes.on_lane:
            step = lanes.nearest_event(direction)
            if step is not None:
                page.send(signals.StepChosen(step))
                return
        tensor = page.view.watched.followed
        if tensor is None:
            tensor = page.query_one(TensorTable).pointed
        if tensor is None:
            page.note(ScreenTexts.choose_tensor)
        elif direction < 0:
            page.send(signals.LastWriteRequested(tensor))
        else:
            page.send(signals.NextWriteRequested(tensor))

    def action_goto(self) -> None:
        """Ask for a step, a share of the run or a line, and go there."""
        say = self._page.say
        prompt = PromptDialog(partial(say, LaneTexts.goto), partial(say, LaneTexts.goto_lead))
        self._page.app.push_screen(prompt, self._go_to)

    def _go_to(self, text: str | None) -> None:
        if text is None:
            return
        view = self._page.view
        signal = parse_place(text, steps=view.reachable + 1, source=view.source)
        if signal is None:
            self._page.note(LaneTexts.goto_unknown, text=text[:20])
        else:
            self._page.send(signal)

    def lane_chosen(self, event: LanesPanel.LaneChosen) -> None:
        """Select the tensor of a lane; Enter goes to it in the table."""
        page = self._page
        there = event.tensor in page.view.snapshot.tensors
        if there:
            page.query_one(TensorTable).selected = event.tensor
        if event.entered and there:
            self._layout.choose("state")
        elif event.entered:
            page.note(LaneTexts.gone)

    def select_lane(self) -> None:
        self._lanes.select(self._page.query_one(TensorTable).selected)
