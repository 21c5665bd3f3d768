"""The command `progress`: show, export, import or reset it."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole, write_file
from inplace_tui.common.command.output import print_json, print_lines, print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option, refusing
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.present.playlist import summary
from inplace_tui.tutorial.progress import Progress, ProgressError
from inplace_tui.tutorial.report import pages
from inplace_tui.tutorial.settings import Settings

DRILL = "drill"
"""What `--reset` calls the drill; a lesson of that id comes first."""


@localized_command("progress", HelpTexts.progress)
@option("--reset", text=HelpTexts.reset, metavar="ID")
@option("--import", "source", text=HelpTexts.import_, metavar="F", type=click.Path(path_type=Path))
@option(
    "--export", text=HelpTexts.export, metavar="F", type=click.Path(path_type=Path, allow_dash=True)
)
@option("--json", "as_json", text=HelpTexts.json, is_flag=True)
def progress_command(
    settings: Settings,
    *,
    as_json: bool,
    export: Path | None,
    source: Path | None,
    reset: str | None,
) -> None:
    given = [as_json, export is not None, source is not None, reset is not None]
    if sum(given) > 1:
        raise CommandError(ErrorTexts.one_of, names=("--json", "--export", "--import", "--reset"))
    progress = Progress(paths.progress_file())
    if progress.notice is not None:
        print_message(progress.notice[settings.language])
    if export is not None:
        _export(progress, settings, export)
    elif source is not None:
        _import(progress, settings, source)
    elif reset is not None:
        _reset(progress, settings, reset)
    elif as_json:
        print_json(progress.record)
    else:
        _show(progress, settings)


def _show(progress: Progress, settings: Settings) -> None:
    course = load_course(settings.lessons)
    with suppress(ProgressError):
        progress.carry_over(course.replaced)
    record, drilled = progress.record, progress.record.drill.total.answered
    if record.lessons or record.challenges or record.checkpoints or not drilled:
        print_lines(pages.progress(record, course, settings.language))
    if drilled:
        print_lines(summary(record.drill, settings.language))
    print_message(say(CommandTexts.progress_file, settings.language, path=progress.path))


def _export(progress: Progress, settings: Settings, path: Path) -> None:
    if str(path) == "-":
        sys.stdout.buffer.write(progress.export())
        return
    with refusing(path, ErrorTexts.cannot_write):
        write_file(path, progress.export())
    count = len(progress.record.lessons) + len(progress.record.challenges)
    print_message(say(CommandTexts.exported, settings.language, count=count, path=path))


def _import(progress: Progress, settings: Settings, path: Path) -> None:
    with refusing(path):
        content = read_whole(path, MAX_USER_FILE)
    try:
        count = progress.take_in(content)
    except ProgressError as error:
        raise CommandError(ErrorTexts.import_failed, path=path, why=error.text) from error
    print_message(say(CommandTexts.imported, settings.language, count=count, path=path))


def _reset(progress: Progress, settings: Settings, identity: str) -> None:
    """Forget one lesson or challenge, or the drill."""
    record = progress.record
    known = [*record.lessons, *record.challenges, *record.checkpoints]
    if identity not in known:
        found = load_course(settings.lessons).find(identity)
        identity = identity if found is None else found.lesson.id
    if identity in known:
        progress.reset(identity)
    elif identity == DRILL and record.drill.total.answered:
        progress.reset_drill()
    else:
        raise CommandError(ErrorTexts.no_progress, id=identity, hint=did_you_mean(identity, known))
    print_message(say(CommandTexts.reset_done, settings.language, id=identity))
