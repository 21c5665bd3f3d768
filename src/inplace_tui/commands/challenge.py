"""What `inplace-tui challenge` does without a screen: judge an edit in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from inplace_tui.commands.saying import people, print_lines
from inplace_tui.commands.spoken import Refusal, Settings
from inplace_tui.commands.targets import MOST_BYTES, library_in
from inplace_tui.commands.trusting import require_trust
from inplace_tui.drive.challenges import references, run
from inplace_tui.drive.packs import Pack
from inplace_tui.drive.play import warm_worker
from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import Grade, grade
from inplace_tui.engine.problems import did_you_mean
from inplace_tui.present.challenge import headline
from inplace_tui.reading import standard_input, whole
from inplace_tui.texts import say
from inplace_tui.texts.command import CommandTexts, ErrorTexts


def challenge_called(settings: Settings, name: str) -> tuple[LoadedChallenge, Pack | None]:
    """Return a challenge, and the pack that must be trusted before it runs.

    Raises:
        Refusal: there is none with that id.
    """
    library = library_in(settings.lessons)
    found = library.course.find_challenge(name)
    if found is None:
        ids = [each.challenge.id for each in library.course.challenges]
        raise Refusal(ErrorTexts.no_challenge, id=name, hint=did_you_mean(name, ids))
    return found, library.pack_of(found.path)


def grade_file(settings: Settings, name: str, path: Path) -> int:
    """Judge the edited program in a file; return 0 if it solves the challenge.

    Raises:
        Refusal: there is no such challenge, its pack is not trusted, or the file
            can't be read.
    """
    loaded, pack = challenge_called(settings, name)
    source = _source(path)
    require_trust(pack, settings)
    people(say(CommandTexts.loading, settings.language))
    found = asyncio.run(_graded(loaded, source))
    language = settings.language
    print_lines([headline(found, language)])
    print_lines(f"{'✓' if mark.holds else '✗'} {mark.said[language]}" for mark in found.marks)
    print_lines([found.lines[language]])
    return 0 if found.solved else 1


def _source(path: Path) -> str:
    try:
        content = standard_input(MOST_BYTES) if str(path) == "-" else whole(path, MOST_BYTES)
        return content.decode("utf-8")
    except OSError as error:
        raise Refusal(ErrorTexts.cannot_read, path=path, why=error.strerror or error) from error
    except UnicodeDecodeError as error:
        raise Refusal(ErrorTexts.cannot_read, path=path, why="not UTF-8") from error


async def _graded(loaded: LoadedChallenge, source: str) -> Grade:
    async with warm_worker() as worker:
        known = await references(worker, loaded)
        return grade(loaded, await run(worker, loaded, source), known)
