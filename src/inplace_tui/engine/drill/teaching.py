"""Which lesson to read after a drill."""

from __future__ import annotations

from inplace_tui.engine.blame.classify import verdict_of_run
from inplace_tui.engine.blame.find_blame import find_blame
from inplace_tui.engine.course import lesson_finder
from inplace_tui.engine.course.course import Course
from inplace_tui.engine.drill.round import Settled
from inplace_tui.engine.drill.tags import TAUGHT_BY
from inplace_tui.engine.lessons.loader import LoadedLesson


def lesson_after(settled: Settled, course: Course) -> LoadedLesson | None:
    """Return the lesson about what went wrong; else about what the program looked like."""
    timeline, truth = settled.timeline, settled.truth
    found = find_blame(timeline, truth, source=settled.drill.source)
    about = lesson_finder.lesson_about(verdict_of_run(timeline, truth), found, course)
    if about is not None:
        return about
    tags = [tag for tag in TAUGHT_BY if tag in settled.drill.tags]
    wanted = [concept for tag in tags for concept in TAUGHT_BY[tag]]
    return next(
        (each for concept in wanted if (each := lesson_finder.first_teaching(concept, course))),
        None,
    )
