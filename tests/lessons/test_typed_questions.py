"""Numbers that are typed: read leniently, held against the run, told apart from the right ones."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.signals import AnswerGiven, Move, Moved
from inplace_tui.tutorial.activity.session.view import QuestionView
from inplace_tui.tutorial.course.lessons.kinds.typed import read_answer
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.drive.check import check_lessons
from support.playing import started

pytestmark = pytest.mark.asyncio(loop_scope="session")

LESSON = """schema: 1
id: typed
title: {en: a, zh: 一}
teaches: [a]
difficulty: 1
minutes: 4
code: |
  import torch
  x = torch.tensor([1., 2.], requires_grad=True)  #@ make
  y = x * 3                                       #@ y
  y.mul_(2)                                       #@ write
  y.sum().backward()                              #@ back
steps:
  - at: make
    ask:
      id: asked
      kind: typed
      prompt: {en: a, zh: 一}
      of: {tensor: x, facet: version}
      slips:
        - {answer: 7, why: {en: seven, zh: 七}}
      right: {en: right, zh: 对}
recap: {en: a, zh: 一}
"""


def lesson(at: str, of: str, slip: str = "7") -> LoadedLesson:
    text = LESSON.replace("at: make", f"at: {at}").replace("answer: 7", f"answer: {slip}")
    text = text.replace("{tensor: x, facet: version}", of)
    return load_lesson(text, "01-typed.yaml", origin=Origin.BUILT_IN)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ("1", "1"),
        (" １．５ ", "1.5"),
        ("［1， 2、3］", "1 2 3"),
        ("tensor([[1., 2.], [3., 4.]])", "1 2 3 4"),
        ("-1e-3", "-0.001"),
        ("−2", "-2"),
        ("none", "None"),
        ("NaN, inf", "nan inf"),
        ("x", None),
        ("1 + 2", None),
        ("", None),
        ("[]", None),
    ],
)
async def test_numbers_are_read_as_people_write_them(given: str, numbers: str | None) -> None:
    assert read_answer(given) == numbers


async def asked(worker: Worker, loaded: LoadedLesson, *given: str) -> QuestionView:
    runner = await started(loaded, worker, [])
    try:
        runner.send(Moved(Move.END))
        for each in given:
            runner.send(AnswerGiven(each))
        found = runner.session.view().question
        assert found is not None
        return found
    finally:
        await runner.close()


@pytest.mark.parametrize(
    ("at", "of", "given", "right"),
    [
        ("write", "{tensor: y, facet: version}", "1", True),
        ("write", "{tensor: y, facet: version}", "2", False),
        ("write", "{tensor: y, facet: values}", "[6, 12]", True),
        ("write", "{tensor: y, facet: values}", "6 13", False),
        ("write", "{tensor: y, facet: values}", "6", False),
        ("write", "{tensor: x, facet: grad}", "None", True),
        ("write", "{tensor: x, facet: grad}", "7", False),
        ("back", "{tensor: x, facet: grad}", "6,6", True),
        ("back", "{tensor: x, facet: grad}", "6", True),  # for each of them
        ("back", "{tensor: x, facet: grad}", "6.0004", True),
        ("back", "{tensor: x, facet: grad}", "6.01", False),
        ("back", "{tensor: x, facet: grad}", "None", False),
    ],
)
async def test_an_answer_is_held_against_the_run(
    worker: Worker, at: str, of: str, given: str, right: bool
) -> None:
    found = await asked(worker, lesson(at, of), given)

    assert found.status is (QuestionStatus.RIGHT if right else QuestionStatus.AGAIN)


async def test_a_slip_gets_its_reply_and_after_two_both_stand_beside_the_right_one(
    worker: Worker,
) -> None:
    loaded = lesson("write", "{tensor: y, facet: version}")

    once = await asked(worker, loaded, "7")
    twice = await asked(worker, loaded, "7", "0")

    assert once.feedback is not None
    assert twice.feedback is not None
    assert once.feedback["en"] == "seven"
    assert twice.feedback["en"].split("\n\n") == ["seven", "The right number is larger.", "right"]


@pytest.mark.parametrize(
    ("of", "slip", "said"),
    [
        ("{tensor: nobody, facet: grad}", "7", "`nobody.grad` can't be read after this line"),
        ("{tensor: y, facet: version}", "1", "this is the right answer"),
        ("{tensor: y, facet: values}", "[1, 2]", None),
    ],
)
async def test_what_the_run_can_not_answer_is_found(
    worker: Worker, of: str, slip: str, said: str | None
) -> None:
    problems = [
        problem.message["en"]
        async for checked in check_lessons([lesson("write", of, slip)], worker)
        for problem in checked.verified.problems
    ]

    assert problems == ([] if said is None else [said])
