"""The command `check`: is everything true that the lessons say?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path, PurePath

import click
import msgspec

from inplace_tui.common.command.output import ProgressLine, print_json, print_lines, print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option
from inplace_tui.common.paths import built_in_lessons, from_here
from inplace_tui.common.problems import Problem
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.commands.programs import require_trust
from inplace_tui.tutorial.course.lesson import Challenge, Lesson
from inplace_tui.tutorial.course.lessons.check import Verified
from inplace_tui.tutorial.course.lessons.lesson_rules import unwritten
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.course.lessons.uses import taught_for, untaught
from inplace_tui.tutorial.drive.check import (
    Checked,
    CheckedChallenge,
    CheckedLesson,
    Loaded,
    Selection,
    check_challenges,
    check_checkpoints,
    check_lessons,
    select,
)
from inplace_tui.tutorial.report import pages
from inplace_tui.tutorial.report.documents import CheckDocument, checked_document
from inplace_tui.tutorial.settings import Settings


@localized_command("check", HelpTexts.check)
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
def check_command(settings: Settings, paths: tuple[Path, ...], *, as_json: bool) -> int:
    selection = _selected(settings, paths)
    for pack in selection.packs:
        require_trust(pack, settings)
    done, asked_of, tried = asyncio.run(_check(settings, selection, quiet=as_json))
    verified = [each.verified for each in (*done, *asked_of)]
    verified += [each.verified for each in tried]
    bad = len(selection.problems) + sum(len(each.problems) for each in verified)
    if as_json:
        document = CheckDocument(
            ok=not bad,
            lessons=[checked_document(each.loaded, each.verified) for each in done],
            checkpoints=[checked_document(each.loaded, each.verified) for each in asked_of],
            challenges=[checked_document(each.loaded, each.verified) for each in tried],
            problems=list(selection.problems),
        )
        print_json(document)
    print_message(
        say(
            CommandTexts.check_sum_bad if bad else CommandTexts.check_sum_ok,
            settings.language,
            lessons=len(done),
            checkpoints=len(asked_of),
            challenges=len(tried),
            programs=sum(each.programs for each in verified),
            claims=sum(each.claims for each in verified),
            problems=bad,
        )
    )
    return 1 if bad else 0


def _selected(settings: Settings, chosen: tuple[Path, ...]) -> Selection:
    chosen = tuple(path if path.exists() else _named(settings, path) for path in chosen)
    built_in = from_here(built_in_lessons())
    courses = [built_in] if settings.lessons is None else [built_in, settings.lessons]
    chosen = chosen or (courses[-1],)
    selection = select(chosen, beside=courses)
    found = (selection.lessons, selection.challenges, selection.checkpoints, selection.problems)
    if not any(found):
        raise CommandError(ErrorTexts.no_lessons, folder=tuple(chosen))
    return selection


def _named(settings: Settings, name: Path) -> Path:
    """Return the file of the lesson or challenge that has this id or number."""
    found = None
    if len(name.parts) == 1 and not name.suffix:
        course = load_course(settings.lessons)
        found = course.find(str(name)) or course.find_challenge(str(name))
    if found is None:
        raise CommandError(ErrorTexts.cannot_read, path=name, why=ErrorTexts.no_path)
    return Path(found.path)


def taught(each: Checked[Loaded], around: Sequence[LoadedLesson]) -> Verified:
    """Add what it uses that was not taught: to what is wrong, or in a pack to the warnings."""
    loaded, verified = each.loaded, each.verified
    found = tuple(untaught(loaded.path, each.uses, taught_for(loaded, around), around))
    if loaded.origin is Origin.BUILT_IN:
        return replace(verified, problems=_in_order(*verified.problems, *found))
    return replace(verified, warnings=_in_order(*found))


def _fitted(each: Checked[Loaded], kind: type[msgspec.Struct], long: Iterable[Problem]) -> Verified:
    """Add what is too long for a small screen, or not written yet, to what is not true."""
    later = unwritten(kind, each.loaded.text, each.loaded.path)
    return replace(each.verified, problems=_in_order(*each.verified.problems, *long, *later))


def _in_order(*found: Problem) -> tuple[Problem, ...]:
    return tuple(sorted(found, key=attrgetter("line", "column")))


async def _check(
    settings: Settings, selection: Selection, *, quiet: bool
) -> tuple[list[CheckedLesson], list[CheckedLesson], list[CheckedChallenge]]:
    """Return the lessons, the checkpoints and the challenges, each with its result."""
    if not quiet:
        print_lines(problem.text(settings.language) for problem in selection.problems)
    done, asked_of = list[CheckedLesson](), list[CheckedLesson]()
    tried: list[CheckedChallenge] = []
    faulty = {problem.path for problem in selection.problems}
    chosen = (selection.lessons, selection.checkpoints, selection.challenges)
    total = sum(map(len, chosen))
    if not total:
        return done, asked_of, tried
    bar = ProgressLine()

    def show(name: str) -> None:
        count = len(done) + len(asked_of) + len(tried)
        values = {"done": count, "total": total, "name": name}
        bar.show(say(CommandTexts.check_bar, settings.language, **values))

    def add(each: Checked[Loaded], to: list[Checked[Loaded]]) -> None:
        each = replace(each, verified=taught(each, selection.around))
        to.append(each)
        bar.clear()
        if not quiet and (each.verified.problems or each.loaded.path not in faulty):
            print_lines(pages.checked(each.loaded, each.verified, settings.language))
            sys.stdout.flush()
        show(PurePath(each.loaded.path).stem)

    show(say(CommandTexts.loading, settings.language))
    # They ask the screen's own arrangement, and bring a part of Textual with them.
    from inplace_tui.tutorial.ui.lesson_fit import challenge_overflows, lesson_overflows  # noqa: PLC0415

    async with warm_worker() as worker:
        async for checked in check_lessons(selection.lessons, worker):
            verified = _fitted(checked, Lesson, lesson_overflows(checked.loaded))
            add(replace(checked, verified=verified), done)
        async for checked in check_checkpoints(selection.checkpoints, worker):
            add(checked, asked_of)
        async for attempt in check_challenges(selection.challenges, worker):
            verified = _fitted(attempt, Challenge, challenge_overflows(attempt.loaded))
            add(replace(attempt, verified=verified), tried)
    bar.clear()
    return done, asked_of, tried
