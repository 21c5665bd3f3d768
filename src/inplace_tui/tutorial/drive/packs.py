"""Lessons from elsewhere: folders beside the built-in course, each known by what is in it.

A pack is read with one look at every file, so that what is hashed is what is
loaded and run. It can be listed before it is trusted, never run.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

import inplace_tui
from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_start, read_whole, replace_file
from inplace_tui.common.decodable import decodable
from inplace_tui.common.problems import LessonError, Problem, problem
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.course import PATHS, Course, id_taken, load_course
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson, load_lesson
from inplace_tui.tutorial.drive.lessons import (
    MAX_FILES,
    MAX_TOTAL_BYTES,
    LoadCourse,
    origin_of,
    read,
    read_all,
    read_course,
)

# Courses compiled once: what was made of lesson files, kept until one of them changes. The files
# are read each time, and decide: a compiled course is taken only if it was made of exactly these
# bytes, under these names, by this program. It is data, never code; what is damaged in it is found
# by its digest, and it is compiled again.

_MAKERS = (
    "common",
    "common/run",
    "common/texts",
    "tutorial/course",
    "tutorial/course/lessons",
    "tutorial/course/lessons/kinds",
)
"""Folders of what reads lesson files: after a change there, everything is compiled again."""


@dataclass(frozen=True)
class CourseCache:
    """A folder of compiled courses, one file for each folder of lessons. It need not exist."""

    folder: Path

    def load(
        self, files: Mapping[str, bytes], *, origin: Origin, taught: Iterable[str] = ()
    ) -> Course:
        """Return what `load_course` returns for these files."""
        known = sorted(taught)
        key = _key(files, origin, known)
        root = str(PurePosixPath(min(files, default="")).parent.parent)
        path = self.folder / f"course-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}"
        course = _kept(path, key)
        if course is None:
            course = load_course(files, origin=origin, taught=known)
            _keep(path, key, course)
        return course


def _key(files: Mapping[str, bytes], origin: Origin, taught: list[str]) -> bytes:
    digest = hashlib.sha256(f"{inplace_tui.__version__} {sys.hexversion} {origin}\n".encode())
    here = Path(inplace_tui.__file__).parent
    for name in _MAKERS:
        with os.scandir(here / name) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.endswith((".py", ".pyc", ".so")):
                    about = entry.stat()
                    digest.update(f"{entry.name} {about.st_size} {about.st_mtime_ns}\n".encode())
    for concept in taught:
        digest.update(f"{concept}\n".encode())
    for path, content in sorted(files.items()):
        digest.update(b"%d %d " % (len(os.fsencode(path)), len(content)))
        digest.update(os.fsencode(path) + content)
    return digest.digest()


def _kept(path: Path, key: bytes) -> Course | None:
    """Return the course that is kept, if it was made of these files and nothing of it is lost."""
    try:
        kept = read_whole(path, MAX_USER_FILE)
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    content = kept[2 * size :]
    if kept[: 2 * size] != key + hashlib.sha256(content).digest():
        return None
    try:
        return msgspec.msgpack.decode(content, type=decodable(Course))
    except (msgspec.DecodeError, RecursionError):
        return None


def _keep(path: Path, key: bytes, course: Course) -> None:
    """Keep a course where that can be done; nobody misses it where it can't."""
    # A path may have bytes that are no UTF-8; then there is nothing to keep it as.
    with suppress(OSError, UnicodeEncodeError, msgspec.EncodeError):
        content = msgspec.msgpack.encode(course)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, key + hashlib.sha256(content).digest() + content)


MAX_BYTES = 2**20
"""Of one file; what a lesson may have is less."""

MAX_DEPTH = 8
NOTHING = Course((), ())

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
    load: LoadCourse = load_course,
) -> Library:
    """Return the course, and below it what is wrong with any of it.

    `lessons` are used instead of everything else: a pack, unless it is the built-in folder. They
    are not cached: their author is at work on them. `one_more` is a pack beside the others.
    """
    if lessons is not None and not _same(lessons, built_in):
        known = read_course(built_in, origin=Origin.BUILT_IN, load=load)
        pack = read_pack(lessons, taught=known.taught)
        return Library(pack.course, (pack,))
    course = read_course(lessons or built_in, origin=Origin.BUILT_IN, load=load)
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
        pack = read_pack(place, beside=course, load=load)
        if pack.course == NOTHING:
            is_chapter = (place / "chapter.yaml").exists()
            text = AuthoringTexts.bare_chapter if is_chapter else AuthoringTexts.no_chapters
            problems.append(problem(place, text, folder=place.name))
        course = _joined(course, pack.course)
        found.append(pack)
    return Library(replace(course, problems=(*course.problems, *problems)), tuple(found))


def own_library(lessons: Path | None, one_more: Path | None) -> Library:
    """Return the lessons of whoever sits here, compiled where they have not changed."""
    own, load = paths.packs(), CourseCache(paths.cache()).load
    return read_library(lessons, paths.built_in_lessons(), own, one_more=one_more, load=load)


def read_pack(
    folder: Path,
    *,
    beside: Course = NOTHING,
    taught: Iterable[str] = (),
    load: LoadCourse = load_course,
) -> Pack:
    """Return a pack. One that can't be read as a whole has problems, and no lessons.

    What the course `beside` it teaches may be required, and the ids that it has are taken.
    """
    contents, problems = read_all(folder, _walk(folder, 0), partial(_content, folder))
    digest = _digest(folder, contents)
    if problems:
        return Pack(folder, digest, Course((), tuple(problems)))
    inside = {name: Path(name).relative_to(folder) for name in contents}
    wanted = {name: contents[name] for name, path in inside.items() if _is_lesson_file(path)}
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
    return load(origin=Origin.PACK), Pack(folder, _digest(folder, contents), NOTHING)


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


def _is_lesson_file(inside: Path) -> bool:
    is_below = len(inside.parts) == 2 and inside.suffix in (".yaml", ".yml")
    return (is_below or inside.parts == (PATHS,)) and not _is_hidden(inside)


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
    return Course(
        tuple(chapters),
        (*course.problems, *taken.values()),
        challenges,
        paths=tuple(each for each in course.paths if each.id not in beside.path_ids),
    )


def _joined(first: Course, second: Course) -> Course:
    return Course(
        (*first.chapters, *second.chapters),
        (*first.problems, *second.problems),
        (*first.challenges, *second.challenges),
        paths=(*first.paths, *second.paths),
    )


def untrusted(
    library: Library, loaded: LoadedLesson | LoadedChallenge, trusted: Iterable[str]
) -> Pack | None:
    """Return the pack that has to be trusted before this program may run."""
    pack = library.pack_of(loaded)
    return None if pack is None or pack.digest in set(trusted) else pack
