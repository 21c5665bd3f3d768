"""Reads an assignment file, and takes from a course what it names."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import START, did_you_mean
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import Assignment, Chapter
from inplace_tui.tutorial.course.lessons import strict_yaml
from inplace_tui.tutorial.course.lessons.loader import read


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
    nothing = LocalText("")
    chapter = Chapter(schema=1, title=assignment.title, summary=nothing)
    listed = tuple(lessons[each] for each in assignment.lessons)
    asked = [each for each in course.checkpoints if each.slug in assignment.checkpoints]
    asked.sort(key=lambda each: assignment.checkpoints.index(each.slug))
    return Course(
        (
            LoadedChapter(chapter, "assignment", listed),
            *(replace(each, lessons=()) for each in asked),
        ),
        (),
        tuple(challenges[each] for each in assignment.challenges),
        course,
    )
