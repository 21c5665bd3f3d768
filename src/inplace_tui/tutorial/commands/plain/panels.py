"""What can be looked at besides the line that ran: the panels, and the elements of a tensor."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from inplace_tui.common.cells import clean
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts import say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.common.timeouts import timeout
from inplace_tui.tutorial.activity.session.view import View, hides, shown
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.typed import TypedCommand
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.drive.tensor_inspector import TensorInspector
from inplace_tui.tutorial.present import code, output, table, why
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
from inplace_tui.tutorial.present.why import CellSubject, NodeSubject
from inplace_tui.tutorial.report import plain
from inplace_tui.tutorial.report.plain import Numbered
from inplace_tui.tutorial.state.element_source import (
    ElementSource,
    FetchedElements,
    Plane,
    RecordedElements,
)

EXPLAINED = ("requires_grad", "is_leaf", "version", "grad_fn", "grad")
"""The columns that are explained when a tensor is named without one."""

_NODE = re.compile(r"(?:node|节点)\s*(\d{1,9})")

FORECASTS = ("forecast", "backward", "backward?")


def show(typed: TypedCommand, view: View, printer: Printer) -> None:
    room, language = printer.room, printer.language
    match typed.name:
        case "program":
            printer.rows(code.titled_rows(view, room, language))
            printer.rows(plain.position(view, language))
        case "tensors" if typed.rest:
            if (tensor := require_tensor(typed.rest, view, printer)) is not None:
                printer.rows(plain.tensor(tensor, view, room, language))
        case "tensors":
            printer.rows(plain.tensors(view, room, language))
            if left_out := table.left_out(view, language):
                printer.text(left_out)
        case "graph":
            graph = Numbered(view, language, fold=typed.rest != "all")
            printer.rows([*graph.rows(room), *graph.way(room)])
        case "storages" if typed.rest:
            _life(typed.rest, view, printer)
        case "storages":
            printer.rows(plain.lives(view, room, language))
        case "output":
            printer.rows(output.rows(view, room, language))
        case _:
            raise AssertionError(f"no panel {typed.name}")


def _life(name: str, view: View, printer: Printer) -> None:
    storage = plain.storage_called(view, name)
    if storage is None and (tensor := find_tensor(name, view, printer)) is not None:
        storage = tensor.storage
    if storage is None:
        printer.say(PlainTexts.no_storage, name=name)
    else:
        printer.rows(plain.life(view, storage, printer.room, printer.language))


def print_ending(view: View, printer: Printer) -> None:
    """Print why the run ended so, or why that can't be shown yet."""
    hidden = view.mask.outcome or view.has_open_question
    if rows := plain.ending(view, printer.room, printer.language):
        printer.rows(rows)
    else:
        printer.say(PlainTexts.why_hidden if hidden else PlainTexts.why_not_yet)


def parse_why(
    rest: str, view: View, printer: Printer
) -> tuple[Tensor, list[str]] | NodeSubject | None:
    """Return the tensor and the columns, or the node, that `why REST` asks about.

    None after a refusal.
    """
    if found := _NODE.fullmatch(rest):
        node = Numbered(view, printer.language, fold=False).node(int(found[1]))
        if node is None:
            printer.say(PlainTexts.no_node, number=found[1])
        return None if node is None else NodeSubject(node)
    whole = find_tensor(rest, view, printer)
    if whole is not None:
        return whole, list(EXPLAINED)
    # `y grad` or `y.grad`.
    found = re.fullmatch(r"(.+?)(?:\s+|\.)([\w?]+)", rest)
    name, column = (found[1], found[2]) if found else (rest, "")
    tensor = find_tensor(name, view, printer)
    if tensor is None:
        printer.say(PlainTexts.no_tensor, name=name)
        return None
    facet = _facet(column)
    if facet is None:
        columns = ", ".join(each.key for each in FACETS)
        printer.say(PlainTexts.no_column, name=column, columns=columns)
        return None
    return tensor, [facet]


def print_reasons(tensor: Tensor, facets: list[str], view: View, printer: Printer) -> None:
    """Print why columns of a tensor are as they are; what answers two is printed once."""
    answers: dict[str, list[list[Row]]] = {}
    abouts: list[Row] = []
    for facet in facets:
        shown = why.rows(view, CellSubject(tensor.id, facet), printer.room, printer.language)
        about = next(at for at, row in enumerate(shown) if not row.text)
        text = "\n".join(row.text for row in shown[1:about])
        answers.setdefault(text, []).append(shown[:about])
        abouts += shown[about:]
    for alike in answers.values():
        printer.rows(rows[0] for rows in alike)
        printer.rows(alike[0][1:])
    printer.rows(abouts)


def require_tensor(name: str, view: View, printer: Printer) -> Tensor | None:
    """Return the tensor that a command was given; None after a refusal."""
    tensor = find_tensor(name, view, printer)
    if tensor is None:
        key = PlainTexts.no_tensor if name else PlainTexts.no_name
        printer.say(key, name=name)
    return tensor


def find_tensor(name: str, view: View, printer: Printer) -> Tensor | None:
    """Return the tensor of a name, or of a number in the table."""
    if name.isdecimal():
        listed = table.rows(view, printer.room, printer.language)
        ids = [row.target.tensor for row in listed if row.target.tensor is not None]
        place = int(name) - 1
        number = ids[place] if 0 <= place < len(ids) else None
        return view.snapshot.tensors.get(-1 if number is None else number)
    return next((each for each in shown(view) if name in each.names), None)


def _facet(column: str) -> str | None:
    wanted = column.lower()
    for facet in FACETS:
        heads = FACET_TEXTS[facet.key][:2]
        names = (facet.key, *facet.fields, *(name for head in heads for name in head.spellings))
        if wanted in map(str.lower, names):
            return facet.key
    return "forecast" if wanted in FORECASTS else None


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


_INDEX = re.compile(r"\s*\[([\d\s,:]*)\]$")


def values_asked(name: str, view: View, printer: Printer) -> ValuesRequest | None:
    """Return what `values NAME` asks for (`y`, `y[2, 20]`); None after a refusal."""
    wanted = _INDEX.search(name)
    if wanted is not None and find_tensor(name, view, printer) is None:
        name = name[: wanted.start()]
    else:  # a name may end in an index, too: `layers[0]`
        wanted = None
    tensor = require_tensor(name, view, printer)
    if tensor is None:
        return None
    if wanted is None or tensor.layout != "strided":  # whose elements are in a list
        return ValuesRequest(tensor)
    numbers = re.findall(r"\d+", wanted[1])
    index = tuple(int(each) for each in numbers[: len(tensor.shape)])
    index += (0,) * (len(tensor.shape) - len(index))
    if len(numbers) > len(tensor.shape) or any(
        at >= size for at, size in zip(index, tensor.shape, strict=True)
    ):
        shown = {"index": shape_text(tuple(map(int, numbers))), "shape": shape_text(tensor.shape)}
        printer.say(PlainTexts.no_element, name=tensor_name(tensor), **shown)
        return None
    return ValuesRequest(tensor, index)


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
            inspector.aim(view, tensor)
            if inspector.elements.waits:
                count = f"{Plane(tensor.shape).count:,}"
                printer.say(ValueTexts.running, step=view.cursor + 1, count=count)
            await _ValuesPrinter(inspector, changed, asked, view, printer).print()
    except TimeoutError:
        printer.say(ValueTexts.too_long, seconds=PATIENCE)
    finally:
        await inspector.close()


@dataclass(frozen=True)
class _ValuesPrinter:
    """One tensor after one step, as its elements arrive."""

    inspector: TensorInspector
    changed: asyncio.Event
    asked: ValuesRequest
    view: View
    printer: Printer

    @property
    def name(self) -> str:
        return clean(tensor_name(self.asked.tensor)).partition(" = ")[0]

    async def print(self) -> None:
        printer, tensor, inspector = self.printer, self.asked.tensor, self.inspector
        await self._until(lambda: not inspector.elements.waits)
        now = inspector.elements.now
        trouble = inspector.elements.trouble
        if trouble is not None:
            printer.say(trouble.text)
            printer.rows(sample_rows(tensor, self.view, printer.room, printer.language))
        elif now is None or isinstance(now, Unreadable):
            why = "" if now is None else reason(now, printer.language)
            printer.say(ValueTexts.unreadable, reason=why)
        elif 0 in now.shape:
            printer.say(ValueTexts.empty, shape=shape_text(tensor.shape))
        else:
            await self._elements(now)

    async def _elements(self, now: ElementSource) -> None:
        printer, elements = self.printer, self.inspector.elements
        language, tensor = printer.language, self.asked.tensor
        if isinstance(now, FetchedElements):
            await self._until(lambda: now.statistics is not None and now.statistics.whole)
        index = self.asked.index
        sizes = [math.prod(now.shape[axis:]) for axis in range(1, len(now.shape) + 1)]
        place = sum(at * size for at, size in zip(index or (), sizes, strict=False))
        window = self._window(now, place)
        stats = statistics_rows(now.statistics, now.dtype, printer.room, language, window.plane)
        printer.rows(stats)
        key = ValueTexts.ran if elements.again else ValueTexts.recorded
        printer.say(key, step=self.view.cursor + 1)
        before = elements.comparable
        if isinstance(now, RecordedElements):
            compared = (now, elements.before, elements.earlier)
            text, style = comparison(*compared, name=self.name, language=language)
            printer.spans([Span(text, style)])
        drawn = await self._drawn(now, before, window)
        printer.rows(drawn.rows)
        printer.rows(self._left(window, drawn))
        if index is not None:
            sources, room = (now, before, None), printer.room
            printer.rows(cell_rows(place, sources, tensor, self.view, room=room, language=language))

    def _window(self, now: ElementSource, place: int) -> GridWindow:
        plane = Plane(now.shape, wrap=WRAP)
        lead, row, column = plane.cell(place)
        return GridWindow(
            replace(plane, lead=lead), top=row, height=ROWS, room=self.printer.room,
            # The row of a vector begins where it is wrapped, whatever was asked for.
            left=0 if plane.is_vector else column,
            cursor=(-1, -1),
        )  # fmt: skip

    async def _drawn(
        self, now: ElementSource, before: ElementSource | None, window: GridWindow
    ) -> Grid:
        """Return the rows once every element in them is here."""
        drawn = grid(now, before, window)
        while isinstance(now, FetchedElements) and now.wanted:
            if self.inspector.elements.trouble is not None:
                break
            self.changed.clear()
            self.inspector.fetch()
            await self.changed.wait()
            drawn = grid(now, before, window)
        return drawn

    def _left(self, window: GridWindow, drawn: Grid) -> list[Row]:
        """Say what of the tensor was not printed, and how to print it."""
        on, parts, language, plane = None, [], self.printer.language, window.plane
        lead, row = plane.leading(), window.top + ROWS
        if plane.planes > 1:
            index = f"[{', '.join([*map(str, lead), ':', ':'])}]"
            values = {"index": index, "number": plane.lead + 1, "count": plane.planes}
            parts.append(say(ValueTexts.plane, language, **values))
            if plane.lead + 1 < plane.planes:
                on = replace(plane, lead=plane.lead + 1).leading()
        if plane.rows > row:
            parts.append(say(ValueTexts.more, language, count=plane.rows - row))
            on = (row * plane.wrap,) if plane.is_vector else (*lead, row)
        columns = plane.columns - window.left - drawn.columns
        if columns > 0:
            parts.append(say(ValueTexts.more_columns, language, count=columns))
            on = (*lead, window.top, window.left + drawn.columns) if plane.shape[1:] else on
        if on is not None:
            parts.append(say(ValueTexts.on, language, place=f"{self.name}{shape_text(on)}"))
        return [Row((Span("  ".join(parts), Style.DIM),))] if parts else []

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self.changed.clear()
            await self.changed.wait()
