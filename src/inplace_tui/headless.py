"""What the commands do without a screen."""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from inplace_tui import paths
from inplace_tui.drive.check import Checked
from inplace_tui.drive.check import check as check_lessons
from inplace_tui.drive.lessons import Selection, read_course, select
from inplace_tui.drive.play import play, warm_worker
from inplace_tui.engine.anchors import place_in_order
from inplace_tui.engine.claims import FinishedRun, visit
from inplace_tui.engine.problems import Problem
from inplace_tui.progress import Progress
from inplace_tui.report import pages, text
from inplace_tui.report.documents import (
    CheckDocument,
    checked_document,
    list_document,
    problem_document,
    result,
    timeline_document,
)
from inplace_tui.saying import Bar, people, print_json, print_lines
from inplace_tui.spoken import Refusal, Settings
from inplace_tui.targets import course_in, lesson_called, target
from inplace_tui.texts import say
from inplace_tui.texts.command import PAGES

WIDTH = 100
"""Cells of a page that does not go to a terminal."""


@dataclass(frozen=True)
class Wish:
    """How a run is to be printed."""

    form: str
    once: bool
    pointers: bool


def require_terminal() -> None:
    """Refuse to draw where nobody could look.

    Raises:
        Refusal: standard input or output is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refusal("no_terminal")


def place(settings: Settings, name: str | None) -> tuple[str | None, int | None]:
    """Return the lesson's id and the number of the step in `ID@STEP`.

    Raises:
        Refusal: there is no such lesson, or it has no such step.
    """
    if name is None:
        return None, None
    identity, _, step = name.partition("@")
    loaded = lesson_called(identity, course_in(settings.lessons))
    if not step or step.isdecimal():
        return identity, int(step) if step else None
    anchor = step.removesuffix("#1")
    if anchor.partition("#")[0] not in loaded.anchors:
        example = next(iter(loaded.anchors), "1")
        raise Refusal("no_step", name=step, id=identity, example=example)
    if anchor in loaded.anchors:
        ordinal = place_in_order(loaded.code, loaded.anchors[anchor])
        if ordinal is not None:
            return identity, ordinal + 1
    people(say(PAGES, "loading", settings.language))
    wanted = target(identity, lessons=settings.lessons, variant=None, arguments=(), seconds=None)
    played = asyncio.run(play(wanted.program, wanted.limits, once=True))
    found = visit(FinishedRun(played.timeline, played.truth, loaded.anchors), step)
    return identity, None if found is None else found.index + 1


def list_lessons(settings: Settings, *, as_json: bool) -> None:
    """Print the course."""
    course = course_in(settings.lessons)
    if as_json:
        print_json(list_document(course))
        return
    progress = Progress(paths.progress_file())
    print_lines(pages.course(course, progress.record, settings.language))
    _complain(course.problems, settings)


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
    wanted = target(
        name, lessons=settings.lessons, variant=variant, arguments=arguments, seconds=seconds
    )
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


def check(settings: Settings, chosen: tuple[Path, ...], *, as_json: bool) -> int:
    """Check lessons; return 0 if everything in them is true."""
    selection = _selected(settings, chosen)
    done = asyncio.run(_check(settings, selection, quiet=as_json))
    bad = len(selection.problems) + sum(len(each.verified.problems) for each in done)
    if as_json:
        document = CheckDocument(
            ok=not bad,
            lessons=[checked_document(each.loaded, each.verified) for each in done],
            problems=[problem_document(each) for each in selection.problems],
        )
        print_json(document)
    people(
        say(
            PAGES,
            "check_sum_bad" if bad else "check_sum_ok",
            settings.language,
            lessons=len(done),
            programs=sum(each.verified.programs for each in done),
            claims=sum(each.verified.claims for each in done),
            problems=bad,
        )
    )
    return 1 if bad else 0


def _selected(settings: Settings, chosen: tuple[Path, ...]) -> Selection:
    for path in chosen:
        if not path.exists():
            raise Refusal("cannot_read", path=path, why="no such file or folder")
    folder = settings.lessons or _from_here(paths.built_in_lessons())
    taught: set[str] = set()
    if chosen:
        lessons = read_course(folder).lessons
        taught.update(concept for each in lessons for concept in each.lesson.teaches)
    selection = select(chosen or (folder,), taught=taught)
    if not selection.lessons and not selection.problems:
        raise Refusal("no_lessons", folder=", ".join(map(str, chosen or (folder,))))
    return selection


def _from_here(path: Path) -> Path:
    """Return the shorter path, if it lies below the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


async def _check(settings: Settings, selection: Selection, *, quiet: bool) -> list[Checked]:
    """Check the lessons, and say each as it is done."""
    if not quiet:
        print_lines(problem.text(settings.language) for problem in selection.problems)
    done: list[Checked] = []
    if not selection.lessons:
        return done
    bar, total = Bar(), len(selection.lessons)

    def show(name: str) -> None:
        values = {"done": len(done), "total": total, "name": name}
        bar.show(say(PAGES, "check_bar", settings.language, **values))

    show(say(PAGES, "loading", settings.language))
    async with warm_worker() as worker:
        async for each in check_lessons(selection.lessons, worker):
            done.append(each)
            bar.clear()
            if not quiet:
                print_lines(pages.checked(each.loaded, each.verified, settings.language))
                sys.stdout.flush()
            show(each.loaded.lesson.id)
    bar.clear()
    return done


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def _complain(problems: tuple[Problem, ...], settings: Settings) -> None:
    if problems:
        people(say(PAGES, "list_problems", settings.language))
    for problem in problems:
        people(f"  {problem.text(settings.language)}")
