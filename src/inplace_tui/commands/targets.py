"""What a command line names: a lesson, one of its variants, a file of one's own."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

from inplace_tui import paths
from inplace_tui.commands.spoken import Refusal
from inplace_tui.drive.lessons import read, read_lesson
from inplace_tui.drive.packs import Library, Pack, read_library
from inplace_tui.engine.course.course import Course
from inplace_tui.engine.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.engine.lessons.strict_yaml import decode
from inplace_tui.engine.problems import LessonError, did_you_mean
from inplace_tui.model.program import Limits, Program
from inplace_tui.reading import whole
from inplace_tui.texts.command import ErrorTexts

FILE_SECONDS = 60.0
MOST_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Target:
    """A program to run, and where it comes from."""

    program: Program
    limits: Limits
    lesson: LoadedLesson | None = None
    variant: str | None = None
    pack: Pack | None = None
    """The pack that must be trusted before the program runs."""

    @property
    def watch(self) -> tuple[str, ...]:
        """Names that stand first in tables."""
        return () if self.lesson is None else tuple(self.lesson.lesson.watch)


def library_in(folder: Path | None) -> Library:
    """Return the lessons to use: those of a folder, else the built-in ones and packs.

    Raises:
        Refusal: there is not one lesson in it.
    """
    library = read_library(folder, paths.built_in_lessons(), paths.packs())
    course = library.course
    if not (course.lessons or course.challenges or course.problems):
        raise Refusal(ErrorTexts.no_lessons, folder=folder or paths.built_in_lessons())
    return library


def course_in(folder: Path | None) -> Course:
    """Return the course to use.

    Raises:
        Refusal: there is not one lesson in it.
    """
    return library_in(folder).course


def lesson_called(name: str, course: Course) -> LoadedLesson:
    """Return a lesson.

    Raises:
        Refusal: there is none with that id.
    """
    found = course.find(name)
    if found is None and course.find_challenge(name) is not None:
        raise Refusal(ErrorTexts.is_challenge, id=name)
    if found is None:
        ids = [each.lesson.id for each in course.lessons]
        raise Refusal(ErrorTexts.no_lesson, id=name, hint=did_you_mean(name, ids))
    return found


def built_in_lesson(name: str, lessons: Path | None) -> LoadedLesson | None:
    """Return a lesson that came with the program, read alone; None where that can't be."""
    if lessons is not None:
        return None
    files = paths.lesson_files(paths.built_in_lessons(), name)
    return read_lesson(files[0]) if len(files) == 1 else None


def target(
    name: str,
    *,
    lessons: Path | None,
    variant: str | None,
    arguments: tuple[str, ...],
    seconds: float | None,
) -> Target:
    """Return what `run NAME` means: a file if there is one, else a lesson.

    Raises:
        Refusal: it is neither, or it can't be read.
        LessonError: a lesson file that is not in order.
    """
    path = Path(name)
    is_lesson_file = path.suffix in (".yaml", ".yml")
    if path.is_file() and not is_lesson_file:
        if variant is not None:
            raise Refusal(ErrorTexts.variant_of_file)
        limits = Limits(seconds=seconds or FILE_SECONDS)
        return Target(program_in(path, arguments), limits)
    if arguments:
        raise Refusal(ErrorTexts.arguments_of_lesson)
    if is_lesson_file:  # named by its path, as a program would be
        loaded, pack = _lesson_file(path), None
    else:
        loaded, pack = _lesson_or_nothing(name, lessons)
    known = [each.id for each in loaded.lesson.variants]
    if variant is not None and variant not in known:
        hint = did_you_mean(variant, known)
        raise Refusal(ErrorTexts.no_variant, id=loaded.lesson.id, name=variant, hint=hint)
    limits = Limits() if seconds is None else Limits(seconds=seconds)
    return Target(loaded.program(variant), limits, loaded, variant, pack)


def _lesson_or_nothing(name: str, lessons: Path | None) -> tuple[LoadedLesson, Pack | None]:
    path = Path(name)
    if path.suffix or len(path.parts) > 1 or path.is_dir():
        why = "is a folder" if path.is_dir() else "no such file"
        raise Refusal(ErrorTexts.cannot_read, path=name, why=why)
    library = library_in(lessons)
    course = library.course
    found = course.find(name)
    if found is None:
        # A lesson with a mistake in it is not in the course; its mistakes are better
        # news than that it does not exist.
        broken = [each for each in course.problems if Path(each.path).stem.endswith(f"-{name}")]
        if broken:
            raise LessonError(broken)
        ids = [each.lesson.id for each in course.lessons]
        raise Refusal(ErrorTexts.no_target, name=name, hint=did_you_mean(name, ids))
    return found, library.pack_of(found.path)


def _lesson_file(path: Path) -> LoadedLesson:
    try:
        content = read(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    return load_lesson(decode(content, path.as_posix()), path.as_posix())


def program_in(path: Path, arguments: tuple[str, ...]) -> Program:
    """Return a file as `python FILE` would run it.

    Raises:
        Refusal: it can't be read.
    """
    try:
        content = whole(path, MOST_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error
    absolute = path.absolute()
    return program_of(content, str(absolute), str(absolute.parent), arguments)


def program_of(content: bytes, filename: str, folder: str, arguments: tuple[str, ...]) -> Program:
    """Return a program that was read from somewhere.

    Args:
        content: its bytes.
        filename: what tracebacks say.
        folder: put first on `sys.path`.
        arguments: `sys.argv[1:]`.
    """
    return Program(
        source=_decoded(content),
        filename=filename,
        arguments=arguments,
        folder=folder,
        seed=None,
    )


def _decoded(content: bytes) -> str:
    """Decode as Python does; what it can't decode is a SyntaxError when it runs."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, LookupError, UnicodeError):
        # `coding: rot13` is a codec, and none of text's.
        return content.decode("utf-8", errors="surrogateescape")


def _unreadable(path: Path, error: OSError) -> Refusal:
    return Refusal(ErrorTexts.cannot_read, path=path, why=error.strerror or error)
