"""Reads lesson files from folders."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.engine.loader import Course, load_course
from inplace_tui.engine.problems import Problem, Problems
from inplace_tui.engine.strict_yaml import MAX_BYTES, START


def read_course(folder: Path) -> Course:
    """Return the course in a folder; what can't be read is one of its problems.

    Args:
        folder: has chapters' folders in it, and they the lessons. Problems name
            the files as this path does.
    """
    contents: dict[str, str | bytes] = {}
    problems: list[Problem] = []
    if not folder.is_dir():
        return Course((), (_unreadable(folder, "not a folder"),))
    for path in sorted(folder.glob("*/*.y*ml")):
        try:
            contents[path.as_posix()] = read(path)
        except OSError as error:
            problems.append(_unreadable(path, error.strerror or str(error)))
    course = load_course(contents)
    return Course(course.chapters, (*problems, *course.problems))


def read(path: Path) -> bytes:
    """Return a file's content; of one that is too large, enough to see that.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _unreadable(path: Path, why: str) -> Problem:
    problems = Problems(path.as_posix())
    problems.add(START, "unreadable", why=why)
    return problems.sorted()[0]
