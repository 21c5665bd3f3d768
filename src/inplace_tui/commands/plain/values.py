"""The elements of a tensor on lines of text: what its page on the screen says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from inplace_tui.commands.plain.printer import Printer
from inplace_tui.drive.looking import Looking
from inplace_tui.drive.player import Player
from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.compared import Mode
from inplace_tui.engine.state.place import Plane
from inplace_tui.engine.state.sheet import Partial, Sheet
from inplace_tui.model.snapshot import Tensor, Unreadable
from inplace_tui.present.cells import clean
from inplace_tui.present.grid import Grid, Window, grid
from inplace_tui.present.masking import hides
from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.present.tensor_notes import reason, tensor_name
from inplace_tui.present.values import (
    comparison,
    facts_rows,
    sample_rows,
    shape_text,
    statistics_rows,
)
from inplace_tui.texts import say
from inplace_tui.texts.values import VALUES

ROWS = 20
"""Of a plane, that are printed."""

WRAP = 5
"""Elements of a row of a vector."""

PATIENCE = 60.0
"""Seconds that a run and its statistics are waited for."""


async def print_values(tensor: Tensor, view: View, player: Player, printer: Printer) -> None:
    """Print what a tensor is, its statistics and its first rows."""
    language = printer.language
    printer.rows(facts_rows(tensor, view, printer.room, language))
    if hides(view, tensor, "values"):
        printer.text(say(VALUES, "hidden", language))
        return
    changed = asyncio.Event()
    looking = Looking(player, changed.set)
    try:
        async with asyncio.timeout(PATIENCE):
            looking.aim(view, tensor, Mode.VALUES)
            if looking.sights.waits:
                _say_that_it_runs(tensor, view, printer)
            await _print(looking, changed, tensor, view, printer)
    except TimeoutError:
        printer.text(say(VALUES, "too-long", language, seconds=PATIENCE))
    finally:
        await looking.close()


def _say_that_it_runs(tensor: Tensor, view: View, printer: Printer) -> None:
    step, count = view.cursor + 1, f"{Plane(tensor.shape).count:,}"
    if tensor.layout != "strided":
        printer.text(say(VALUES, "running-sparse", printer.language, step=step))
    else:
        printer.text(say(VALUES, "running", printer.language, step=step, count=count))


async def _print(
    looking: Looking, changed: asyncio.Event, tensor: Tensor, view: View, printer: Printer
) -> None:
    language = printer.language
    await _until(lambda: not looking.sights.waits, changed)
    sights = looking.sights
    if sights.trouble is not None:
        key = "went" if sights.trouble.key == "gone" else sights.trouble.key
        printer.text(say(VALUES, key, language, **sights.trouble.values_said))
        printer.rows(sample_rows(tensor, view, printer.room, language))
        return
    now = sights.now
    if now is None or isinstance(now, Unreadable):
        why = "" if now is None else reason(now, language)
        printer.text(say(VALUES, "unreadable", language, reason=why))
        return
    if 0 in now.shape:
        printer.text(say(VALUES, "empty", language, shape=shape_text(tensor.shape)))
        return
    if isinstance(now, Partial):
        await _until(lambda: now.statistics is not None and now.statistics.whole, changed)
    plane = Plane(now.shape, wrap=WRAP)
    printer.rows(statistics_rows(now.statistics, now.dtype, printer.room, language, plane))
    key = "ran" if sights.again else "recorded"
    printer.text(say(VALUES, key, language, step=view.cursor + 1))
    if not sights.again:
        name = clean(tensor_name(tensor))
        said, style = comparison(
            now, sights.before, sights.earlier, mode=Mode.VALUES, name=name, language=language
        )
        printer.spans([Span(said, style)])
    before = None if isinstance(sights.before, Unreadable) else sights.before
    if before is not None and (before.shape, before.dtype) != (now.shape, now.dtype):
        before = None
    window = Window(plane, height=ROWS, room=printer.room, cursor=(-1, -1), heat=False)
    printer.rows(await _drawn(looking, changed, now, before, window))
    _say_what_is_left(plane, printer)


async def _drawn(
    looking: Looking,
    changed: asyncio.Event,
    now: Sheet,
    before: Sheet | None,
    window: Window,
) -> tuple[Row, ...]:
    """Return the rows once every element in them is here."""
    drawn: Grid = grid(now, before, window)
    while isinstance(now, Partial) and now.wanted and looking.sights.trouble is None:
        changed.clear()
        looking.fetch()
        await changed.wait()
        drawn = grid(now, before, window)
    return drawn.rows


def _say_what_is_left(plane: Plane, printer: Printer) -> None:
    said = []
    if plane.planes > 1:
        index = f"[{', '.join([*map(str, plane.leading()), ':', ':'])}]"
        said.append(
            say(VALUES, "plane", printer.language, index=index, number=1, count=plane.planes)
        )
    if plane.rows > ROWS:
        said.append(say(VALUES, "more", printer.language, count=plane.rows - ROWS))
    if said:
        printer.rows([Row((Span("  ".join(said), Style.DIM),))])


async def _until(is_so: Callable[[], bool], changed: asyncio.Event) -> None:
    while not is_so():
        changed.clear()
        await changed.wait()
