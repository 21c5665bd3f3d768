"""The lives of the storages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.session.view import View
from inplace_tui.present import lanes
from inplace_tui.present.rows import Row, Target
from inplace_tui.ui.panels.panel import Panel


class LanesPanel(Panel):
    """Shows one row per storage: its writes, and while nodes hold it saved."""

    KEY = "lanes"
    PINNED = 1

    @dataclass
    class StepChosen(Message):
        """A moment in a lane was chosen."""

        panel: LanesPanel
        step: int

        @property
        def control(self) -> LanesPanel:
            """The panel."""
            return self.panel

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the lanes and their legend."""
        return lanes.rows(view, width, self.language)

    def chosen(self, target: Target) -> None:
        """Name the step."""
        if target.step is not None:
            self.post_message(self.StepChosen(self, target.step))
