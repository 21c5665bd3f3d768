"""The built-in lessons, where torch is read through Python alone: all they claim is seen there."""

from __future__ import annotations

import pytest

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.check import check_lessons
from support.course import COURSE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_the_first_lesson_claims_is_seen(asked: Worker) -> None:
    await all_is_seen(asked, COURSE.lessons[0])


@pytest.mark.parametrize("lesson", COURSE.lessons[1:], ids=lambda lesson: lesson.lesson.id)
@pytest.mark.whole
async def test_what_others_claim_is_seen(asked: Worker, lesson: LoadedLesson) -> None:
    await all_is_seen(asked, lesson)


async def all_is_seen(asked: Worker, lesson: LoadedLesson) -> None:
    (checked,) = [each async for each in check_lessons([lesson], asked)]

    assert [str(problem) for problem in checked.verified.problems] == []
