"""The command `list`."""

from __future__ import annotations

import shutil
import sys

from inplace_tui import paths
from inplace_tui.commands.saying import people, print_json, print_lines
from inplace_tui.commands.spoken import Settings
from inplace_tui.commands.targets import course_in
from inplace_tui.engine.problems import Problem
from inplace_tui.progress import Progress
from inplace_tui.report import pages
from inplace_tui.report.documents import list_document
from inplace_tui.texts import say
from inplace_tui.texts.command import CommandTexts

WIDTH = 100
"""Cells of a page that does not go to a terminal."""


def list_lessons(settings: Settings, *, as_json: bool, mapped: bool = False) -> None:
    """Print the course; `mapped` with what leads to what."""
    course = course_in(settings.lessons)
    if as_json:
        print_json(list_document(course))
        return
    progress = Progress(paths.progress_file())
    if mapped:
        print_lines(pages.mapped(course, progress.record, settings.language, _width()))
    else:
        print_lines(pages.course(course, progress.record, settings.language))
    _complain(course.problems, settings)


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def _complain(problems: tuple[Problem, ...], settings: Settings) -> None:
    if problems:
        people(say(CommandTexts.list_problems, settings.language))
    for problem in problems:
        people(f"  {problem.text(settings.language)}")
