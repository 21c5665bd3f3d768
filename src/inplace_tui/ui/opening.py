"""What to show first, and in which language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_tui.engine.drill.wish import EVERYTHING, Wish
from inplace_tui.texts.challenges import TASK

if TYPE_CHECKING:
    from inplace_tui.ui.app import InplaceApp


@dataclass(frozen=True)
class Opening:
    """What to show first."""

    screen: str = "contents"
    """`contents`, `lesson`, `challenge`, `drill` or `sandbox`."""

    lesson: str | None = None
    """None resumes at the first one that is not done."""

    lesson_file: Path | None = None
    """Of a lesson in the built-in course, which is opened before that is read."""

    step: int | None = None
    """As people count: 1 is after the first line."""

    file: Path | None = None
    challenge: str | None = None
    """None is the first one that is not solved."""

    drill: Wish = EVERYTHING
    introduce: bool = False
    """Begin with the introduction, if the learner was never here before."""


RUN_FIRST = 5.0
"""Seconds that a lesson, opened by its name, has for its run before the course is read."""


async def open_alone(program: InplaceApp, opening: Opening) -> bool:
    """Open the lesson of a file; return whether there is one, once its run is over.

    Reading the course would take the time of torch, for which the learner waits.
    """
    from inplace_tui.drive.lessons import read_lesson  # noqa: PLC0415  # not for the first frame

    lesson = None if opening.lesson_file is None else read_lesson(opening.lesson_file)
    if lesson is not None:
        await program.show_lesson(lesson, opening.step).pause(RUN_FIRST)
    return lesson is not None


def open_first(program: InplaceApp, opening: Opening) -> None:
    """Open the lesson or the challenge that was asked for, once there is a course."""
    if opening.screen == "lesson":
        _open_lesson(program, opening)
    elif opening.screen == "challenge":
        _open_challenge(program, opening.challenge)
    elif opening.screen == "drill":
        program.open_drill(opening.drill)
    elif opening.introduce and program.learner.is_new:
        program.open_introduction()


def _open_lesson(program: InplaceApp, opening: Opening) -> None:
    catalogue, wanted = program.catalogue, opening.lesson
    if catalogue is None:
        return
    if wanted is None:
        if catalogue.suggested is not None:
            program.open_lesson(catalogue.suggested.lesson.id)
    elif catalogue.course.find(wanted) is None:
        program.note("unknown-lesson", lesson=wanted)
    else:
        program.open_lesson(wanted, step=opening.step)


def _open_challenge(program: InplaceApp, wanted: str | None) -> None:
    catalogue = program.catalogue
    if catalogue is None:
        return
    identity = catalogue.after_challenge() if wanted is None else wanted
    if identity is None:
        program.note("all-solved" if catalogue.course.challenges else "none", TASK)
    elif catalogue.course.find_challenge(identity) is None:
        program.note("unknown", TASK, id=identity)
    else:
        program.open_challenge(identity)
