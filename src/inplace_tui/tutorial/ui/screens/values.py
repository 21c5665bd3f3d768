"""A tensor opened to see all of it, over the run that goes on being stepped through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content

from inplace_tui.common.cells import clean, wrapped
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import View, hides
from inplace_tui.tutorial.drive.tensor_inspector import TensorInspector
from inplace_tui.tutorial.present.grid import Grid, GridWindow, grid
from inplace_tui.tutorial.present.table import reason
from inplace_tui.tutorial.present.values import (
    cell_rows,
    comparison,
    facts_rows,
    sample_rows,
    shape_text,
    statistics_rows,
)
from inplace_tui.tutorial.state.element_source import ElementSource, Plane, RecordedElements
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.widgets.bars import Bar
from inplace_tui.tutorial.ui.widgets.lines import FRAME_STYLES, Lines, edge_text

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen

OF_THE_RUN = frozenset((*Move, "copy", "leave", "open_tensor"))
"""What can be done here of what can be done on the run below."""

BESIDE = 100
"""Cells of a screen on which values and gradient stand side by side."""

WRAPS = (20, 10, 5, 2, 1)
"""Elements of a row of a vector: as many as there is room for."""

FAR = 10**18
"""More rows or columns than any tensor has."""

WHEEL = 3
"""Rows that a turn of the wheel scrolls."""


@dataclass(frozen=True)
class TensorPosition:
    """Where the learner is in a tensor."""

    lead: int = 0
    row: int = 0
    column: int = 0
    top: int = 0
    left: int = 0


def _readable(elements: ElementSource | Unreadable | None) -> ElementSource | None:
    return None if isinstance(elements, Unreadable) else elements


def _inside(plane: Plane, row: int, column: int) -> tuple[int, int]:
    """Return the nearest cell that the plane has."""
    return max(0, min(row, plane.rows - 1)), max(0, min(column, plane.columns - 1))


class ValueGrid(Lines, inherit_bindings=False):
    """Shows rows of a grid that somebody else computes, and says where the learner wants to go."""

    DEFAULT_CSS = f"""
    ValueGrid {{
        overflow: hidden hidden;
        scrollbar-gutter: auto;
        padding: 0 1;
        {FRAME_STYLES}
    }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"walk({by})", show=False)
        for key, by in (
            *(("up", "-1, 0"), ("down", "1, 0"), ("left", "0, -1"), ("right", "0, 1")),
            *(("pageup", "-1, 0, True"), ("pagedown", "1, 0, True")),
            *(("less_than_sign", "0, -1, True"), ("greater_than_sign", "0, 1, True")),
            *(("home", f"0, -{FAR}"), ("end", f"0, {FAR}")),
            *(("ctrl+home", f"-{FAR}, 0"), ("ctrl+end", f"{FAR}, 0")),
        )
    ]

    shown: Grid | None = None
    gaps = 2
    """Cells between two elements: mark, gap, and the sign for a size if there is one."""

    @property
    def page(self) -> ValuesScreen:
        return cast("ValuesScreen", self.screen)

    def on_resize(self) -> None:
        self.call_later(self.page.redraw)

    def action_walk(self, rows: int, columns: int, pages: bool = False) -> None:
        if pages and self.shown is not None:
            rows, columns = rows * max(1, self.size.height - 2), columns * self.shown.columns
        self.page.walk(rows, columns, pages=pages)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None or self.shown is None or place.y < 1:
            return
        column = (place.x - self.shown.head - 1) // (self.shown.cell + self.gaps)
        if 0 <= column < self.shown.columns and place.y < len(self.shown.rows):
            event.stop()
            spot = self.page.spot
            self.page.go_to(spot.top + place.y - 1, spot.left + column)

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def _wheel_turned(self, event: events.MouseScrollDown | events.MouseScrollUp) -> None:
        direction = 1 if isinstance(event, events.MouseScrollDown) else -1
        event.stop()
        event.prevent_default()
        sideways = event.shift or event.ctrl
        self.page.scroll(*((0, direction) if sideways else (direction * WHEEL, 0)))


class ValuesScreen(Page):
    """One tensor, whole, at the moment that the run below shows. Stepping changes what is seen."""

    BINDINGS = bindings(Where.RUN, only=OF_THE_RUN) + bindings(Where.VALUES)
    AUTO_FOCUS = "#values"

    def __init__(self, below: RunScreen, tensor: Tensor) -> None:
        """Open a tensor of the run on the page `below`, which stepping goes on in."""
        super().__init__()
        self.below = below
        self._number, self._called = tensor.id, tensor_name(tensor)
        self.view: View = below.view
        self.with_grad = False
        self.spot = TensorPosition()
        self._widest = 0
        self.inspector = TensorInspector(below.runner, self.redraw)
        self._facts, self._cell = Lines(id="facts"), Lines(id="cell")
        self._values, self._slopes = ValueGrid(id="values"), ValueGrid(id="slopes")

    def compose_body(self) -> ComposeResult:
        yield self._facts
        yield Horizontal(self._values, self._slopes, id="grids")
        yield self._cell

    def on_mount(self) -> None:
        self.call_after_refresh(self.update_texts)

    async def on_unmount(self) -> None:
        await self.inspector.close()

    # What is shown.

    @property
    def tensor(self) -> Tensor | None:
        """The tensor at this step: that very one, else what has its name now."""
        tensors = self.view.snapshot.tensors
        found = tensors.get(self._number)
        if found is None:
            same = (each for each in tensors.values() if tensor_name(each) == self._called)
            found = next(same, None)
        return found

    def show(self, view: View) -> None:
        self.view = view
        if self.is_there:
            self.update_texts()
            if view.awaits_answer:
                self.note(ValueTexts.question)

    def update_texts(self) -> None:
        super().update_texts()
        self._draw()

    def redraw(self) -> None:
        if self.is_there:
            self._draw()

    def clear_notice(self) -> None:
        """It was shown on the page below, too."""
        super().clear_notice()
        self.below.clear_notice()

    def show_title(self) -> None:
        tensor = self.tensor
        name = self._called if tensor is None else tensor_name(tensor)
        shown = ValueTexts.mode_grad if self.with_grad else ValueTexts.mode_values
        parts = [
            Content.styled(self.say(ValueTexts.title, name=clean(name)), "bold"),
            Content.styled(self.say(shown), "$primary"),
        ]
        progress = self.below.progress_text(self.view)
        self.query_one("#title", Bar).show(Content("  ").join(parts), progress)

    def _draw(self) -> None:
        tensor = self.tensor
        hidden = tensor is not None and hides(self.view, tensor, "values")
        if tensor is None or hidden:
            message = ValueTexts.gone if tensor is None else ValueTexts.hidden
            text = self.say(message, name=clean(self._called))
            self._facts.styles.height = self._cell.styles.height = 0
            self._slopes.display = False
            self._write(self._values, [Row((Span(text, Style.MASKED),))])
            return
        self._number = tensor.id
        self.inspector.aim(self.view, tensor, with_grad=self.with_grad)
        self._draw_tensor(tensor)
        self.inspector.fetch()

    def _write(self, widget: Lines, rows: list[Row]) -> None:
        widget.draw(rows, widest=widget.size.width)

    def _draw_tensor(self, tensor: Tensor) -> None:
        elements = self.inspector.elements
        grad = None if self._grad_hidden(tensor) else elements.grad
        beside = self.with_grad and self.size.width >= BESIDE
        alone = self.with_grad and not beside
        shown = grad if alone else elements.now
        values = _readable(shown)
        self._slopes.display = beside
        plane = self._plane(values)
        self._draw_facts(tensor, values, plane)
        message = self._instead(tensor, shown, grad_wanted=alone)
        before = elements.comparable
        if values is None or message is not None or plane is None or 0 in plane.shape:
            self._write(self._values, message or [])
        else:
            self._draw_grid(values, None if alone else before, plane)
        if beside:
            self._draw_beside(tensor, grad, plane)
        self._entitle(plane, alone=alone)
        rows = cell_rows(
            self.place if plane is not None and plane.count else None,
            (_readable(elements.now), before, _readable(grad)),
            tensor,
            self.view,
            room=max(10, self.size.width - 2),
            language=self.language,
        )[: 1 if self.size.height < 16 else 3]
        self._cell.styles.height = len(rows)
        self._write(self._cell, rows)

    def _grad_hidden(self, tensor: Tensor) -> bool:
        grad = self.view.snapshot.tensors.get(-1 if tensor.grad is None else tensor.grad)
        own = grad is not None and hides(self.view, grad, "values")
        return own or hides(self.view, tensor, "grad")

    def _instead(self, tensor: Tensor, shown: object, *, grad_wanted: bool) -> list[Row] | None:
        """Return what is shown where there are no elements to see."""
        name, trouble = clean(tensor_name(tensor)), self.inspector.elements.trouble
        message: tuple[str, Style] | None = None
        if grad_wanted and self._grad_hidden(tensor):
            message = self.say(ValueTexts.hidden), Style.MASKED
        elif trouble is not None and shown is None:
            message = self.say(trouble.text), Style.STALE
        elif grad_wanted and tensor.grad is None:
            message = self.say(ValueTexts.no_grad, name=name), Style.DIM
        elif isinstance(shown, Unreadable):
            message = f"⊘ {reason(shown, self.language)}", Style.DIM
        elif shown is None:
            message = self._on_its_way(tensor), Style.WARNING
        elif 0 in tensor.shape:
            message = self.say(ValueTexts.empty, shape=shape_text(tensor.shape)), Style.DIM
        if message is None:
            return None
        room = max(10, self._values.size.width)
        rows = wrapped([Span(*message)], room)
        if shown is None and not grad_wanted:  # until it is there, or for good
            rows += sample_rows(tensor, self.view, room, self.language)
        return rows

    def _on_its_way(self, tensor: Tensor) -> str:
        count = f"{Plane(tensor.shape).count:,}"
        return self.say(ValueTexts.running, step=self.view.cursor + 1, count=count)

    def _plane(self, values: ElementSource | None) -> Plane | None:
        if values is None:
            return None
        wrap = 1
        if len(values.shape) == 1:
            room = self._values.size.width - len(str(values.shape[0])) - 3
            wrap = next((n for n in WRAPS if n * (max(self._widest, 6) + 2) <= room), 1)
        lead = min(self.spot.lead, max(0, Plane(values.shape).planes - 1))
        return Plane(values.shape, lead=lead, wrap=wrap)

    # The parts of the page.

    def _draw_facts(
        self, tensor: Tensor, values: ElementSource | None, plane: Plane | None
    ) -> None:
        room = max(10, self.size.width - 2)
        rows = facts_rows(tensor, self.view, room, self.language)
        elements = self.inspector.elements
        source = ValueTexts.ran if elements.again and not elements.waits else ValueTexts.recorded
        if values is not None and plane is not None and plane.count:
            rows += statistics_rows(values.statistics, values.dtype, room, self.language, plane)
            spans = [Span(self.say(source, step=self.view.cursor + 1), Style.DIM)]
            if isinstance(elements.now, RecordedElements) and not self.with_grad:
                name = clean(tensor_name(tensor))
                compared = (elements.now, elements.before, elements.earlier)
                message = comparison(*compared, name=name, language=self.language)
                spans += [Span("   "), Span(*message)]
            rows.append(Row(tuple(spans)))
        most = 2 if self.size.height < 16 else 6 if self.size.height < 30 else 12
        if len(rows) > most:  # what it is gives way to what is in it
            rows = [rows[0], *rows[len(rows) - most + 1 :]]
        self._facts.styles.height = len(rows)
        self._write(self._facts, rows)

    def _draw_grid(self, values: ElementSource, before: ElementSource | None, plane: Plane) -> None:
        widget = self._values
        window = self._window(widget, plane)
        shown = grid(values, before, window)
        self._widest = max(self._widest, shown.cell)
        spot = self.spot
        if not spot.left <= spot.column < spot.left + shown.columns:
            left = max(0, min(spot.column, spot.column - shown.columns + 1))
            self.spot = replace(spot, left=spot.column if spot.column < spot.left else left)
            shown = grid(values, before, replace(window, left=self.spot.left))
        gaps = 3 if window.shades else 2
        most = max(0, plane.columns - (widget.size.width - shown.head) // (shown.cell + gaps))
        if self.spot.left > most:  # there is room for more now than there was
            self.spot = replace(self.spot, left=most)
            shown = grid(values, before, replace(window, left=most))
        widget.shown, widget.gaps = shown, gaps
        self._write(widget, list(shown.rows))

    def _window(self, widget: ValueGrid, plane: Plane) -> GridWindow:
        """Keep the cursor in the plane, and the window around the cursor."""
        height = max(1, widget.size.height - 1)
        spot = self.spot
        row, column = _inside(plane, spot.row, spot.column)
        if plane.at(row, column) is None:
            column = (plane.shape[0] - 1) % plane.wrap
        top = min(max(spot.top, row - height + 1), row)
        top = max(0, min(top, plane.rows - height))
        self.spot = TensorPosition(plane.lead, row, column, top, min(spot.left, column))
        return GridWindow(
            plane=plane,
            top=top,
            left=self.spot.left,
            height=height,
            room=widget.size.width,
            cursor=(row, column),
            shades=self.app.no_color,
            least=self._widest,
        )

    def _draw_beside(
        self, tensor: Tensor, grad: ElementSource | Unreadable | None, plane: Plane | None
    ) -> None:
        widget = self._slopes
        message, values = self._instead(tensor, grad, grad_wanted=True), _readable(grad)
        if message is not None or plane is None or values is None:
            self._write(widget, message or [])
            return
        window = replace(self._window(widget, plane), top=self.spot.top)
        widget.shown = grid(values, None, window)
        self._write(widget, list(widget.shown.rows))

    def _entitle(self, plane: Plane | None, *, alone: bool) -> None:
        parts = [self.say(ValueTexts.mode_grad_alone if alone else ValueTexts.mode_values)]
        if plane is not None and plane.planes > 1:
            index = shape_text((*plane.leading(), ":", ":"))  # type: ignore[arg-type]
            number, count = f"{plane.lead + 1:,}", f"{plane.planes:,}"
            parts.append(self.say(ValueTexts.plane, index=index, number=number, count=count))
        if plane is not None and plane.count:
            top = self.spot.top
            last = min(plane.rows, top + max(1, self._values.size.height - 1)) - 1
            if last - top + 1 < plane.rows:
                first, last_one, count = (f"{each:,}" for each in (top, last, plane.rows))
                parts.append(self.say(ValueTexts.rows, first=first, last=last_one, count=count))
        # On the border above: the one below is not there on a small screen.
        self._values.border_title = Content("  ".join(parts))
        self._slopes.border_title = Content(self.say(ValueTexts.mode_grad_alone))

    @property
    def place(self) -> int | None:
        """The row-major place of the cell under the cursor; None where there is none."""
        plane = self.plane
        return None if plane is None else plane.at(self.spot.row, self.spot.column)

    @property
    def plane(self) -> Plane | None:
        elements = self.inspector.elements
        alone = self.with_grad and self.size.width < BESIDE
        shown = _readable(elements.grad if alone else elements.now)
        if shown is None or 0 in shown.shape:
            return None
        return self._plane(shown)

    # Looking around.

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
        plane = self.plane
        if plane is None:
            return
        row, column = _inside(plane, row, column)
        lead = self.spot.lead if lead is None else lead
        self.spot = replace(self.spot, row=row, column=column, lead=lead)
        self._draw()

    def walk(self, rows: int, columns: int, *, pages: bool) -> None:
        """Move the cursor by rows and columns; in pages the window goes along."""
        before = self.spot
        if pages:
            top, left = max(0, before.top + rows), max(0, before.left + columns)
            self.spot = replace(before, top=top, left=left)
        self.go_to(before.row + rows, before.column + columns)
        if self.spot == before:
            self.note(edge_text(columns, rows))

    def scroll(self, rows: int, columns: int) -> None:
        self.spot = replace(self.spot, top=max(0, self.spot.top + rows))
        self.go_to(self.spot.row + rows, self.spot.column + columns)

    def action_go(self, move: str) -> None:
        """Step on in the run below."""
        self.below.send(Moved(Move(move)))

    # What is this page's own.

    def action_gradient(self) -> None:
        """Show the gradient beside the values, or no longer."""
        self.with_grad = not self.with_grad
        self._widest = 0
        self.update_texts()

    def action_turn(self, by: int) -> None:
        plane = self.plane
        if plane is None or plane.planes < 2:
            self.note(ValueTexts.one_plane)
            return
        self.go_to(self.spot.row, self.spot.column, lead=(self.spot.lead + by) % plane.planes)

    def action_odd(self) -> None:
        """Go to the next element that is not finite."""
        self.run_worker(self._to_odd(), exclusive=True)

    async def _to_odd(self) -> None:
        plane, place = self.plane, self.place
        found = await self.inspector.next_odd(-1 if place is None else place)
        if plane is None or found is None:
            self.note(ValueTexts.nothing_odd)
            return
        lead, row, column = plane.cell(found)
        self.go_to(row, column, lead=lead)

    def action_copy(self) -> None:
        text = "\n".join(part.text for part in (self._facts, self._values, self._cell))
        self.app.copy_to_clipboard(text)
        self.note(ScreenTexts.copied, lines=len(text.splitlines()))

    def action_leave(self) -> None:
        self.dismiss(None)

    action_open_tensor = action_leave
