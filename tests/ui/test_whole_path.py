"""The first path, from a fresh home to its capstone, by one who is always wrong at first."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import QuestionView
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.uses import uses
from inplace_tui.tutorial.course.paths import learning_path
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.course import COURSE
from support.lent import Remembered
from support.screens import Stage, opened

SIZES = [(80, 24), (120, 40)]

PATH = learning_path(COURSE, "error")
assert PATH is not None


def test_the_capstone_needs_only_what_the_path_taught() -> None:
    assert PATH is not None
    assert PATH.challenge is not None
    taught = {*PATH.about.bridges, *(name for each in PATH.lessons for name in each.lesson.teaches)}

    assert {*PATH.challenge.challenge.needs} <= taught
    used = [*uses(PATH.challenge)]
    assert "detach()" in [each.what for each in used]
    assert [each for each in used if taught.isdisjoint(each.concepts)] == []


def question(stage: Stage) -> QuestionView:
    asked = stage.lesson.runner.session.view().question
    assert asked is not None
    return asked


async def to_question(stage: Stage) -> bool:
    """Go on to the next open question; whether there is one before the lesson's end."""
    await stage.ran()
    while not stage.lesson.view.awaits_answer:
        if stage.lesson.is_done:
            return False
        await stage.press("c")
    return True


async def looked_up(stage: Stage) -> dict[str, str]:
    """Return the right answer to each question of the lesson in front, by asking for it."""
    found = {}
    while await to_question(stage):
        await stage.press("A")
        await stage.until(lambda: question(stage).right is not None)
        asked = question(stage)
        found[asked.id] = asked.right or ""
        if isinstance(asked.answers, LinesView):
            [found[asked.id]] = (str(each.number) for each in asked.answers.lines)
    return found


def wrong_answer(asked: QuestionView, right: str, lines: int) -> str:
    match asked.answers:
        case ChoicesView(choices=choices):
            return next(each for each, _ in choices if each != right)
        case OrderView(lines=shown):
            orders = (" ".join(line.name for line in order) for order in (shown, shown[::-1]))
            return next(each for each in orders if each != right)
        case TypedView():
            return re.sub(r"\d+", lambda number: f"{int(number[0]) + 1}", right, count=1)
        case _:
            return next(str(each) for each in (lines, 1) if str(each) != right)


def has_second_try(asked: QuestionView) -> bool:
    """Of three choices, two would be left, which is no try."""
    return not (isinstance(asked.answers, ChoicesView) and len(asked.answers.choices) <= 3)


async def answer(stage: Stage, given: str) -> QuestionStatus:
    """Answer with the keys for choices; what is pointed at, put in order or typed, at once."""
    asked, page = question(stage), stage.lesson
    tried = len(asked.tried)
    if isinstance(asked.answers, ChoicesView):
        place = [each for each, _ in asked.answers.choices].index(given)
        await stage.press("abcdef"[place], "enter")
    else:
        page.runner.send(signals.AnswerGiven(given))
    await stage.until(lambda: len(question(stage).tried) > tried)
    await stage.until(lambda: question(stage).status is not QuestionStatus.CHECKING)
    return question(stage).status


def is_in_front(stage: Stage, lesson: str) -> bool:
    page = stage.app.page
    return isinstance(page, LessonScreen) and page.lesson.id == lesson


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def right(
    worker: Worker, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, str]]:
    """The right answers, by lesson and question: learned by somebody else who asked for them."""
    assert PATH is not None
    found = {}
    for each in PATH.ids:
        home, asked = tmp_path_factory.mktemp(each), Opening(screen="lesson", lesson=each)
        async with opened(asked, home, lessons=COURSE, worker=Remembered(worker)) as stage:
            await stage.until(partial(is_in_front, stage, each))
            found[each] = await looked_up(stage)
    return found


@pytest.mark.whole
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_always_wrong_then_right_leads_to_the_capstone(
    worker: Worker, right: dict[str, dict[str, str]], tmp_path: Path, size: tuple[int, int]
) -> None:
    assert PATH is not None
    assert PATH.challenge is not None
    async with opened(
        Opening(), tmp_path, size=size, lessons=COURSE, worker=Remembered(worker), guided=True
    ) as stage:
        await stage.press("c")
        for number, each in enumerate(PATH.ids, 1):
            await stage.until(partial(is_in_front, stage, each))
            assert f"{number}/{len(PATH.ids)}" in stage.lines[0]
            lines = len(stage.lesson.lesson.code.splitlines())
            answered = 0
            while await to_question(stage):
                good = right[each][question(stage).id]
                bad = wrong_answer(question(stage), good, lines)
                again = has_second_try(question(stage))
                first = QuestionStatus.AGAIN if again else QuestionStatus.WRONG
                assert await answer(stage, bad) is first
                if again:
                    assert await answer(stage, good) is QuestionStatus.RIGHT
                answered += 1
            assert answered == len(right[each]) > 0
            await stage.press("right_square_bracket")
        await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))
        assert PATH.challenge.challenge.title["en"] in stage.lines[0]
        assert stage.app.learner.finished.keys() >= {*PATH.ids}
