"""The command `run`: record a program, and print it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from inplace_tui.common.command.output import (
    echo,
    page_width,
    print_json,
    print_lines,
    print_message,
)
from inplace_tui.common.command.parser import Positive, localized_command, option
from inplace_tui.common.command.programs import print_notebook_notes
from inplace_tui.common.command.pythons import recorder_for
from inplace_tui.common.command.stdin import with_input
from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.ending import ending_of
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import Raised, Truth
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.python import UsedPython, Why
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.diagnosis.drive.runs import run_and_verify
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.completing import lessons_or_files
from inplace_tui.tutorial.commands.programs import (
    NamedProgram,
    find_program,
    lesson_and_step,
    require_trust,
)
from inplace_tui.tutorial.present.graph import nothing
from inplace_tui.tutorial.report import dot, page, svg, text
from inplace_tui.tutorial.report.documents import timeline_document
from inplace_tui.tutorial.settings import Settings

PICTURES: Mapping[str, Callable[[View, str], str]] = {"dot": dot.document, "svg": svg.document}
"""Format -> what makes it of a view, in a language."""

FORMATS = ("text", "json", "html", *PICTURES)


@localized_command("run", HelpTexts.run)
@option("--seconds", text=HelpTexts.seconds, type=Positive(), metavar="S")
@option("--pointers", text=HelpTexts.pointers, is_flag=True)
@option("--once", text=HelpTexts.once, is_flag=True)
@option("--python", text=HelpTexts.python, metavar="PATH", type=click.Path(path_type=Path))
@option("--variant", text=HelpTexts.variant, metavar="ID")
@option("--format", "form", text=HelpTexts.format, type=click.Choice(FORMATS), default="text")
@click.argument("name", metavar="LESSON|FILE", shell_complete=lessons_or_files)
@click.argument("arguments", metavar="[-- ARGS]", nargs=-1, type=click.UNPROCESSED)
def run_command(
    settings: Settings,
    *,
    name: str,
    arguments: tuple[str, ...],
    form: str,
    python: Path | None,
    variant: str | None,
    once: bool,
    pointers: bool,
    seconds: float | None,
) -> int:
    step = None
    if form in PICTURES and "@" in name and not Path(name).exists():
        identity, step = lesson_and_step(settings, name)
        name = identity or name
    wanted = find_program(
        name, lessons=settings.lessons, variant=variant, arguments=arguments, seconds=seconds
    )
    require_trust(wanted.pack, settings)
    print_notebook_notes(wanted.program, name, settings.language)
    used = UsedPython(path=sys.executable, why=Why.OWN)
    if python is not None or wanted.program.origin is Origin.OWN:
        used = recorder_for(python, wanted.program.folder, settings.language)
    if wanted.program.origin is Origin.OWN:
        program = with_input(with_files(wanted.program, OWN), settings.language)
        wanted = replace(wanted, program=program)
    runs = run_and_verify(
        wanted.program,
        wanted.limits,
        once=once,
        on_once=lambda: print_message(say(ErrorTexts.run_once, settings.language)),
        python=used.other,
    )
    timeline, truth = asyncio.run(runs)
    if form == "json":
        document = timeline_document(
            wanted.program,
            timeline,
            truth,
            lesson=None if wanted.lesson is None else wanted.lesson.lesson.id,
            variant=wanted.variant,
            pointers=pointers,
            python=used,
        )
        print_json(document)
    elif form == "html":
        echo(_page(wanted, timeline, truth, settings.language, name), nl=False)
    elif form in PICTURES:
        view = graph_view(wanted.program, timeline, step)
        if not view.snapshot.nodes:
            print_message(nothing(view, settings.language).text)
        echo(PICTURES[form](view, settings.language), nl=False)
    else:
        lines = text.lines(
            wanted.program,
            timeline,
            truth,
            language=settings.language,
            width=page_width(),
            watch=wanted.watch,
            pointers=pointers,
        )
        print_lines(lines)
    assert timeline.outcome is not None
    return 0 if ending_of(timeline.outcome, truth).is_fine else 1


def _page(wanted: NamedProgram, timeline: Timeline, truth: Truth, language: str, name: str) -> str:
    """Return the page of a run; that of a lesson asks what the lesson asks."""
    if wanted.lesson is not None and wanted.variant is None:
        return page.of_lesson(wanted.lesson, timeline, truth, language)
    session = Session.of_recording(wanted.program, timeline, truth)
    return page.document(session, name, language)


def graph_view(program: Program, timeline: Timeline, step: int | None = None) -> View:
    """Return the view whose graph is worth a picture.

    `step` is from 1; None is the failing backward, or else the last moment with a graph.
    """
    last = len(timeline) - 1
    cursor = last if step is None else min(step - 1, last)
    outcome = timeline.outcome
    if step is None and isinstance(outcome, Raised) and outcome.in_backward:
        raising = raising_step(timeline)
        cursor = last if raising is None else raising.index
    while step is None and cursor >= 0 and not timeline.at(cursor).nodes:
        cursor -= 1
    return text.view_at(program, timeline, cursor)
