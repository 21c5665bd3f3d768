"""Shares what was recorded as a lesson: written by the rules, then run as `check` runs it."""

from __future__ import annotations

from inplace_tui.drive.check import check
from inplace_tui.engine.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.engine.problems import LessonError, Problem
from inplace_tui.model.program import Origin
from inplace_tui.runner.worker import Worker


async def proved(
    worker: Worker, text: str, path: str
) -> tuple[LoadedLesson | None, tuple[Problem, ...]]:
    """Load a lesson file that is not written yet, and run every claim in it.

    Args:
        worker: a started one.
        text: of the file.
        path: as problems will name it.

    Returns:
        The lesson, if it is one, and all that is wrong with it.
    """
    try:
        loaded = load_lesson(text, path, origin=Origin.PACK)
    except LessonError as refusal:
        return None, refusal.problems
    problems: list[Problem] = []
    async for checked in check([loaded], worker):
        problems += checked.verified.problems
    return loaded, tuple(problems)
