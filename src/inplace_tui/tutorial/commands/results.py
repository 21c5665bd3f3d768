"""The command `results`: what a class got wrong, by misconception, or did, by learner, as CSV."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole
from inplace_tui.common.cells import sanitize
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import (
    CommandError,
    all_of,
    localized_command,
    option,
    refusing,
)
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.commands.assignment import assigned_drills, read_assignment
from inplace_tui.tutorial.commands.library import load_library
from inplace_tui.tutorial.course.assignment import assigned
from inplace_tui.tutorial.progress import Progress, ProgressError, Record, record_in
from inplace_tui.tutorial.report.results import COLUMNS, LEARNERS, learners, misconceptions
from inplace_tui.tutorial.settings import Settings

FORMULAS = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet would compute instead of showing it; some also take full-width signs."""

MARK = "\ufeff"
"""Without it Excel reads a file of UTF-8 as one of the system's older encoding."""


@localized_command("results", HelpTexts.results)
@option("--assignment", text=HelpTexts.results_of, metavar="FILE", type=click.Path(path_type=Path))
@option("--excel", text=HelpTexts.results_for_excel, is_flag=True)
@option("--learners", "by_learner", text=HelpTexts.results_by_learner, is_flag=True)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
def results_command(
    settings: Settings,
    files: tuple[Path, ...],
    *,
    assignment: Path | None,
    excel: bool,
    by_learner: bool,
) -> int:
    replaced = settings.lessons if assignment is None else None
    course = load_library(replaced, settings.lessons).course
    given = None if assignment is None else read_assignment(assignment, course)
    drills = () if given is None else assigned_drills(given)
    if given is not None:
        course = assigned(course, given)
    records, refusals = _records(dict.fromkeys(files))
    for refusal in refusals if records else ():
        print_message(refusal.text[settings.language])
    if refusals and not records:
        raise all_of(refusal.text for refusal in refusals)
    if not files:
        records = {"": Progress(paths.progress_file()).record}
    if excel:
        sys.stdout.write(MARK)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(LEARNERS if by_learner else COLUMNS)
    rows: Iterable[tuple[str | int, ...]]
    if by_learner:
        rows = learners(records, course, drills, settings.language)
    else:
        asked = given is None or bool(drills)
        found = misconceptions(records, course, settings.language, drills=asked)
        rows = (each.row for each in found)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return 1 if refusals else 0


def _records(files: Collection[Path]) -> tuple[dict[str, Record], list[CommandError]]:
    """Return what learners did, by their names, and which files are no records.

    A name is that of the file, with folders that tell it apart.
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
    return records, refusals


def _record(path: Path) -> Record:
    with refusing(path):
        content = read_whole(path, MAX_USER_FILE)
    try:
        return record_in(content)
    except ProgressError as error:
        raise CommandError(ErrorTexts.no_record, path=path, why=error.text) from error


def _plain(cell: str | int) -> str | int:
    """Return a cell that neither a spreadsheet nor a terminal obeys: learners sent the files."""
    if isinstance(cell, int):
        return cell
    text = sanitize(cell)
    return f"'{text}" if text.startswith(FORMULAS) else text
