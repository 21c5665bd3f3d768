"""A folder of lessons and challenges: what is in order, and what is wrong with the others.

And which lesson to take next; nothing is locked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.problems import FilePosition, LessonError, Problem, did_you_mean, problem
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import MEND, Chapter, GoalPath, Paths
from inplace_tui.tutorial.course.lessons.loader import (
    LoadedChallenge,
    LoadedLesson,
    load_challenge,
    load_lesson,
    read,
)

if TYPE_CHECKING:
    from inplace_tui.tutorial.course.lessons import lesson_rules, strict_yaml
else:  # what reads files: a compiled course is listed without it
    lesson_rules = LazyModule("inplace_tui.tutorial.course.lessons.lesson_rules")
    strict_yaml = LazyModule("inplace_tui.tutorial.course.lessons.strict_yaml")

FOLDER = "challenges"
"""The folder of challenges, beside those of the chapters."""

PATHS = "paths.yaml"
"""The file of paths, beside the folders of chapters."""

EVERYTHING = "everything"
"""The path that every course has; no path of a file has this id."""

_NUMBERED = re.compile(r"([0-9]+)-([a-z0-9]+(?:-[a-z0-9]+)*)")
_FILE = re.compile(r"([0-9]+)-(.+)\.yaml")

T = TypeVar("T")
L = TypeVar("L", LoadedLesson, LoadedChallenge)


@dataclass(frozen=True)
class LoadedChapter:
    """A folder of lessons, in their order."""

    chapter: Chapter
    slug: str
    lessons: tuple[LoadedLesson, ...]
    path: str = ""
    """Of its `chapter.yaml`."""

    text: str = ""
    """Of that file."""

    origin: Origin = Origin.PACK


@dataclass(frozen=True)
class Course:
    """Every lesson whose file is in order, and what is wrong with the others."""

    chapters: tuple[LoadedChapter, ...]
    problems: tuple[Problem, ...]
    challenges: tuple[LoadedChallenge, ...] = ()
    part_of: Course | None = None
    """What this was taken from, where it is an assignment."""

    paths: tuple[GoalPath, ...] = ()

    @property
    def whole(self) -> Course:
        """Where a checkpoint's questions come from, whatever of it is listed."""
        return self if self.part_of is None else self.part_of

    @property
    def lessons(self) -> tuple[LoadedLesson, ...]:
        return tuple(lesson for chapter in self.chapters for lesson in chapter.lessons)

    @property
    def taught(self) -> set[str]:
        return {concept for each in self.lessons for concept in each.lesson.teaches}

    def taught_up_to(self, chapter: LoadedChapter) -> set[str]:
        """Return what lessons teach up to the end of a chapter, and what they require for it."""
        slugs = [each.slug for each in self.chapters]
        until = self.chapters[: slugs.index(chapter.slug) + 1]
        about = [each.lesson for one in until for each in one.lessons]
        return {concept for each in about for concept in (*each.teaches, *each.requires)}

    def find(self, name: str) -> LoadedLesson | None:
        """Return a lesson by its id, or by its number in the course."""
        return _named(self.lessons, self.replaced.get(name, name))

    @property
    def path_ids(self) -> list[str]:
        return [*(each.id for each in self.paths), EVERYTHING]

    @property
    def replaced(self) -> dict[str, str]:
        """The lesson that now has what was in an earlier one, by the id of the earlier."""
        return {old: each.id for each in self.lessons for old in each.lesson.replaces}

    def teaching(self, concept: str | None) -> LoadedLesson | None:
        """Return the first lesson that teaches a concept."""
        return next((each for each in self.lessons if concept in each.lesson.teaches), None)

    @property
    def named_panels(self) -> dict[str, tuple[str, ...]]:
        """The panels that each lesson names, by its id, in the order of the course."""
        return {each.lesson.id: tuple(each.lesson.panels) for each in self.lessons}

    def find_chapter(self, slug: str) -> LoadedChapter | None:
        return next((each for each in self.chapters if each.slug == slug), None)

    def chapter_after(self, chapter: LoadedChapter) -> LoadedChapter | None:
        """Return the next chapter that has lessons; None after one that is not listed whole."""
        if chapter not in self.chapters:
            return None
        rest = self.chapters[self.chapters.index(chapter) + 1 :]
        return next((each for each in rest if each.lessons), None)

    @property
    def checkpoints(self) -> tuple[LoadedChapter, ...]:
        return tuple(each for each in self.chapters if each.chapter.checkpoint is not None)

    def find_challenge(self, name: str) -> LoadedChallenge | None:
        """Return a challenge by its id or number, or what the lesson `ID` offers as `ID/mend`."""
        if name.endswith(MEND):
            lesson = self.find(name.removesuffix(MEND))
            return None if lesson is None else lesson.mending
        return _named(self.challenges, name)


MAX_DIGITS = 9


def _named(entries: Sequence[L], name: str) -> L | None:
    number = int(name) if name.isascii() and name.isdecimal() and len(name) < MAX_DIGITS else 0
    numbered = entries[number - 1] if 0 < number <= len(entries) else None
    return next((each for each in entries if each.id == name), numbered)


def panels_ahead(
    named: Mapping[str, Iterable[str]],
    identity: str,
    begun: Container[str],
    path: Container[str] = (),
) -> set[str]:
    """Return the panels that lessons name, but neither this one nor one before it.

    Who has begun a later lesson has seen what that one needs. A lesson of no course needs all.
    What each lesson names is in the order of the course.

    Args:
        path: the lessons of a path: for one of them, and up to it, only these count.
    """
    if identity not in named:
        return set()
    came: set[str] = set()
    before: set[str] = set()
    on_path: set[str] = set()
    for lesson, panels in named.items():
        before |= {*panels}
        on_path |= {*panels} if lesson in path else set()
        if lesson == identity or lesson in begun:
            came |= on_path if lesson in path else before
    return before - came


def load_course(
    files: Mapping[str, str | bytes], *, origin: Origin, taught: Iterable[str] = ()
) -> Course:
    """Return the course that a folder holds. What can't be loaded is left out.

    Args:
        files: path below the lessons' folder, with `/`, to content:
            `03-storage/chapter.yaml`, `03-storage/10-saved-output.yaml`,
            `challenges/10-break-exp.yaml`.
        taught: concepts that are known before the first lesson.
    """
    known_before = set(taught)
    problems: list[Problem] = []
    folders: dict[str, list[str]] = {}
    for path in sorted(files, key=_order):
        if PurePosixPath(path).name == PATHS:
            continue
        folders.setdefault(str(PurePosixPath(path).parent), []).append(path)
    chapters: list[LoadedChapter] = []
    challenges: list[LoadedChallenge] = []
    for folder, paths in folders.items():
        if PurePosixPath(folder).name == FOLDER:
            load = partial(load_challenge, origin=origin)
            challenges += _numbered_files(paths, files, load, problems)
        else:
            chapters += _load_chapter(folder, paths, files, origin, problems)
    seen: dict[str, str] = {}
    chapters = [
        replace(each, lessons=tuple(_distinct(each.lessons, seen, problems))) for each in chapters
    ]
    course = Course(tuple(chapters), ())
    problems += unmet(course.lessons, known_before)
    known = tuple(_distinct(challenges, seen, problems))
    concepts = known_before | course.taught
    for challenge in known:
        for index, concept in enumerate(challenge.challenge.needs):
            if concept not in concepts:
                at, hint = challenge.where("needs", index), did_you_mean(concept, concepts)
                text = AuthoringTexts.needs
                problems.append(problem(challenge.path, text, at, concept=concept, hint=hint))
    problems += _unknown_challenges(course.chapters, known)
    problems += _replaced_twice(course.lessons)
    ways: list[GoalPath] = []
    for path in files:
        if PurePosixPath(path).name == PATHS:
            ways += _load_paths(path, files[path], concepts, known, problems)
    return Course(course.chapters, tuple(problems), known, paths=tuple(ways))


def _load_paths(
    path: str,
    content: str | bytes,
    taught: Iterable[str],
    challenges: Iterable[LoadedChallenge],
    problems: list[Problem],
) -> Iterator[GoalPath]:
    """Yield the paths of a file; what they name has to be there."""
    try:
        file = read(content, path, Paths)
        paths = file.checked().paths
    except LessonError as error:
        problems += error.problems
        return
    concepts, known = {*taught}, [each.id for each in challenges]
    ids = [EVERYTHING]
    for index, each in enumerate(paths):
        where = partial(strict_yaml.position_in, file.text, "paths", index)
        named: list[tuple[str, FilePosition]] = [
            *((concept, where("goals", place)) for place, concept in enumerate(each.goals)),
            *((concept, where("bridges", concept)) for concept in each.bridges),
        ]
        for concept, at in named:
            if concept not in concepts:
                text, hint = AuthoringTexts.needs, did_you_mean(concept, concepts)
                problems.append(problem(path, text, at, concept=concept, hint=hint))
        wanted = each.ends_with
        if wanted is not None and wanted not in known:
            text, hint = AuthoringTexts.unknown_challenge, did_you_mean(wanted, known)
            problems.append(problem(path, text, where("ends_with"), id=wanted, hint=hint))
        if each.id in ids:
            problems.append(problem(path, AuthoringTexts.path_twice, where("id"), id=each.id))
            continue
        ids.append(each.id)
        yield each


def _replaced_twice(lessons: Sequence[LoadedLesson]) -> Iterator[Problem]:
    """Complain of replaced ids that another lesson has, or replaces, too."""
    seen = {each.id: each.path for each in lessons}
    for each in lessons:
        for index, old in enumerate(each.lesson.replaces):
            if old in seen:
                at, text = each.where("replaces", index), AuthoringTexts.lesson_twice
                yield problem(each.path, text, at, id=old, path=seen[old])
            seen.setdefault(old, each.path)


def _numbered_files(
    paths: Iterable[str],
    files: Mapping[str, str | bytes],
    load: Callable[[str | bytes, str], T],
    problems: list[Problem],
) -> list[T]:
    """Load the files of a folder; what can't be loaded is left out."""
    loaded: list[T] = []
    for path in paths:
        if _FILE.fullmatch(PurePosixPath(path).name) is None:
            problems.append(problem(path, AuthoringTexts.bad_file_name))
            continue
        try:
            loaded.append(load(files[path], path))
        except LessonError as error:
            problems += error.problems
    return loaded


def _distinct(entries: Iterable[L], seen: dict[str, str], problems: list[Problem]) -> Iterator[L]:
    """Leave out what has the id of something before it: progress is kept by id."""
    for each in entries:
        first = seen.setdefault(each.id, each.path)
        if first == each.path:
            yield each
        else:
            problems.append(id_taken(each, first))


def id_taken(entry: LoadedLesson | LoadedChallenge, path: str) -> Problem:
    """Return the problem of a lesson or a challenge whose id the one in another file has."""
    is_lesson = isinstance(entry, LoadedLesson)
    text = AuthoringTexts.lesson_twice if is_lesson else AuthoringTexts.challenge_twice
    return problem(entry.path, text, entry.where("id"), id=entry.id, path=path)


def _unknown_challenges(
    chapters: Sequence[LoadedChapter], challenges: Sequence[LoadedChallenge]
) -> list[Problem]:
    """Complain of checkpoints that end with a challenge that there is not."""
    known = [each.id for each in challenges]
    problems: list[Problem] = []
    for each in chapters:
        checkpoint = each.chapter.checkpoint
        wanted = None if checkpoint is None else checkpoint.challenge
        if wanted is not None and wanted not in known:
            at = strict_yaml.position_in(each.text, "checkpoint", "challenge")
            text, hint = AuthoringTexts.unknown_challenge, did_you_mean(wanted, known)
            problems.append(problem(each.path, text, at, id=wanted, hint=hint))
    return problems


def _order(path: str) -> tuple[tuple[int, str], ...]:
    """Sort by the number in front of each part, then by the name."""
    parts = []
    for part in PurePosixPath(path).parts:
        number = re.match(r"[0-9]+", part)
        parts.append((int(number.group()) if number else 10**9, part))
    return tuple(parts)


def _load_chapter(
    folder: str,
    paths: list[str],
    files: Mapping[str, str | bytes],
    origin: Origin,
    problems: list[Problem],
) -> Iterator[LoadedChapter]:
    """Load a folder; without a readable `chapter.yaml` its lessons have no place."""
    numbered = _NUMBERED.fullmatch(PurePosixPath(folder).name)
    if numbered is None:
        problems.append(problem(paths[0], AuthoringTexts.bad_folder_name))
    header = str(PurePosixPath(folder) / "chapter.yaml")
    others = [path for path in paths if path != header]
    lessons = _numbered_files(others, files, partial(load_lesson, origin=origin), problems)
    if header not in files:
        problems.append(problem(header, AuthoringTexts.no_chapter))
        return
    try:
        file = read(files[header], header, Chapter)
        lesson_rules.titles(file.root, file.problems)
        asked = strict_yaml.child(file.root, "checkpoint")
        lesson_rules.program(asked, file.text, file.problems)
        chapter = file.checked()
    except LessonError as error:
        problems += error.problems
        return
    if numbered is not None:
        yield LoadedChapter(chapter, numbered[2], tuple(lessons), header, file.text, origin)


def unmet(lessons: Sequence[LoadedLesson], taught: Iterable[str] = ()) -> list[Problem]:
    """Return the concepts that are required before any lesson has taught them."""
    problems: list[Problem] = []
    known = set(taught)
    places = {concept: each.path for each in reversed(lessons) for concept in each.lesson.teaches}
    for each in lessons:
        for index, concept in enumerate(each.lesson.requires):
            if concept in known:
                continue
            at, later = each.where("requires", index), places.get(concept)
            text = AuthoringTexts.requires if later is None else AuthoringTexts.requires_later
            values = {"concept": concept, "path": later}
            hint = did_you_mean(concept, known | places.keys())
            problems.append(problem(each.path, text, at, **values, hint=hint))
        known.update(each.lesson.teaches)
    return problems


def next_lesson(lessons: Sequence[LoadedLesson], done: Container[str]) -> LoadedLesson | None:
    """Return the first lesson that is not done and whose needs are met.

    What no lesson teaches can't be waited for. Where every lesson that is left
    needs another that is left, it is the first of them.
    """
    left = [each for each in lessons if each.id not in done]
    waiting = {concept for each in left for concept in each.lesson.teaches}
    known = {concept for each in lessons if each.id in done for concept in each.lesson.teaches}
    for each in left:
        own = set(each.lesson.teaches)
        if not (set(each.lesson.requires) - known - own) & waiting:
            return each
    return left[0] if left else None
