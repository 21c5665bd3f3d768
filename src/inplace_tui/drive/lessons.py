"""Reads lesson files from folders."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.bounded_reads import read_start
from inplace_tui.engine.challenges.challenge_files import FOLDER, LoadedChallenge
from inplace_tui.engine.course.course import Course, load_course, unmet
from inplace_tui.engine.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.engine.lessons.strict_yaml import MAX_BYTES, START, decode
from inplace_tui.engine.problems import LessonError, Problem, Problems
from inplace_tui.model.lesson import LocalText
from inplace_tui.texts.authoring import AuthoringTexts

MOST_FILES = 2_000
"""Of a course or a pack, its folders counted."""

MOST_IN_ALL = 64 * 2**20
"""Bytes of all files together: they are in memory at once."""


def read_course(folder: Path, *, taught: Iterable[str] = ()) -> Course:
    """Return the course in a folder; what can't be read is one of its problems.

    Args:
        folder: has chapters' folders in it, and they the lessons. Problems name
            the files as this path does.
        taught: concepts that are known before its first lesson.
    """
    if not folder.is_dir():
        return Course((), (_unreadable(folder, "not a folder"),))
    paths = sorted(itertools.islice(folder.glob("*/*.y*ml"), MOST_FILES + 1))
    contents, problems = read_all(folder, paths, _content)
    course = load_course(contents, taught=taught)
    return Course(course.chapters, (*problems, *course.problems), course.challenges)


def read_all(
    folder: Path, paths: Iterable[Path | Problem | None], content: Callable[[Path], bytes | Problem]
) -> tuple[dict[str, bytes], list[Problem]]:
    """Return what is in files, by their paths, and what is wrong; stop where it becomes too much.

    Args:
        folder: that all are in.
        paths: of the files; a problem is handed on, None stands for a folder.
        content: reads one of them.
    """
    contents: dict[str, bytes] = {}
    problems: list[Problem] = []
    count = size = 0
    for path in paths:
        if isinstance(path, Problem):
            problems.append(path)
            continue
        count += 1
        if count > MOST_FILES:
            problems.append(problem(folder, AuthoringTexts.pack_large, most=MOST_FILES))
            break
        if path is None:
            continue
        found = content(path)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        size += len(found)
        if size > MOST_IN_ALL:
            problems.append(problem(folder, AuthoringTexts.pack_heavy, most=MOST_IN_ALL))
            break
        contents[path.as_posix()] = found
    return contents, problems


def _content(path: Path) -> bytes | Problem:
    try:
        return read(path)
    except OSError as error:
        return _unreadable(path, error.strerror or str(error))


def read_lesson(path: Path) -> LoadedLesson | None:
    """Return the lesson in a file of the course, read alone; None where it can't be."""
    try:
        return load_lesson(decode(read(path), path.as_posix()), path.as_posix())
    except (OSError, LessonError):
        return None


def read(path: Path) -> bytes:
    """Return a file's content; of one that is too large, enough to see that.

    Raises:
        OSError: it can't be read.
    """
    return read_start(path, MAX_BYTES)


def problem(path: Path, text: LocalText, /, **values: object) -> Problem:
    """Return what is wrong with a whole file or folder; `key` is one of `AUTHORING`."""
    problems = Problems(path.as_posix())
    problems.add(START, text, **values)
    return problems.sorted()[0]


def _unreadable(path: Path, why: str) -> Problem:
    return problem(path, AuthoringTexts.unreadable, why=why)


@dataclass(frozen=True)
class Selection:
    """Lessons and challenges that were chosen, and what is wrong with what was chosen."""

    lessons: tuple[LoadedLesson, ...]
    problems: tuple[Problem, ...]
    challenges: tuple[LoadedChallenge, ...] = ()


def select(chosen: Iterable[Path], *, beside: Sequence[Path] = ()) -> Selection:
    """Return the lessons in files and folders, each once.

    A file in a chapter's folder is looked at as a part of its course, so that
    what it requires can be found. One that lies anywhere else stands for itself.

    Args:
        chosen: lesson files, chapters' folders, or folders of chapters; files of
            challenges and their folder.
        beside: folders of courses; what they teach may be required by what is no part
            of them.
    """
    lessons: dict[str, LoadedLesson] = {}
    challenges: dict[str, LoadedChallenge] = {}
    problems: dict[Problem, None] = {}
    for path in chosen:
        found = _select(path, _taught(path, beside))
        lessons |= {each.path: each for each in found.lessons}
        challenges |= {each.path: each for each in found.challenges}
        problems |= dict.fromkeys(found.problems)
    return Selection(tuple(lessons.values()), tuple(problems), tuple(challenges.values()))


def _taught(path: Path, beside: Sequence[Path]) -> set[str]:
    here = Path(os.path.realpath(path))
    others = [each for each in beside if not here.is_relative_to(os.path.realpath(each))]
    lessons = [each for folder in others for each in read_course(folder).lessons]
    return {concept for each in lessons for concept in each.lesson.teaches}


def _select(path: Path, taught: set[str]) -> Selection:
    if not path.is_dir():
        folder = path.absolute().parent
        if (folder / "chapter.yaml").is_file() or folder.name == FOLDER:
            return _part_of(path.parent.parent, path, taught)
        return _alone(path, taught)
    if (path / "chapter.yaml").is_file() or path.absolute().name == FOLDER:
        return _part_of(path.parent, path, taught)
    course = read_course(path, taught=taught)
    return Selection(course.lessons, course.problems, course.challenges)


def _part_of(root: Path, part: Path, taught: set[str]) -> Selection:
    """Return what of a course lies in one folder or file."""
    course = read_course(root, taught=taught)
    name = part.as_posix()

    def inside(path: str) -> bool:
        return path == name or path.startswith(f"{name}/")

    return Selection(
        tuple(each for each in course.lessons if inside(each.path)),
        tuple(each for each in course.problems if inside(each.path)),
        tuple(each for each in course.challenges if inside(each.path)),
    )


def _alone(path: Path, taught: set[str]) -> Selection:
    try:
        loaded = load_lesson(decode(read(path), path.as_posix()), path.as_posix())
    except OSError as error:
        return Selection((), (_unreadable(path, error.strerror or str(error)),))
    except LessonError as error:
        return Selection((), error.problems)
    return Selection((loaded,), tuple(unmet([loaded], taught)))
