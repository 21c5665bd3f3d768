"""Lessons from elsewhere: folders beside the built-in course, each known by what is in it.

A pack is read with one look at every file, so that what is hashed is what is
loaded and run. It can be listed before it is trusted, never run.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from inplace_tui.common.atomic_files import read_start
from inplace_tui.common.problems import LessonError, Problem, problem
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.course import Course, id_taken, load_course
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson, load_lesson
from inplace_tui.tutorial.drive.course_cache import CourseCache
from inplace_tui.tutorial.drive.lessons import (
    MAX_FILES,
    MAX_TOTAL_BYTES,
    origin_of,
    read,
    read_all,
    read_course,
)

MAX_BYTES = 2**20
"""Of one file; what a lesson may have is less."""

MAX_DEPTH = 8


_UNUSABLE = {".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar", ".yaml", ".yml"}
"""What somebody puts into the folder of packs who expects it to be one."""


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

    def pack_of(self, loaded: LoadedLesson | LoadedChallenge) -> Pack | None:
        """Return the pack in which something came; None for what is built in."""
        if loaded.origin is Origin.BUILT_IN:
            return None
        for pack in self.packs:
            inside = (*pack.course.lessons, *pack.course.challenges)
            if any(each is loaded for each in inside):
                return pack
        raise LookupError(f"nobody can be asked about {loaded.path}")


def read_library(
    lessons: Path | None,
    built_in: Path,
    packs: Path,
    *,
    one_more: Path | None = None,
    cache: CourseCache | None = None,
) -> Library:
    """Return the course, and below it what is wrong with any of it.

    `lessons` are used instead of everything else: a pack, unless it is the built-in folder. They
    are not cached: their author is at work on them. `one_more` is a pack beside the others.
    """
    if lessons is not None and not _same(lessons, built_in):
        known = read_course(built_in, origin=Origin.BUILT_IN, cache=cache)
        pack = read_pack(lessons, taught=known.taught)
        return Library(pack.course, (pack,))
    course = read_course(lessons or built_in, origin=Origin.BUILT_IN, cache=cache)
    if lessons is not None:
        return Library(course)
    found = []
    problems = []
    added = [] if one_more is None or _same(one_more, built_in) else [one_more]
    for place in (*_inside(packs), *added):
        if not place.is_dir():
            if place.is_symlink() or place.suffix in _UNUSABLE:
                problems.append(problem(place, AuthoringTexts.no_pack))
            continue
        pack = read_pack(place, beside=course, cache=cache)
        if pack.course == Course((), ()):
            is_chapter = (place / "chapter.yaml").exists()
            text = AuthoringTexts.bare_chapter if is_chapter else AuthoringTexts.no_chapters
            problems.append(problem(place, text, folder=place.name))
        course = _joined(course, pack.course)
        found.append(pack)
    return Library(replace(course, problems=(*course.problems, *problems)), tuple(found))


def read_pack(
    folder: Path,
    *,
    beside: Course | None = None,
    taught: Iterable[str] = (),
    cache: CourseCache | None = None,
) -> Pack:
    """Return a pack. One that can't be read as a whole has problems, and no lessons.

    What the course `beside` it teaches may be required, and the ids that it has are taken.
    """
    beside = beside or Course((), ())
    contents, problems = read_all(folder, _walk(folder, 0), partial(_content, folder))
    digest = _digest(folder, contents)
    if problems:
        return Pack(folder, digest, Course((), tuple(problems)))
    wanted = {name: text for name, text in contents.items() if _is_lesson(folder, name)}
    load = load_course if cache is None else cache.load
    course = load(wanted, origin=Origin.PACK, taught=beside.taught.union(taught))
    return Pack(folder, digest, _without_taken_ids(course, beside))


def read_file(path: Path) -> tuple[LoadedLesson, Pack | None]:
    """Return the lesson in a file, and what must be trusted before it runs.

    That is the whole folder of chapters where the file is in one, else the file alone.

    Raises:
        OSError: the file can't be read.
        LessonError: it is not a lesson, or its folder can't be read as a pack.
    """
    name, place = path.as_posix(), Path(os.path.realpath(path.parent), path.name)
    contents = {place.as_posix(): read(path)}
    load = partial(load_lesson, contents[place.as_posix()], name)
    if origin_of(path) is Origin.BUILT_IN:
        return load(origin=Origin.BUILT_IN), None
    folder = place.parent.parent if (place.parent / "chapter.yaml").is_file() else place
    if folder != place:
        chapters, problems = read_all(folder, _walk(folder, 0), partial(_content, folder))
        if problems:
            raise LessonError(problems)
        contents = chapters | contents
    return load(origin=Origin.PACK), Pack(folder, _digest(folder, contents), Course((), ()))


def _digest(folder: Path, contents: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        inside = f"/{Path(name).relative_to(folder).as_posix()}".encode("utf-8", "surrogateescape")
        digest.update(b"%d %d " % (len(inside), len(content)) + inside + content)
    return digest.hexdigest()


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _inside(packs: Path) -> list[Path]:
    try:
        return [each for each in sorted(packs.iterdir()) if not each.name.startswith(".")]
    except OSError:
        return []


def _is_lesson(folder: Path, name: str) -> bool:
    inside = Path(name).relative_to(folder)
    is_yaml = len(inside.parts) == 2 and inside.suffix in (".yaml", ".yml")
    return is_yaml and not _is_hidden(inside)


def _is_hidden(inside: Path) -> bool:
    """Whether it is no part of the lessons, though their programs may read it."""
    return any(part.startswith(".") or part == "__pycache__" for part in inside.parts)


def _walk(folder: Path, depth: int) -> Iterator[Path | Problem | None]:
    """Yield the files below a folder, and None for each folder."""
    try:
        with os.scandir(folder) as entries:
            inside = sorted(Path(entry.path) for entry in itertools.islice(entries, MAX_FILES + 1))
    except OSError as error:
        yield problem(folder, AuthoringTexts.unreadable, why=error.strerror or str(error))
        return
    for path in inside:
        if path.is_dir() and not path.is_symlink():
            yield None
            if depth == MAX_DEPTH:
                yield problem(path, AuthoringTexts.too_deep, limit=MAX_DEPTH)
            else:
                yield from _walk(path, depth + 1)
        else:
            yield path


def _content(folder: Path, path: Path) -> bytes | Problem:
    # What git keeps is larger than any lesson, and counts among all bytes only.
    most = MAX_TOTAL_BYTES if _is_hidden(path.relative_to(folder)) else MAX_BYTES
    try:
        content = read_start(path, most, follow=False)  # a link may lead anywhere
    except OSError as error:
        if path.is_symlink():
            return problem(path, AuthoringTexts.link)
        if not path.is_file():
            return problem(path, AuthoringTexts.no_file)
        return problem(path, AuthoringTexts.unreadable, why=error.strerror or str(error))
    if len(content) > most:
        return problem(path, AuthoringTexts.file_large, limit=most)
    return content


def taken_ids(
    entries: Iterable[LoadedLesson | LoadedChallenge], beside: Course
) -> dict[str, Problem]:
    """Return the ids that something else has already, and so would hide, with what to say."""
    taken = {each.id: each.path for each in beside.lessons}
    taken |= {each.id: each.path for each in beside.challenges}
    return {each.id: id_taken(each, taken[each.id]) for each in entries if each.id in taken}


def _without_taken_ids(course: Course, beside: Course) -> Course:
    """Leave out what has the id of something that is there already."""
    taken = taken_ids((*course.lessons, *course.challenges), beside)
    chapters = []
    slugs = {each.slug for each in beside.checkpoints}
    for chapter in course.chapters:
        if chapter.slug in slugs:  # what is kept of a checkpoint is kept by its slug
            header = msgspec.structs.replace(chapter.chapter, checkpoint=None)
            chapter = replace(chapter, chapter=header)  # noqa: PLW2901
        lessons = tuple(each for each in chapter.lessons if each.lesson.id not in taken)
        if lessons or not chapter.lessons:
            chapters.append(replace(chapter, lessons=lessons))
    challenges = tuple(each for each in course.challenges if each.challenge.id not in taken)
    return Course(tuple(chapters), (*course.problems, *taken.values()), challenges)


def _joined(first: Course, second: Course) -> Course:
    return Course(
        (*first.chapters, *second.chapters),
        (*first.problems, *second.problems),
        (*first.challenges, *second.challenges),
    )


def untrusted(
    library: Library, loaded: LoadedLesson | LoadedChallenge, trusted: Iterable[str]
) -> Pack | None:
    """Return the pack that has to be trusted before this program may run."""
    pack = library.pack_of(loaded)
    return None if pack is None or pack.digest in set(trusted) else pack
