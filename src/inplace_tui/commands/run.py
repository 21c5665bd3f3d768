"""The command `run`: record a program, and print it."""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.commands.saying import echo, people, print_json, print_lines
from inplace_tui.commands.spoken import Settings
from inplace_tui.commands.targets import target
from inplace_tui.commands.trusting import require_trust
from inplace_tui.drive.play import play
from inplace_tui.present.graph import nothing
from inplace_tui.report import text
from inplace_tui.report.documents import result, timeline_document
from inplace_tui.report.pictures import PICTURES, graph_view

WIDTH = 100
"""Cells of a page that does not go to a terminal."""


@dataclass(frozen=True)
class Wish:
    """How a run is to be printed."""

    form: str
    once: bool
    pointers: bool


def run(
    settings: Settings,
    name: str,
    wish: Wish,
    *,
    variant: str | None,
    arguments: tuple[str, ...],
    seconds: float | None,
) -> int:
    """Record a program and print it; return the exit code."""
    step = None
    if wish.form in PICTURES and "@" in name and not Path(name).exists():
        name, step = _at_step(settings, name)
    wanted = target(
        name, lessons=settings.lessons, variant=variant, arguments=arguments, seconds=seconds
    )
    require_trust(wanted.pack, settings)
    played = asyncio.run(play(wanted.program, wanted.limits, once=wish.once))
    if wish.form == "json":
        document = timeline_document(
            wanted.program,
            played.timeline,
            played.truth,
            lesson=None if wanted.lesson is None else wanted.lesson.lesson.id,
            variant=wanted.variant,
            pointers=wish.pointers,
        )
        print_json(document)
    elif wish.form in PICTURES:
        view = graph_view(wanted.program, played.timeline, step)
        if not view.snapshot.nodes:
            people(nothing(view, settings.language).text)
        echo(PICTURES[wish.form](view, settings.language), nl=False)
    else:
        lines = text.lines(
            wanted.program,
            played.timeline,
            played.truth,
            language=settings.language,
            width=_width(),
            watch=wanted.watch,
            pointers=wish.pointers,
        )
        print_lines(lines)
    return 0 if result(played.timeline, played.truth) == "ok" else 1


def _at_step(settings: Settings, name: str) -> tuple[str, int | None]:
    from inplace_tui.commands.screen import place  # noqa: PLC0415  # only this needs it

    identity, step = place(settings, name)
    return identity or name, step


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
