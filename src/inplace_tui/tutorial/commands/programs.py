"""The program that a command line names: of a lesson, one of its variants, a file; may it run?"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.common import paths
from inplace_tui.common.command.output import echo, print_message
from inplace_tui.common.command.parser import CommandError, refusing
from inplace_tui.common.command.programs import program_in
from inplace_tui.common.confinement import offered
from inplace_tui.common.local_text import in_each
from inplace_tui.common.problems import LessonError, did_you_mean
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.common.texts.packs import TrustTexts
from inplace_tui.common.trust import Trust, question
from inplace_tui.diagnosis.drive.runs import run_and_verify
from inplace_tui.tutorial.commands.library import find_lesson, load_course, load_library
from inplace_tui.tutorial.course.lessons.anchors import place_in_order
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, find_visit
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.lessons import read_lesson
from inplace_tui.tutorial.drive.packs import Pack, read_file
from inplace_tui.tutorial.settings import Settings

FILE_SECONDS = 60.0
YES = ("y", "yes", "是")


@dataclass(frozen=True)
class NamedProgram:
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


def find_program(
    name: str,
    *,
    lessons: Path | None,
    variant: str | None = None,
    arguments: tuple[str, ...] = (),
    seconds: float | None = None,
) -> NamedProgram:
    """Return what `run NAME` means: a file if there is one, else a lesson.

    Raises:
        CommandError: it is neither, or it can't be read.
        LessonError: a lesson file that is not in order.
    """
    path = Path(name)
    is_lesson_file = path.suffix in (".yaml", ".yml")
    if path.is_file() and not is_lesson_file:
        if variant is not None:
            raise CommandError(ErrorTexts.variant_of_file)
        limits = Limits(seconds=seconds or FILE_SECONDS)
        return NamedProgram(program_in(path, arguments), limits)
    if arguments:
        raise CommandError(ErrorTexts.arguments_of_lesson)
    if is_lesson_file:  # named by its path, as a program would be
        with refusing(path):
            loaded, pack = read_file(path)
    else:
        loaded, pack = _lesson_or_nothing(name, lessons)
    known = [each.id for each in loaded.lesson.variants]
    if variant is not None and variant not in known:
        hint = did_you_mean(variant, known)
        raise CommandError(ErrorTexts.no_variant, id=loaded.lesson.id, name=variant, hint=hint)
    limits = Limits() if seconds is None else Limits(seconds=seconds)
    return NamedProgram(loaded.program(variant), limits, loaded, variant, pack)


def _lesson_or_nothing(name: str, lessons: Path | None) -> tuple[LoadedLesson, Pack | None]:
    path = Path(name)
    if path.suffix or len(path.parts) > 1 or path.is_dir():
        why = ErrorTexts.is_folder if path.is_dir() else ErrorTexts.no_file
        raise CommandError(ErrorTexts.cannot_read, path=name, why=why)
    library = load_library(lessons)
    course = library.course
    found = course.find(name)
    if found is None:
        # A lesson with a mistake in it is not in the course; its mistakes are better
        # news than that it does not exist.
        broken = [each for each in course.problems if Path(each.path).stem.endswith(f"-{name}")]
        if broken:
            raise LessonError(broken)
        ids = [each.lesson.id for each in course.lessons]
        raise CommandError(ErrorTexts.no_target, name=name, hint=did_you_mean(name, ids))
    return found, library.pack_of(found)


def lesson_and_step(settings: Settings, name: str | None) -> tuple[str | None, int | None]:
    """Return the lesson's id and the number of the step in `ID@STEP`."""
    if name is None:
        return None, None
    identity, _, step = name.partition("@")
    own = settings.lessons is not None
    files = [] if own else paths.lesson_files(paths.built_in_lessons(), identity)
    loaded = read_lesson(files[0]) if len(files) == 1 else None  # which came with the program
    loaded = loaded or find_lesson(identity, load_course(settings.lessons))
    identity = loaded.lesson.id
    if not step or step.isdecimal():
        return identity, int(step) if step else None
    anchor = step.removesuffix("#1")
    if anchor.partition("#")[0] not in loaded.anchors:
        example = next(iter(loaded.anchors), "1")
        raise CommandError(ErrorTexts.no_step, name=step, id=identity, example=example)
    if anchor in loaded.anchors:
        ordinal = place_in_order(loaded.code, loaded.anchors[anchor])
        if ordinal is not None:
            return identity, ordinal + 1
    wanted = find_program(identity, lessons=settings.lessons)
    require_trust(wanted.pack, settings)
    print_message(say(CommandTexts.loading, settings.language))
    timeline, truth = asyncio.run(run_and_verify(wanted.program, wanted.limits, once=True))
    found = find_visit(FinishedRun(timeline, truth, loaded.anchors), step)
    return identity, None if found is None else found.index + 1


def require_trust(pack: Pack | None, settings: Settings) -> None:
    """Return if a program of this pack may run; None is the built-in course."""
    if pack is None:
        return
    trust = Trust(paths.trust_file())
    trusted = pack.digest in trust.digests
    if not trusted and (settings.trust or _confirmed(pack, settings.language)):
        trust.add(pack.digest, pack.folder)
        trusted = True
    if trust.notice is not None:
        print_message(trust.notice[settings.language])
    if not trusted:
        raise untrusted(pack)


def untrusted(pack: Pack | None) -> CommandError:
    assert pack is not None, "what came with the program is trusted"
    can = offered()
    asked = in_each(lambda language: question(str(pack.folder), can, language))
    return CommandError(ErrorTexts.untrusted, question=asked)


def _confirmed(pack: Pack, language: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print_message(question(str(pack.folder), offered(), language))
    echo(say(TrustTexts.prompt, language), err=True, nl=False)
    return sys.stdin.readline().strip().lower() in YES
