"""`check` finds what is not true of a lesson, and says where it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.run.program import Limits, Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.drive.check import check_lessons

pytestmark = pytest.mark.asyncio(loop_scope="session")

LESSON = """\
schema: 1
id: saved-output
title: {en: exp, zh: exp}
teaches: [saved-output]
difficulty: 2
minutes: 4
code: |
  import torch
  x = torch.ones(3, requires_grad=True)  #@ make
  y = x.exp()                            #@ exp
  y.add_(1)                              #@ mutate
  y.sum().backward()                     #@ back
steps:
  - at: exp
    expect: {tensors: {y: {version: 0, is_leaf: false}}, prints: ""}
  - at: back
    ask:
      id: will-it-run
      kind: outcome
      prompt: {en: runs, zh: 行}
      choices:
        - {id: right, when: {ends: right}, text: {en: a, zh: a}, why: {en: a, zh: a}}
        - {id: wrong, when: {ends: wrong}, text: {en: a, zh: a}, why: {en: a, zh: a}}
        - {id: raises, when: {ends: raises_in_backward}, text: {en: a, zh: a}, why: {en: a, zh: a}}
variants:
  - id: data
    title: {en: data, zh: data}
    swap: {mutate: "y.data.add_(1)"}
    expect: {ends: wrong, saved_by: exp}
recap: {en: end, zh: 完}
"""


async def problems(worker: Worker, text: str, limits: Limits | None = None) -> list[str]:
    """Return what `check` says of a lesson."""
    loaded = load_lesson(text, "l.yaml", origin=Origin.BUILT_IN)
    (checked,) = [each async for each in check_lessons([loaded], worker, limits=limits)]
    return [str(problem) for problem in checked.verified.problems]


async def test_a_true_lesson_has_no_problems(worker: Worker) -> None:
    loaded = load_lesson(LESSON, "l.yaml", origin=Origin.BUILT_IN)

    (checked,) = [each async for each in check_lessons([loaded], worker)]

    assert checked.verified.problems == ()
    assert (checked.verified.programs, checked.verified.claims) == (2, 5)


WRONG = [
    (
        "version: 0, is_leaf: false",
        "version: 1, is_leaf: true",
        [
            "l.yaml:15:28: y.version: claimed 1, seen 0",
            "l.yaml:15:40: y.is_leaf: claimed true, seen false",
        ],
    ),
    (
        "ends: wrong, saved_by: exp}",
        "ends: right, saved_by: make}",
        [
            "l.yaml:29:14: claimed that it runs, and every gradient is right; "
            "it runs, and a gradient is silently wrong: "
            "x got 3.7183 3.7183 3.7183, true is 2.7183 2.7183 2.7183",
            "l.yaml:29:27: claimed that it is saved by make; it is line 3",
        ],
    ),
    (
        "{ends: raises_in_backward}",
        "{ends: raises_before}",
        [
            "l.yaml:21:7: no choice's `when` is true: "
            "'right': claimed that it runs, and every gradient is right; it raises in backward, "
            "line 5: "
        ],
    ),
    (
        "{ends: right}",
        "{saved_by: exp}",
        ["l.yaml:24:24: the `when` of 2 choices is true: right, raises"],
    ),
    ("{ends: right}", "{}", ["l.yaml:22:23: claims nothing", "l.yaml:24:24: the `when` of 2"]),
    ("  - at: exp", "  - at: exp#2", ["l.yaml:14:5: the line of 'exp' was run 1 times, never for"]),
    ('"y.data.add_(1)"', '"y += 1"', ["l.yaml:28:5: the variant makes no difference", "l.yaml:29"]),
    ('"y.data.add_(1)"', '"import os; os._exit(3)"', ["l.yaml:28:5: the program did not come to"]),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG, ids=[each[1] for each in WRONG])
async def test_what_is_not_true_is_reported_where_it_stands(
    worker: Worker, old: str, new: str, said: list[str]
) -> None:
    assert old in LESSON

    found = await problems(worker, LESSON.replace(old, new))

    for expected, line in zip(said, found, strict=False):
        assert line.startswith(expected)
    assert len(found) >= len(said)


async def test_a_program_without_an_end_is_a_problem(worker: Worker) -> None:
    text = LESSON.replace("y.add_(1)       ", "while True: pass").replace("#@ mutate", "")
    text = text.replace("swap: {mutate:", "swap: {exp:")

    found = await problems(worker, text, Limits(seconds=0.3))

    said = "stopped after 0.3 s, while line 4 was running"
    assert found[0] == f"l.yaml:7:1: the program did not come to an end: {said}"


async def test_the_example_in_the_documentation_is_a_true_lesson(worker: Worker) -> None:
    page = Path(__file__).parents[2] / "docs" / "lesson-authoring.md"
    example = page.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]

    assert await problems(worker, example) == []


async def test_a_line_that_raises_may_stand_above_the_lines_that_call_it(worker: Worker) -> None:
    body = """\
  def backward(loss):
      loss.backward()                    #@ inner
"""
    text = LESSON.replace("  import torch\n", "  import torch\n" + body)
    text = text.replace(
        "y.sum().backward()                     #@ back", "backward(y.sum())  #@ back"
    )

    assert await problems(worker, text) == []


async def test_a_lesson_that_asks_nothing_is_a_problem(worker: Worker) -> None:
    head, _, rest = LESSON.partition("  - at: back\n")
    text = head + "variants" + rest.partition("variants")[2]

    said = "l.yaml:13:1: no question: a lesson asks one at least (`ask`)"
    assert await problems(worker, text) == [said]
