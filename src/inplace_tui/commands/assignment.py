"""The command `assignment`: what a class was given."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui.bounded_reads import read_start
from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.library import load_course
from inplace_tui.commands.output import print_lines
from inplace_tui.commands.parser import (
    CommandError,
    all_of,
    localized_command,
    pass_settings,
    reason_of,
)
from inplace_tui.engine.course.assignment import assigned, load_assignment
from inplace_tui.engine.course.course import Course
from inplace_tui.engine.drill.options import DrillOptions
from inplace_tui.engine.problems import LessonError
from inplace_tui.model.assignment import Assignment
from inplace_tui.model.lesson import MAX_BYTES, LocalText
from inplace_tui.settings import Settings
from inplace_tui.texts import LANGUAGES, say
from inplace_tui.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("assignment", HelpTexts.assignment)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@pass_settings
def command(settings: Settings, file: Path) -> int:
    worker = start_worker(settings)
    course = load_course(settings.lessons)
    assignment = read_assignment(file, course)
    settings.course_filter = lambda course: assigned(course, assignment)
    drills = tuple(
        DrillOptions(seed=each.seed, level=each.level, count=each.count, kept=True)
        for each in assignment.drills
    )
    if is_plain(settings):
        from inplace_tui.commands.plain.course import contents  # noqa: PLC0415  # only this needs it

        for slug in assignment.checkpoints:
            line = f"inplace-tui checkpoint {slug}"
            print_lines([say(CommandTexts.assigned_checkpoint, settings.language, command=line)])
        for each in drills:
            line = f"inplace-tui drill --seed {each.seed} --level {each.level} --count {each.count}"
            print_lines([say(CommandTexts.assigned_drill, settings.language, command=line)])
        return contents(settings)
    return open_screen(settings, Opening(drills=drills), worker)


def read_assignment(path: Path, course: Course) -> Assignment:
    """Return the assignment in a file.

    Raises:
        CommandError: it can't be read, or something in it is wrong; it names each line.
    """
    try:
        return load_assignment(read_start(path, MAX_BYTES), path.as_posix(), course)
    except OSError as error:
        raise CommandError(ErrorTexts.cannot_read, path=path, why=reason_of(error)) from error
    except LessonError as error:
        told = ({each: problem.text(each) for each in LANGUAGES} for problem in error.problems)
        raise all_of(LocalText(**texts) for texts in told) from error
