"""The tensors of the moment, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message
from textual.reactive import reactive

from inplace_tui.engine.view import View
from inplace_tui.present import table
from inplace_tui.present.rows import Row, Target
from inplace_tui.ui.panels.panel import Panel


class TensorTable(Panel):
    """Shows every tensor that a name reaches, with what changed at this step."""

    KEY = "tensors"
    PINNED = 1

    pointers: reactive[bool] = reactive(False, repaint=False)
    """Whether the column of addresses is shown."""

    selected: reactive[int | None] = reactive[int | None](None, repaint=False)
    """The tensor that is described below the table."""

    @dataclass
    class Selected(Message):
        """A tensor was chosen."""

        panel: TensorTable
        tensor: int

        @property
        def control(self) -> TensorTable:
            """The panel."""
            return self.panel

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the head, the tensors and what there is to say of one."""
        return table.rows(
            view, width, self.language, pointers=self.pointers, selected=self.selected
        )

    def watch_pointers(self) -> None:
        """Lay the columns out anew."""
        self.redraw()

    def watch_selected(self) -> None:
        """Describe another tensor."""
        self.redraw()

    def chosen(self, target: Target) -> None:
        """Name the tensor."""
        if target.tensor is not None:
            self.selected = target.tensor
            self.post_message(self.Selected(self, target.tensor))
