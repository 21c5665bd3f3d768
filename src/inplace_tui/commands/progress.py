"""What `inplace-tui progress` does."""

from __future__ import annotations

import sys
from pathlib import Path

from inplace_tui import paths
from inplace_tui.commands.saying import people, print_json, print_lines
from inplace_tui.commands.spoken import Refusal, Settings
from inplace_tui.commands.targets import course_in
from inplace_tui.engine.problems import did_you_mean
from inplace_tui.keeping import write_file
from inplace_tui.present.drill import summary
from inplace_tui.progress import Progress, ProgressError
from inplace_tui.reading import MOST_KEPT, whole
from inplace_tui.report import pages
from inplace_tui.texts import say
from inplace_tui.texts.command import CommandTexts, ErrorTexts

DRILL = "drill"
"""What `--reset` calls the drill; a lesson of that id comes first."""


def show_progress(settings: Settings, *, as_json: bool) -> None:
    """Print what was done so far."""
    progress = _progress(settings)
    if as_json:
        print_json(progress.record)
        return
    course = course_in(settings.lessons)
    record, drilled = progress.record, progress.record.drill.total.answered
    if record.lessons or record.challenges or not drilled:
        print_lines(pages.progress(record, course, settings.language))
    if drilled:
        print_lines(summary(record.drill, settings.language))
    people(say(CommandTexts.progress_file, settings.language, path=progress.path))


def export_progress(settings: Settings, path: Path) -> None:
    """Write what was done so far to a file, or to stdout for `-`."""
    progress = _progress(settings)
    if str(path) == "-":
        sys.stdout.buffer.write(progress.export())
        return
    try:
        write_file(path, progress.export())
    except OSError as error:
        raise Refusal(ErrorTexts.cannot_write, path=path, why=error.strerror or error) from error
    count = len(progress.record.lessons) + len(progress.record.challenges)
    people(say(CommandTexts.exported, settings.language, count=count, path=path))


def import_progress(settings: Settings, path: Path) -> None:
    """Take in an exported file."""
    try:
        content = whole(path, MOST_KEPT)
    except OSError as error:
        raise Refusal(ErrorTexts.cannot_read, path=path, why=error.strerror or error) from error
    try:
        count = _progress(settings).take_in(content)
    except ProgressError as error:
        raise Refusal(ErrorTexts.import_failed, path=path, why=error.said) from error
    people(say(CommandTexts.imported, settings.language, count=count, path=path))


def reset_progress(settings: Settings, identity: str) -> None:
    """Forget one lesson or challenge, or the drill."""
    progress = _progress(settings)
    known = [*progress.record.lessons, *progress.record.challenges]
    if identity == DRILL and identity not in known and progress.record.drill.total.answered:
        progress.reset_drill()
        people(say(CommandTexts.reset_done, settings.language, id=identity))
        return
    if identity not in known:
        raise Refusal(ErrorTexts.no_progress, id=identity, hint=did_you_mean(identity, known))
    progress.reset(identity)
    people(say(CommandTexts.reset_done, settings.language, id=identity))


def _progress(settings: Settings) -> Progress:
    progress = Progress(paths.progress_file())
    if progress.notice is not None:
        people(progress.notice[settings.language])
    return progress
