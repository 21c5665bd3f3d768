"""A challenge without a screen: its task and program are printed, an edit is judged from a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import read_stdin, read_whole
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.command.parser import CommandError, refusing
from inplace_tui.common.command.programs import MAX_BYTES
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.common.texts.plain import PlainChallengeTexts
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.tutorial.activity.challenges.grading import Grade, grade
from inplace_tui.tutorial.commands.library import load_course, load_library
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.programs import require_trust
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge
from inplace_tui.tutorial.drive.check import references, run_attempt
from inplace_tui.tutorial.drive.packs import Pack
from inplace_tui.tutorial.present.challenge import ChallengeAttempt, headline, rows
from inplace_tui.tutorial.present.code import highlighted
from inplace_tui.tutorial.progress import Progress, ProgressError
from inplace_tui.tutorial.settings import Settings


def find_challenge(settings: Settings, name: str) -> tuple[LoadedChallenge, Pack | None]:
    """Return a challenge, and the pack that must be trusted before it runs."""
    library = load_library(settings.lessons)
    found = library.course.find_challenge(name)
    if found is None:
        ids = [each.challenge.id for each in library.course.challenges]
        raise CommandError(ErrorTexts.no_challenge, id=name, hint=did_you_mean(name, ids))
    return found, library.pack_of(found)


def grade_file(settings: Settings, name: str, path: Path) -> int:
    """Judge the edited program in a file; return 0 if it solves the challenge."""
    loaded, pack = find_challenge(settings, name)
    source = _source(path)
    require_trust(pack, settings)
    print_message(say(CommandTexts.loading, settings.language))
    found = asyncio.run(_graded(loaded, source))
    language = settings.language
    print_lines([headline(found, language)])
    print_lines(f"{'✓' if mark.holds else '✗'} {mark.text[language]}" for mark in found.marks)
    print_lines([found.lines[language]])
    if not found.solved:
        return 1
    progress = Progress(paths.progress_file())
    kept = msgspec.structs.replace(progress.challenge(loaded.challenge.id), lines=found.changed)
    try:
        progress.save_challenge(loaded.challenge.id, kept)
    except ProgressError as failure:
        print_message(failure.text[language])
    return 0


def _source(path: Path) -> str:
    with refusing(path):
        content = read_stdin(MAX_BYTES) if str(path) == "-" else read_whole(path, MAX_BYTES)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(ErrorTexts.cannot_read, path=path, why="not UTF-8") from error


async def _graded(loaded: LoadedChallenge, source: str) -> Grade:
    async with warm_worker() as worker:
        known = await references(worker, loaded)
        return grade(loaded, await run_attempt(worker, loaded, source), known)


def print_challenge(settings: Settings, name: str | None) -> int:
    """Print a challenge, or the first that is not solved; return the exit code."""
    progress = Progress(paths.progress_file())
    printer = Printer(settings.chosen or progress.record.language or settings.language)
    known = load_course(settings.lessons).challenges
    unsolved = (each for each in known if not progress.challenge(each.challenge.id).solved)
    found = next(unsolved, None) if name is None else find_challenge(settings, name)[0]
    if found is None:
        printer.say(PlainChallengeTexts.all_solved)
        return 0
    about, ids = found.challenge, [each.challenge.id for each in known]
    title = about.title[printer.language]
    if about.id in ids:
        place = {"number": ids.index(about.id) + 1, "total": len(ids)}
        printer.say(PlainChallengeTexts.head, **place, title=title, id=about.id)
    else:
        printer.text(title)
    print_program(found, printer)
    return 0


def print_program(found: LoadedChallenge, printer: Printer) -> None:
    """Print the task, the program to edit, and the command that judges an edit of it."""
    printer.gap()
    printer.rows(rows(ChallengeAttempt(found), printer.room, printer.language))
    printer.gap()
    lines = highlighted(found.code)
    digits = len(str(len(lines)))
    for number, line in enumerate(lines, 1):
        printer.rows([Row((Span(f"{number:>{digits}}  ", Style.DIM), *line))])
    printer.gap()
    printer.say(PlainChallengeTexts.lead)
    file = say(PlainChallengeTexts.file, printer.language)
    printer.lines([f"  inplace-tui challenge {found.id} --grade {file}"])
