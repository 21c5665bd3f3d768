"""A challenge without a screen: the task and the program; an edit of it is judged from a file."""

from __future__ import annotations

from inplace_tui import paths
from inplace_tui.commands.challenge import challenge_called
from inplace_tui.commands.plain.printer import Printer
from inplace_tui.commands.spoken import Settings
from inplace_tui.commands.targets import course_in
from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.present.challenge import Attempt, rows
from inplace_tui.present.code import highlighted
from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.progress import Progress
from inplace_tui.texts import say
from inplace_tui.texts.plain import PlainChallengeTexts


def challenge(settings: Settings, name: str | None) -> int:
    """Print a challenge, or the first that is not solved; return the exit code.

    Raises:
        Refusal: there is none of that id.
    """
    progress = Progress(paths.progress_file())
    printer = Printer(settings.chosen or progress.record.language or settings.language)
    known = course_in(settings.lessons).challenges
    if name is not None:
        found: LoadedChallenge | None = challenge_called(settings, name)[0]
    else:
        unsolved = (each for each in known if not progress.challenge(each.challenge.id).solved)
        found = next(unsolved, None)
    if found is None:
        printer.text(say(PlainChallengeTexts.all_solved, printer.language))
        return 0
    about, ids = found.challenge, [each.challenge.id for each in known]
    title = about.title[printer.language]
    place = {"number": ids.index(about.id) + 1, "total": len(ids)}
    printer.text(say(PlainChallengeTexts.head, printer.language, **place, title=title, id=about.id))
    printer.gap()
    printer.rows(rows(Attempt(found), printer.room, printer.language))
    printer.gap()
    printer.rows(_listed(found))
    printer.gap()
    printer.text(say(PlainChallengeTexts.lead, printer.language))
    file = say(PlainChallengeTexts.file, printer.language)
    printer.lines([f"  inplace-tui challenge {about.id} --grade {file}"])
    return 0


def _listed(found: LoadedChallenge) -> list[Row]:
    lines = highlighted(found.code)
    digits = len(str(len(lines)))
    return [
        Row((Span(f"{number:>{digits}}  ", Style.DIM), *line))
        for number, line in enumerate(lines, 1)
    ]
