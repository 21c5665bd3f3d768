"""The command `results`: what a class got wrong, by misconception, as CSV."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import click

from inplace_tui import paths
from inplace_tui.bounded_reads import MAX_USER_FILE, read_whole
from inplace_tui.commands.assignment import read_assignment
from inplace_tui.commands.library import load_course
from inplace_tui.commands.parser import (
    CommandError,
    all_of,
    localized_command,
    option,
    pass_settings,
    reason_of,
)
from inplace_tui.engine.course.assignment import assigned
from inplace_tui.progress import Progress, ProgressError, Record, record_in
from inplace_tui.report.results import COLUMNS, misconceptions
from inplace_tui.sanitize import sanitize
from inplace_tui.settings import Settings
from inplace_tui.texts.command import ErrorTexts, HelpTexts

FORMULAS = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet would compute instead of showing it; some also take full-width signs."""

MARK = "\ufeff"
"""Without it Excel reads a file of UTF-8 as one of the system's older encoding."""


@localized_command("results", HelpTexts.results)
@option(
    "--assignment",
    text=HelpTexts.results_of,
    metavar="FILE",
    type=click.Path(path_type=Path),
)
@option("--excel", text=HelpTexts.results_for_excel, is_flag=True)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@pass_settings
def command(
    settings: Settings, files: tuple[Path, ...], *, assignment: Path | None, excel: bool
) -> None:
    course = load_course(settings.lessons)
    drills = True
    if assignment is not None:
        given = read_assignment(assignment, course)
        course, drills = assigned(course, given), bool(given.drills)
    records = _records(dict.fromkeys(files))
    if not files:
        records = {"": Progress(paths.progress_file()).record}
    if excel:
        sys.stdout.write(MARK)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for found in misconceptions(records, course, settings.language, drills=drills):
        writer.writerow([_plain(cell) for cell in found.row])


def _records(files: Collection[Path]) -> dict[str, Record]:
    """Return what learners did, by their names: as the file, with folders that tell it apart.

    Raises:
        CommandError: some are no records; it names each of them.
    """
    records: dict[str, Record] = {}
    refusals: list[CommandError] = []
    stems = Counter(path.stem for path in files)
    folders = Counter((path.parent.name, path.stem) for path in files)
    for path in files:
        name = path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
        if folders[path.parent.name, path.stem] > 1:
            name = path.as_posix()
        try:
            records[name] = _record(path)
        except CommandError as refusal:
            refusals.append(refusal)
    if refusals:
        raise all_of(refusal.text for refusal in refusals)
    return records


def _record(path: Path) -> Record:
    try:
        return record_in(read_whole(path, MAX_USER_FILE))
    except OSError as error:
        raise CommandError(ErrorTexts.cannot_read, path=path, why=reason_of(error)) from error
    except ProgressError as error:
        raise CommandError(ErrorTexts.no_record, path=path, why=error.text) from error


def _plain(cell: str | int) -> str | int:
    """Return a cell that neither a spreadsheet nor a terminal obeys: learners sent the files."""
    if isinstance(cell, int):
        return cell
    text = sanitize(cell)
    return f"'{text}" if text.startswith(FORMULAS) else text
