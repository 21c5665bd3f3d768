"""The lessons that a command line means."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from inplace_tui.common import paths
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.command.settings import LeadFinder
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.tutorial.activity.leads import leads_of
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.packs import Library, own_library


def load_library(folder: Path | None, one_more: Path | None = None) -> Library:
    """Return the lessons to use: those of a folder, else the built-in ones, packs, and one more."""
    library = own_library(folder, one_more)
    course = library.course
    is_missing = one_more is not None and not one_more.is_dir()
    folder = one_more if is_missing else folder
    if is_missing or not (course.lessons or course.challenges or course.problems):
        raise CommandError(ErrorTexts.no_lessons, folder=folder or paths.built_in_lessons())
    return library


def load_course(folder: Path | None) -> Course:
    return load_library(folder).course


def lead_finder(folder: Path | None) -> LeadFinder:
    return partial(leads_of, load_course(folder))


def find_lesson(name: str, course: Course) -> LoadedLesson:
    found = course.find(name)
    if found is None and course.find_challenge(name) is not None:
        raise CommandError(ErrorTexts.is_challenge, id=name)
    if found is None:
        ids = [each.lesson.id for each in course.lessons]
        raise CommandError(ErrorTexts.no_lesson, id=name, hint=did_you_mean(name, ids))
    return found
