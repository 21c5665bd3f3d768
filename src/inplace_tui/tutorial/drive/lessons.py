"""Reads lesson files from folders."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import read_start
from inplace_tui.common.problems import LessonError, Problem, problem
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.course import PATHS, Course, load_course
from inplace_tui.tutorial.course.lesson import MAX_BYTES
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson

LoadCourse = Callable[..., Course]
"""What makes a course of files: `load_course`, or a cache of what it made."""

MAX_FILES = 2_000
"""Of a course or a pack, its folders counted."""

MAX_TOTAL_BYTES = 64 * 2**20
"""Bytes of all files together: they are in memory at once."""


def origin_of(place: Path) -> Origin:
    """Return who wrote the lessons in a file or folder: built in is what lies in our folder."""
    ours = os.path.realpath(paths.built_in_lessons())
    inside = Path(os.path.realpath(place)).is_relative_to(ours)
    return Origin.BUILT_IN if inside else Origin.PACK


def read_course(
    folder: Path, *, origin: Origin, taught: Iterable[str] = (), load: LoadCourse = load_course
) -> Course:
    """Return the course in a folder; what can't be read is one of its problems.

    Problems name the files as `folder` does.
    """
    if not folder.is_dir():
        return Course((), (problem(folder, AuthoringTexts.unreadable, why="not a folder"),))
    paths = sorted(itertools.islice(folder.glob("*/*.y*ml"), MAX_FILES + 1), key=str)
    paths += [each for each in (folder / PATHS,) if each.is_file()]
    contents, problems = read_all(folder, paths, _content)
    course = load(contents, origin=origin, taught=taught)
    return replace(course, problems=(*problems, *course.problems))


def read_all(
    folder: Path, paths: Iterable[Path | Problem | None], content: Callable[[Path], bytes | Problem]
) -> tuple[dict[str, bytes], list[Problem]]:
    """Return what is in files, by their paths, and what is wrong; stop at too much."""
    contents: dict[str, bytes] = {}
    problems: list[Problem] = []
    count = size = 0
    for path in paths:
        if isinstance(path, Problem):
            problems.append(path)
            continue
        count += 1
        if count > MAX_FILES:
            problems.append(problem(folder, AuthoringTexts.pack_large, most=MAX_FILES))
            break
        if path is None:
            continue
        found = content(path)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        size += len(found)
        if size > MAX_TOTAL_BYTES:
            problems.append(problem(folder, AuthoringTexts.pack_heavy, most=MAX_TOTAL_BYTES))
            break
        contents[path.as_posix()] = found
    return contents, problems


def _content(path: Path) -> bytes | Problem:
    try:
        return read(path)
    except OSError as error:
        return problem(path, AuthoringTexts.unreadable, why=error.strerror or str(error))


def read_lesson(path: Path) -> LoadedLesson | None:
    """Return the lesson in a file of the built-in course, read alone; None where it can't be."""
    name = path.as_posix()
    try:
        return load_lesson(read(path), name, origin=Origin.BUILT_IN)
    except (OSError, LessonError):
        return None


def named_panels(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return what `Course.named_panels` of the built-in course is, from the files that name any.

    A lesson that is opened by its id is there before the course was read.
    """
    named: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.glob("*/*-*.yaml")):
        if (path.parent / "chapter.yaml").is_file():
            lesson = read_lesson(path) if b"\npanels:" in read(path) else None
            panels = () if lesson is None else tuple(lesson.lesson.panels)
            named[path.stem.partition("-")[2]] = panels
    return named


def read(path: Path) -> bytes:
    """Return a file's content; of one that is too large, enough to see that.

    Raises:
        OSError: it can't be read.
    """
    return read_start(path, MAX_BYTES)
