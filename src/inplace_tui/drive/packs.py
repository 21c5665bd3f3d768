"""Lessons from elsewhere: folders beside the built-in course, each known by what is in it.

A pack is read with one look at every file, so that what is hashed is what is
loaded and run. It can be listed before it is trusted, never run.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.drive.lessons import MOST_FILES, problem, read_all, read_course
from inplace_tui.engine.course.course import Course, LoadedChapter, load_course
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.problems import Problem, Problems
from inplace_tui.texts.authoring import AuthoringTexts

MOST_BYTES = 2**20
"""Of one file; what a lesson may have is less."""

MOST_DEPTH = 8


@dataclass(frozen=True)
class Pack:
    """A folder of chapters that did not come with the program."""

    folder: Path
    digest: str
    """Of every file's path and content; another one after any change."""

    course: Course


@dataclass(frozen=True)
class Library:
    """All lessons that are shown, and the packs that some of them came in."""

    course: Course
    packs: tuple[Pack, ...] = ()

    def pack_of(self, path: str) -> Pack | None:
        """Return the pack in which a lesson's file is; None for a built-in one."""
        for pack in self.packs:
            if path.startswith(f"{pack.folder.as_posix()}/"):
                return pack
        return None


def read_library(lessons: Path | None, built_in: Path, packs: Path) -> Library:
    """Return the course, and below it what is wrong with any of it.

    Args:
        lessons: used instead of everything else; a pack, unless it is the built-in folder.
        built_in: the lessons that came with the program.
        packs: a folder of packs; it need not exist.
    """
    if lessons is not None and not _same(lessons, built_in):
        pack = read_pack(lessons, known=read_course(built_in).lessons)
        return Library(pack.course, (pack,))
    course = read_course(built_in if lessons is None else lessons)
    if lessons is not None:
        return Library(course)
    found = []
    for folder in _folders(packs):
        pack = read_pack(folder, beside=course)
        course = _joined(course, pack.course)
        found.append(pack)
    return Library(course, tuple(found))


def read_pack(
    folder: Path, *, beside: Course | None = None, known: Iterable[LoadedLesson] = ()
) -> Pack:
    """Return a pack. One that can't be read as a whole has problems, and no lessons.

    Args:
        folder: has chapters' folders in it.
        beside: the course to which it is added: what that teaches may be required,
            and the ids that it has are taken.
        known: lessons whose concepts may be required, too.
    """
    beside = beside or Course((), ())
    contents, problems = read_all(folder, _walk(folder, 0), _content)
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        inside = name[len(folder.as_posix()) :].encode("utf-8", "surrogateescape")
        digest.update(b"%d %d " % (len(inside), len(content)) + inside + content)
    if problems:
        return Pack(folder, digest.hexdigest(), Course((), tuple(problems)))
    wanted = {name: text for name, text in contents.items() if _is_lesson(folder, name)}
    before = (*known, *beside.lessons)
    taught = {concept for each in before for concept in each.lesson.teaches}
    course = _apart(load_course(wanted, taught=taught), beside)
    return Pack(folder, digest.hexdigest(), course)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _folders(packs: Path) -> list[Path]:
    try:
        inside = sorted(packs.iterdir())
    except OSError:
        return []
    return [each for each in inside if each.is_dir() and not each.name.startswith(".")]


def _is_lesson(folder: Path, name: str) -> bool:
    inside = Path(name).relative_to(folder)
    return len(inside.parts) == 2 and inside.suffix in (".yaml", ".yml")


def _walk(folder: Path, depth: int) -> Iterator[Path | Problem | None]:
    """Yield the files below a folder, and None for each folder."""
    try:
        with os.scandir(folder) as entries:
            inside = sorted(itertools.islice(_wanted(entries), MOST_FILES + 1))
    except OSError as error:
        yield problem(folder, AuthoringTexts.unreadable, why=error.strerror or str(error))
        return
    for path in inside:
        if path.is_dir() and not path.is_symlink():
            yield None
            if depth == MOST_DEPTH:
                yield problem(path, AuthoringTexts.too_deep, limit=MOST_DEPTH)
            else:
                yield from _walk(path, depth + 1)
        else:
            yield path


def _wanted(entries: Iterable[os.DirEntry[str]]) -> Iterator[Path]:
    for entry in entries:
        if not entry.name.startswith(".") and entry.name != "__pycache__":
            yield Path(entry.path)


def _content(path: Path) -> bytes | Problem:
    try:
        # Neither a link, which may lead anywhere, nor a pipe, which may never end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return problem(path, AuthoringTexts.no_file)
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        if path.is_symlink():
            return problem(path, AuthoringTexts.link)
        return problem(path, AuthoringTexts.unreadable, why=error.strerror or str(error))
    if len(content) > MOST_BYTES:
        return problem(path, AuthoringTexts.file_large, limit=MOST_BYTES)
    return content


def _apart(course: Course, beside: Course) -> Course:
    """Leave out what has the id of something that is there already: it would hide it."""
    problems = list(course.problems)
    taken = {each.lesson.id: each.path for each in beside.lessons}
    taken |= {each.challenge.id: each.path for each in beside.challenges}
    chapters = []
    for chapter in course.chapters:
        lessons = []
        for each in chapter.lessons:
            name = each.lesson.id
            if name in taken:
                found = Problems(each.path)
                found.add(each.where("id"), AuthoringTexts.lesson_twice, id=name, path=taken[name])
                problems += found.sorted()
            else:
                lessons.append(each)
        chapters.append(LoadedChapter(chapter.chapter, chapter.slug, tuple(lessons)))
    challenges = []
    for other in course.challenges:
        name = other.challenge.id
        if name in taken:
            found = Problems(other.path)
            found.add(other.where("id"), AuthoringTexts.challenge_twice, id=name, path=taken[name])
            problems += found.sorted()
        else:
            challenges.append(other)
    had = {chapter.slug for chapter in course.chapters if chapter.lessons}
    kept = tuple(each for each in chapters if each.lessons or each.slug not in had)
    return Course(kept, tuple(problems), tuple(challenges))


def _joined(first: Course, second: Course) -> Course:
    return Course(
        (*first.chapters, *second.chapters),
        (*first.problems, *second.problems),
        (*first.challenges, *second.challenges),
    )


def untrusted(library: Library, path: str, trusted: Iterable[str]) -> Pack | None:
    """Return the pack that has to be trusted before this file's program may run."""
    pack = library.pack_of(path)
    return None if pack is None or pack.digest in set(trusted) else pack
