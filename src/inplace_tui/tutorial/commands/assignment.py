"""The command `assignment`: what a class was given, read from a file and taken from a course."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import click

from inplace_tui.common.atomic_files import read_start
from inplace_tui.common.command.output import print_lines
from inplace_tui.common.command.parser import (
    CommandError,
    all_of,
    localized_command,
    option,
    refusing,
)
from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.problems import START, LessonError, did_you_mean
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts import say
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.tutorial.commands.library import load_library
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import MAX_BYTES, Assignment, Chapter
from inplace_tui.tutorial.course.lessons import strict_yaml
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, read
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening


@localized_command("assignment", HelpTexts.assignment)
@option("--drill", text=HelpTexts.assigned_drill, type=click.IntRange(min=1), metavar="N")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def assignment_command(settings: Settings, file: Path, *, drill: int | None) -> int:
    worker = start_worker(settings)
    settings.one_more, settings.lessons = settings.lessons, None
    course = load_library(None, settings.one_more).course
    assignment = read_assignment(file, course)
    settings.course_filter = lambda course: assigned(course, assignment)
    drills = assigned_drills(assignment)
    if drill is not None and drill > len(drills):
        raise CommandError(ErrorTexts.no_such_drill, number=drill, count=len(drills))
    chosen = None if drill is None else drills[drill - 1]
    if is_plain(settings):
        return _on_lines(settings, file, assignment, course, chosen)
    opening = Opening(drills=drills)
    if chosen is not None:
        opening = Opening(screen="drill", drill=chosen, drills=drills)
    return open_screen(settings, opening, worker)


def assigned_drills(assignment: Assignment) -> tuple[DrillOptions, ...]:
    return tuple(
        DrillOptions(seed=each.seed, level=each.level, count=each.count, kept=True)
        for each in assignment.drills
    )


def _on_lines(
    settings: Settings,
    file: Path,
    assignment: Assignment,
    known: Course,
    drill: DrillOptions | None,
) -> int:
    """Ask one of the drills, else say how the others are asked, and list the lessons."""
    from inplace_tui.tutorial.commands.plain import course  # noqa: PLC0415  # only this needs it
    from inplace_tui.tutorial.commands.plain import playlist as drills  # noqa: PLC0415  # only this needs it

    if drill is not None:
        return drills.drill(settings, drill)
    language = settings.language
    for slug in assignment.checkpoints:
        line = _command_line(settings, known.find_chapter(slug), "checkpoint", slug)
        print_lines([say(CommandTexts.assigned_checkpoint, language, command=line)])
    for identity in assignment.challenges:
        line = _command_line(settings, known.find_challenge(identity), "challenge", identity)
        print_lines([say(CommandTexts.assigned_challenge, language, command=line)])
    for number, _ in enumerate(assignment.drills, 1):
        line = _command_line(settings, None, "assignment", str(file), "--drill", str(number))
        print_lines([say(CommandTexts.assigned_drill, language, command=line)])
    return course.contents(settings) if assignment.lessons else 0


def _command_line(
    settings: Settings, item: LoadedChapter | LoadedChallenge | None, *words: str
) -> str:
    """Return what to type for the same thing, on lines again where that was asked for."""
    is_built_in = item is not None and item.origin is Origin.BUILT_IN
    pack = None if is_built_in else settings.one_more
    options = [] if pack is None else ["--lessons", str(pack)]
    return shlex.join(["inplace-tui", *words, *options, *(["--plain"] if settings.plain else [])])


def read_assignment(path: Path, course: Course) -> Assignment:
    with refusing(path):
        content = read_start(path, MAX_BYTES)
    try:
        return load_assignment(content, path.as_posix(), course)
    except LessonError as error:
        raise all_of(in_each(problem.text) for problem in error.problems) from error


def load_assignment(content: bytes, path: str, course: Course) -> Assignment:
    """Return the assignment in a file.

    Raises:
        LessonError: not YAML, no assignment, or it names what the course does not have. It
            names every offending line.
    """
    file = read(content, path, Assignment)
    root, assignment, problems = file.root, file.content, file.problems
    if assignment is not None:
        lessons = [each.id for each in course.lessons]
        challenges = [each.id for each in course.challenges]
        checkpoints = [each.slug for each in course.checkpoints]
        for key, named, known, unknown in (
            ("lessons", assignment.lessons, lessons, AuthoringTexts.unknown_lesson),
            ("checkpoints", assignment.checkpoints, checkpoints, AuthoringTexts.unknown_checkpoint),
            ("challenges", assignment.challenges, challenges, AuthoringTexts.unknown_challenge),
        ):
            for index, identity in enumerate(named):
                at = strict_yaml.position(root, key, index)
                if identity not in known:
                    problems.add(at, unknown, id=identity, hint=did_you_mean(identity, known))
                elif identity in named[:index]:
                    problems.add(at, AuthoringTexts.assigned_twice, id=identity)
        given = (assignment.lessons, assignment.checkpoints, assignment.challenges)
        if not (any(given) or assignment.drills):
            problems.add(START, AuthoringTexts.assignment_empty)
    return file.checked()


def assigned(course: Course, assignment: Assignment) -> Course:
    """Return what of a course is assigned, in the order of the assignment.

    The lessons are one chapter; a checkpoint stands below the title of its own.
    """
    lessons = {each.lesson.id: each for each in course.lessons}
    challenges = {each.challenge.id: each for each in course.challenges}
    chapter = Chapter(schema=1, title=assignment.title, summary=LocalText(""))
    listed = tuple(lessons[each] for each in assignment.lessons)
    checkpoints = {each.slug: replace(each, lessons=()) for each in course.checkpoints}
    asked = [checkpoints[slug] for slug in assignment.checkpoints]
    chapters = (LoadedChapter(chapter, "assignment", listed), *asked)
    return Course(chapters, (), tuple(challenges[each] for each in assignment.challenges), course)
