"""Time as something to move through: by columns of the lanes, by mouse, by number."""

from __future__ import annotations

from functools import partial

from textual import on, work

from inplace_tui.engine.session.movement import parse_place
from inplace_tui.engine.session.signals import LastWriteRequested, NextWriteRequested, StepChosen
from inplace_tui.model.lesson import LocalText
from inplace_tui.texts import say
from inplace_tui.texts.lanes import LaneTexts
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import PromptDialog
from inplace_tui.ui.panels import LanesPanel, TensorTable
from inplace_tui.ui.panels.steps import StepsPanel
from inplace_tui.ui.panels.time_panel import TimePanel
from inplace_tui.ui.screens.staging import Staging


class Scrubbing(Staging):
    """A page on which a run is scrubbed, and one storage of it followed."""

    @property
    def lanes(self) -> LanesPanel:
        """The lanes, seen or not: their columns are what is scrubbed by."""
        return self.query_one(LanesPanel)

    def action_scrub(self) -> None:
        """Move on by a column of the lanes."""
        self._scrub(1)

    def action_scrub_back(self) -> None:
        """Move back by a column of the lanes."""
        self._scrub(-1)

    def _scrub(self, direction: int) -> None:
        step = self.lanes.column_on(direction)
        if step is not None:
            self.send(StepChosen(step))

    def action_lanes_in(self) -> None:
        """Give each step more room."""
        if not self.lanes.zoom(1):
            self.note(LaneTexts.closest)

    def action_lanes_out(self) -> None:
        """Show more of the run."""
        if not self.lanes.zoom(-1):
            self.note(LaneTexts.whole)

    def action_last_write(self) -> None:
        """Go to the last write to the tensor that was chosen; in a lane, to its last event."""
        self._go_beside(-1)

    def action_next_write(self) -> None:
        """Go to the next write to the tensor that was chosen; in a lane, to its next event."""
        self._go_beside(1)

    def _go_beside(self, direction: int) -> None:
        lanes = self.lanes
        if self.focused is lanes and lanes.on_lane:
            step = lanes.event_beside(direction)
            if step is not None:
                self.send(StepChosen(step))
                return
        tensor = self._tensor_meant()
        if tensor is None:
            self.note(ScreenTexts.choose_tensor)
        elif direction < 0:
            self.send(LastWriteRequested(tensor))
        else:
            self.send(NextWriteRequested(tensor))

    def _tensor_meant(self) -> int | None:
        if self.view.watched.followed is not None:
            return self.view.watched.followed
        table = self.query_one(TensorTable)
        tensor = table.selected
        if table.cursor is not None and 0 <= table.cursor < len(table.rows):
            tensor = table.rows[table.cursor].target.tensor or tensor
        return tensor

    @work
    async def action_goto(self) -> None:
        """Ask for a step, a share of the run or a line, and go there."""
        question, lead = (
            partial(self._of_lanes, text) for text in (LaneTexts.goto, LaneTexts.goto_lead)
        )
        text = await self.app.push_screen_wait(PromptDialog(question, lead))
        if text is None:
            return
        wanted = parse_place(text, steps=self.view.reachable + 1)
        if wanted is None:
            self.note(LaneTexts.goto_unknown, text=text[:20])
        else:
            self.send(wanted)

    def _of_lanes(self, text: LocalText) -> str:
        return say(text, self.language)

    # What was pointed at.

    @on(TimePanel.StepChosen)
    @on(StepsPanel.StepChosen)
    def _step_chosen(self, event: TimePanel.StepChosen | StepsPanel.StepChosen) -> None:
        event.stop()
        self.send(StepChosen(event.step))

    @on(TimePanel.Turned)
    def _turned(self, event: TimePanel.Turned) -> None:
        event.stop()
        self._scrub(event.direction)

    @on(LanesPanel.LaneChosen)
    def _lane_chosen(self, event: LanesPanel.LaneChosen) -> None:
        event.stop()
        there = event.tensor in self.view.snapshot.tensors
        if there:
            self.query_one(TensorTable).selected = event.tensor
        if event.entered and there:
            self.choose_panel("state")
        elif event.entered:
            self.note(LaneTexts.gone)

    def follow_selection(self) -> None:
        """Mark in the lanes what is chosen in the table."""
        self.lanes.select(self.query_one(TensorTable).selected)
