"""What `check` is given: lessons and challenges, and the packs to trust before they run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inplace_tui.drive.lessons import origin_of, problem, read_course
from inplace_tui.drive.packs import Pack, read_file, read_pack, taken_ids
from inplace_tui.engine.challenges.challenge_files import FOLDER, LoadedChallenge
from inplace_tui.engine.course.course import Course, LoadedChapter, unmet
from inplace_tui.engine.lessons.lesson_rules import unwritten
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.problems import LessonError, Problem
from inplace_tui.model.program import Origin
from inplace_tui.texts.authoring import AuthoringTexts


@dataclass(frozen=True)
class Selection:
    """Lessons and challenges that were chosen, and what is wrong with what was chosen."""

    lessons: tuple[LoadedLesson, ...]
    problems: tuple[Problem, ...]
    challenges: tuple[LoadedChallenge, ...] = ()
    packs: tuple[Pack, ...] = ()
    """What must be trusted before any of them runs."""

    checkpoints: tuple[LoadedChapter, ...] = ()
    """Chapters that end with one."""


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
    packs: dict[str, Pack] = {}
    checkpoints: dict[str, LoadedChapter] = {}
    for path in chosen:
        others = _others(path, beside)
        taught = {
            each for other in others for loaded in other.lessons for each in loaded.lesson.teaches
        }
        found = _select(path, taught)
        entries: list[LoadedLesson | LoadedChallenge] = [*found.lessons, *found.challenges]
        for other in others if found.packs else ():
            problems |= dict.fromkeys(taken_ids(entries, other).values())
        lessons |= {each.path: each for each in found.lessons}
        challenges |= {each.path: each for each in found.challenges}
        checkpoints |= {each.path: each for each in found.checkpoints}
        problems |= dict.fromkeys(found.problems)
        if found.lessons or found.challenges or found.checkpoints:
            packs |= {each.digest: each for each in found.packs}
    return Selection(
        tuple(lessons.values()),
        tuple(problems),
        tuple(challenges.values()),
        tuple(packs.values()),
        tuple(checkpoints.values()),
    )


def _others(path: Path, beside: Sequence[Path]) -> list[Course]:
    """Return the courses that this is no part of."""
    here = Path(os.path.realpath(path))
    folders = [each for each in beside if not here.is_relative_to(os.path.realpath(each))]
    return [_course(folder, ())[0] for folder in folders]


def _select(path: Path, taught: set[str]) -> Selection:
    if not path.is_dir():
        folder = path.absolute().parent
        if (folder / "chapter.yaml").is_file() or folder.name == FOLDER:
            return _part_of(path.parent.parent, path, taught)
        return _alone(path, taught)
    if (path / "chapter.yaml").is_file() or path.absolute().name == FOLDER:
        return _part_of(path.parent, path, taught)
    course, packs = _course(path, taught)
    return Selection(course.lessons, course.problems, course.challenges, packs, course.checkpoints)


def _course(folder: Path, taught: Iterable[str]) -> tuple[Course, tuple[Pack, ...]]:
    packs: tuple[Pack, ...] = ()
    if origin_of(folder) is Origin.BUILT_IN:
        course = read_course(folder, origin=Origin.BUILT_IN, taught=taught)
    else:
        packs = (read_pack(folder, taught=taught),)
        course = packs[0].course
    missed = [each for found in course.chapters for each in unwritten(found.text, found.path)]
    return replace(course, problems=(*course.problems, *missed)), packs


def _part_of(root: Path, part: Path, taught: set[str]) -> Selection:
    """Return what of a course lies in one folder or file."""
    course, packs = _course(root, taught)
    name = part.as_posix()

    def is_part(path: str) -> bool:
        return path == name or path.startswith(f"{name}/")

    return Selection(
        tuple(each for each in course.lessons if is_part(each.path)),
        tuple(each for each in course.problems if is_part(each.path)),
        tuple(each for each in course.challenges if is_part(each.path)),
        packs,
        tuple(each for each in course.checkpoints if is_part(each.path)),
    )


def _alone(path: Path, taught: set[str]) -> Selection:
    try:
        loaded, pack = read_file(path)
    except OSError as error:
        return Selection(
            (), (problem(path, AuthoringTexts.unreadable, why=error.strerror or str(error)),)
        )
    except LessonError as error:
        return Selection((), error.problems)
    found = tuple(unmet([loaded], taught))
    return Selection((loaded,), found, packs=() if pack is None else (pack,))
