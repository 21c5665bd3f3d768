"""The tensors after the step, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from inplace_tui.common.rows import Row
from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import table
from inplace_tui.tutorial.ui.panels.panel import Panel


class TensorTable(Panel):
    """Shows every tensor that a name reaches, with what changed at this step."""

    TITLE = PanelTitles.tensors
    PINNED = 1

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "column(-1)", "Column before", show=False),
        Binding("right", "column(1)", "Next column", show=False),
    ]

    pointers: reactive[bool] = reactive(False, repaint=False)
    """Whether the column of addresses is shown."""

    selected: reactive[int | None] = reactive[int | None](None, repaint=False)
    """The tensor that is described below the table."""

    column: reactive[str | None] = reactive[str | None](None, repaint=False)
    """Key of the facet whose column is selected; None before left or right is pressed."""

    @dataclass
    class Selected(Message):
        """The cursor came to a tensor."""

        tensor: int

    @property
    def pointed(self) -> int | None:
        """The tensor under the cursor, else the one that was selected."""
        return self.under_cursor.tensor or self.selected

    def title_note_of(self, view: View) -> str:
        return table.left_out(view, self.language)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return table.rows(
            view,
            width,
            self.language,
            pointers=self.pointers,
            selected=self.selected,
            column=self.column,
            keys=self.key_labels,
            before=self.rows,
        )

    def redraw(self) -> None:
        """Draw again; the cursor stays on its tensor, whatever rows come before it."""
        super().redraw()
        if self.cursor is not None and self.selected is not None:
            rows, selected = self.rows, self.selected
            self.cursor = rows.place_of(selected) if isinstance(rows, table.TableRows) else None

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        super().watch_cursor(before, after)
        tensor = self.under_cursor.tensor
        if tensor is not None and tensor != self.selected:
            self.selected = tensor
            self.post_message(self.Selected(tensor))

    def action_column(self, step: int) -> None:
        """Select the next column; a hidden one is shown while it is selected."""
        keys = [facet.key for facet in FACETS]
        place = keys.index(self.column) + step if self.column in keys else 0
        self.column = keys[place % len(keys)]
        if self.cursor is None:
            self.action_move(1)

    def watch_selected(self) -> None:
        self.redraw()

    watch_column = watch_pointers = watch_selected

    def action_choose(self) -> None:
        """Open what Enter chose."""
        super().action_choose()
        if self.cursor is not None and self.selected is not None:
            self.call_later(self.screen.run_action, "open_tensor")

    def on_click(self, event: events.Click) -> None:
        """Open the tensor that is clicked once more; the first click has chosen it."""
        place = event.get_content_offset(self)
        if place is None or self.cursor is None or self._row_at(place.y) != self.cursor:
            return
        tensor = self.under_cursor.tensor
        if tensor is not None and tensor == self.selected:
            self.call_later(self.screen.run_action, "open_tensor")
