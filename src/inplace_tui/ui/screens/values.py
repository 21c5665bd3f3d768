"""A tensor opened to see all of it, over the run that goes on being stepped through."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from inplace_tui.engine.state.diff import ValuesMode
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.values import ValueTexts
from inplace_tui.ui.keys import Where, bindings
from inplace_tui.ui.screens.opened import OpenedTensor
from inplace_tui.ui.widgets.lines import Lines
from inplace_tui.ui.widgets.value_grid import ValueGrid

STEPPING = frozenset(
    {
        "next", "back", "into", "out", "to_call", "to_return", "continue", "continue_back",
        "start", "end", "copy", "leave", "open_tensor",
    }
)  # fmt: skip
"""What can be done here of what can be done on the run below."""


class ValuesScreen(OpenedTensor):
    """One tensor, and the keys to look around in it. Stepping changes what is seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(each for each in bindings(Where.RUN) if each.id in STEPPING),
        *bindings(Where.VALUES),
    ]
    AUTO_FOCUS = "#values"

    @property
    def promoted(self) -> tuple[str, ...]:
        """The way back comes first: nothing else on this screen tells it."""
        return ("leave",)

    @property
    def idle(self) -> tuple[str, ...]:
        """There are planes to turn to only beyond two dimensions."""
        one = self.plane is None or self.plane.planes < 2
        return ("plane_after", "plane_before") if one else ()

    def go_to(self, row: int, column: int, *, lead: int | None = None) -> None:
        """Move the cursor to a cell, as far as there are cells."""
        plane = self.plane
        if plane is None:
            return
        row = max(0, min(row, plane.rows - 1))
        column = max(0, min(column, plane.columns - 1))
        lead = self.spot.lead if lead is None else lead
        self.spot = replace(self.spot, row=row, column=column, lead=lead)
        self._draw()

    @on(ValueGrid.Walked)
    def _walked(self, event: ValueGrid.Walked) -> None:
        event.stop()
        rows, columns, shown = event.rows, event.columns, event.grid.shown
        if event.pages and shown is not None:
            height = max(1, event.grid.size.height - 2)
            self.spot = replace(self.spot, top=max(0, self.spot.top + rows * height))
            rows, columns = rows * height, columns * shown.columns
            if columns:
                self.spot = replace(self.spot, left=max(0, self.spot.left + columns))
        self.go_to(self.spot.row + rows, self.spot.column + columns)

    @on(ValueGrid.CellClicked)
    def _pointed(self, event: ValueGrid.CellClicked) -> None:
        event.stop()
        self.go_to(self.spot.top + event.row, self.spot.left + event.column)

    @on(ValueGrid.Rolled)
    def _rolled(self, event: ValueGrid.Rolled) -> None:
        event.stop()
        self.spot = replace(self.spot, top=max(0, self.spot.top + event.rows))
        self.go_to(self.spot.row + event.rows, self.spot.column + event.columns)

    def action_mode(self) -> None:
        """Show the differences, then the gradient, then the values again."""
        modes = list(ValuesMode)
        self.mode = modes[(modes.index(self.mode) + 1) % len(modes)]
        self._widest = 0
        self.update_texts()

    def action_heat(self) -> None:
        """Colour by value, or not."""
        self.heat = not self.heat
        self.notice(self.tell(ValueTexts.heat_on if self.heat else ValueTexts.heat_off))
        self._draw()

    def action_plane_before(self) -> None:
        """Go to the plane before."""
        self._turn(-1)

    def action_plane_after(self) -> None:
        """Go to the next plane."""
        self._turn(1)

    def _turn(self, by: int) -> None:
        plane = self.plane
        if plane is None or plane.planes < 2:
            self.notice(self.tell(ValueTexts.one_plane))
            return
        self.go_to(self.spot.row, self.spot.column, lead=(self.spot.lead + by) % plane.planes)

    def action_odd(self) -> None:
        """Go to the next element that is not finite."""
        self.run_worker(self._to_odd(), exclusive=True)

    async def _to_odd(self) -> None:
        plane, place = self.plane, self.place
        found = await self.inspector.next_odd(-1 if place is None else place)
        if plane is None or found is None:
            self.notice(self.tell(ValueTexts.nothing_odd))
            return
        lead, row, column = plane.cell(found)
        self.go_to(row, column, lead=lead)

    def action_copy(self) -> None:
        """Copy what is seen as text."""
        parts = [self.query_one(f"#{name}", Lines) for name in ("facts", "values", "cell")]
        text = "\n".join(part.text for part in parts)
        self.app.copy_to_clipboard(text)
        self.note(ScreenTexts.copied, lines=len(text.splitlines()))

    def action_open_tensor(self) -> None:
        """Close it again."""
        self.dismiss(None)

    def action_leave(self) -> None:
        """Close it."""
        self.dismiss(None)
