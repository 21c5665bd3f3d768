"""The elements of a tensor on lines of text: what its page on the screen says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from inplace_tui.common.cells import clean
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts import say
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.common.timeouts import timeout
from inplace_tui.tutorial.activity.session.view import View, hides
from inplace_tui.tutorial.commands.plain import panels
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.drive.session_runner import SessionRunner
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
from inplace_tui.tutorial.state.diff import ValuesMode
from inplace_tui.tutorial.state.element_source import ElementSource, FetchedElements
from inplace_tui.tutorial.state.plane import Plane

ROWS = 20
"""Of a plane, that are printed."""

WRAP = 5
"""Elements of a row of a vector."""

PATIENCE = 60.0
"""Seconds that a run and its statistics are waited for."""


@dataclass(frozen=True)
class ValuesRequest:
    """Which elements are wanted."""

    tensor: Tensor
    index: tuple[int, ...] | None = None
    """The first of them; None for the beginning."""

    mode: ValuesMode = ValuesMode.VALUES


_ASKED = re.compile(r"(?P<name>.*?)\s*(?:\[(?P<index>[\d\s,:]*)\])?")


def values_asked(rest: str, view: View, printer: Printer) -> ValuesRequest | None:
    """Return what `values REST` asks for (`y`, `y[2, 20]`, `y step`); None after a refusal."""
    name, _, word = rest.rpartition(" ")
    mode = (
        ValuesMode(word)
        if word in (ValuesMode.STEP, ValuesMode.VERSION) and name
        else ValuesMode.VALUES
    )
    name = name.strip() if mode.is_difference else rest
    tensor = panels.find_tensor(name, view, printer)
    found = None if tensor is not None else _ASKED.fullmatch(name)
    if found is None or found["index"] is None:
        tensor = panels.require_tensor(name, view, printer)
        return None if tensor is None else ValuesRequest(tensor, mode=mode)
    # A name may end in an index, too: `layers[0]`. So it comes second.
    tensor = panels.require_tensor(found["name"], view, printer)
    if tensor is None:
        return None
    if tensor.layout != "strided":  # its elements are those that are there, in a list
        return ValuesRequest(tensor, mode=mode)
    numbers = re.findall(r"\d+", found["index"])
    index = tuple(int(each) for each in numbers[: len(tensor.shape)])
    index += (0,) * (len(tensor.shape) - len(index))
    if len(numbers) > len(tensor.shape) or any(
        at >= size for at, size in zip(index, tensor.shape, strict=True)
    ):
        shown = {"index": shape_text(tuple(map(int, numbers))), "shape": shape_text(tensor.shape)}
        message = say(PlainTexts.no_element, printer.language, name=tensor_name(tensor), **shown)
        printer.text(message)
        return None
    return ValuesRequest(tensor, index, mode)


async def print_values(
    asked: ValuesRequest, view: View, runner: SessionRunner, printer: Printer
) -> None:
    """Print what a tensor is, its statistics and its rows from the wanted element on."""
    language, tensor = printer.language, asked.tensor
    printer.rows(facts_rows(tensor, view, printer.room, language))
    if hides(view, tensor, "values"):
        printer.say(ValueTexts.hidden)
        return
    changed = asyncio.Event()
    inspector = TensorInspector(runner, changed.set)
    try:
        async with timeout(PATIENCE):
            inspector.aim(view, tensor, asked.mode)
            if inspector.elements.waits:
                sparse = tensor.layout != "strided"
                running = ValueTexts.running_sparse if sparse else ValueTexts.running
                count = f"{Plane(tensor.shape).count:,}"
                printer.say(running, step=view.cursor + 1, count=count)
            await _ValuesPrinter(inspector, changed, asked, view, printer).run()
    except TimeoutError:
        printer.say(ValueTexts.too_long, seconds=PATIENCE)
    finally:
        await inspector.close()


class _ValuesPrinter:
    """One tensor after one step, as its elements arrive."""

    def __init__(
        self,
        inspector: TensorInspector,
        changed: asyncio.Event,
        asked: ValuesRequest,
        view: View,
        printer: Printer,
    ) -> None:
        self._inspector, self._changed = inspector, changed
        self._asked, self._view, self._printer = asked, view, printer
        self._name = clean(tensor_name(asked.tensor)).partition(" = ")[0]

    def _say(self, text: LocalText, /, **values: object) -> str:
        return say(text, self._printer.language, **values)

    async def run(self) -> None:
        printer, tensor, inspector = self._printer, self._asked.tensor, self._inspector
        await self._until(lambda: not inspector.elements.waits)
        now = inspector.elements.now
        trouble = inspector.elements.trouble
        if trouble is not None:
            printer.say(trouble.text)
            printer.rows(sample_rows(tensor, self._view, printer.room, printer.language))
        elif now is None or isinstance(now, Unreadable):
            why = "" if now is None else reason(now, printer.language)
            printer.say(ValueTexts.unreadable, reason=why)
        elif 0 in now.shape:
            printer.say(ValueTexts.empty, shape=shape_text(tensor.shape))
        else:
            await self._elements(now)

    async def _elements(self, now: ElementSource) -> None:
        printer, elements = self._printer, self._inspector.elements
        language = printer.language
        if isinstance(now, FetchedElements):
            await self._until(lambda: now.statistics is not None and now.statistics.whole)
        plane, window = self._window(now)
        printer.rows(statistics_rows(now.statistics, now.dtype, printer.room, language, plane))
        printer.say(
            ValueTexts.ran if elements.again else ValueTexts.recorded, step=self._view.cursor + 1
        )
        before = None if isinstance(elements.before, Unreadable) else elements.before
        if before is not None and (before.shape, before.dtype) != (now.shape, now.dtype):
            before = None
        mode = self._asked.mode
        if mode.is_difference or not elements.again:
            text, style = comparison(
                now,
                elements.before,
                elements.earlier,
                mode=mode,
                name=self._name,
                language=language,
            )
            printer.spans([Span(text, style)])
        if mode.is_difference:
            if before is None:
                return
            window = replace(window, differences=True)
        drawn = await self._drawn(now, before, window)
        printer.rows(drawn.rows)
        printer.rows(self._left(plane, window, drawn))
        if self._asked.index is not None:
            printer.rows(self._first(now, before))

    def _window(self, now: ElementSource) -> tuple[Plane, GridWindow]:
        plane = Plane(now.shape, wrap=WRAP)
        index = self._asked.index
        lead, row, column = plane.cell(0 if index is None else _place(index, now.shape))
        plane = replace(plane, lead=lead)
        # The row of a vector begins where it is wrapped, whatever was asked for.
        left = 0 if plane.is_vector else column
        return plane, GridWindow(
            plane, top=row, left=left, height=ROWS, room=self._printer.room, cursor=(-1, -1),
            heat=False,
        )  # fmt: skip

    async def _drawn(
        self, now: ElementSource, before: ElementSource | None, window: GridWindow
    ) -> Grid:
        """Return the rows once every element in them is here."""
        inspector = self._inspector
        while True:
            drawn = grid(now, before, window)
            missing = isinstance(now, FetchedElements) and now.wanted
            if not missing or inspector.elements.trouble is not None:
                return drawn
            self._changed.clear()
            inspector.fetch()
            await self._changed.wait()

    def _left(self, plane: Plane, window: GridWindow, drawn: Grid) -> list[Row]:
        """Say what of the tensor was not printed, and how to print it."""
        parts, on = [], None
        lead, row = plane.leading(), window.top + ROWS
        if plane.planes > 1:
            index = f"[{', '.join([*map(str, lead), ':', ':'])}]"
            values = {"index": index, "number": plane.lead + 1, "count": plane.planes}
            parts.append(self._say(ValueTexts.plane, **values))
            if plane.lead + 1 < plane.planes:
                on = replace(plane, lead=plane.lead + 1).leading()
        if plane.rows > row:
            parts.append(self._say(ValueTexts.more, count=plane.rows - row))
            on = (row * plane.wrap,) if plane.is_vector else (*lead, row)
        columns = plane.columns - window.left - drawn.columns
        if columns > 0:
            parts.append(self._say(ValueTexts.more_columns, count=columns))
            on = (*lead, window.top, window.left + drawn.columns) if plane.shape[1:] else on
        if on is not None:
            parts.append(self._say(ValueTexts.on, place=f"{self._name}{shape_text(on)}"))
        return [Row((Span("  ".join(parts), Style.DIM),))] if parts else []

    def _first(self, now: ElementSource, before: ElementSource | None) -> list[Row]:
        """Say all there is to say of the element that was asked for."""
        asked, printer = self._asked, self._printer
        place, sources = _place(asked.index or (), now.shape), (now, before, None)
        return cell_rows(
            place, sources, asked.tensor, self._view, room=printer.room, language=printer.language
        )

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()
            await self._changed.wait()


def _place(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """Return the row-major place of an element.

    >>> _place((1, 0, 1), (2, 3, 4))
    13
    """
    place = 0
    for at, size in zip(index, shape, strict=True):
        place = place * size + at
    return place
