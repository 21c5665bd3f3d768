"""What is said after a drill: why it came out so, and where to read on."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.program import Limits
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.grammar import Drill
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, lesson_after
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY, Tag
from inplace_tui.tutorial.activity.session.signals import AnswerGiven
from inplace_tui.tutorial.drive.drill import record_drill
from inplace_tui.tutorial.present import playlist as words
from support.course import COURSE

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEAF = "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"


async def recorded(worker: Worker, body: str, *tags: Tag) -> RecordedDrill:
    """Run a program of somebody's own as if the grammar had made it."""
    drill = Drill(0, 1, f"import torch\n{LEAF}{body}", tags, Ending.RIGHT)
    found = await record_drill(worker, drill, Limits())
    assert found is not None
    return found


async def why(worker: Worker, body: str, language: str = "en") -> str:
    found = await recorded(worker, body)
    assert found.ending is Ending.RIGHT, found
    return " ".join(sentence.text for sentence in words.why(found, language))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("y = w + 1\ny.add_(1)\ny.sum().backward()\n", "no node had saved"),
        ("y = w * 1\n(w ** 2).sum().backward()\ny.data.add_(1)\n", "no node had saved"),
        ("y = w ** 2\nw.sum().backward()\nwith torch.no_grad():\n    w.add_(1)\n", "not come"),
        ("y = w.exp()\ny.sum().backward()\ny.data.zero_()\n", "was over by then"),
        ("y = w.relu()\ny.data.add_(2)\ny.sum().backward()\n", "does not depend on"),
        ("y = w.exp().sum()\ny.backward(retain_graph=True)\ny.backward()\n", "kept what it had"),
        ("y = (w + 1).sum()\ny.backward()\ny.backward()\n", "needs nothing that line 4 freed"),
        ("y = w + 1\ny = y * 2\ny.sum().backward()\n", "Nothing is written in place"),
    ],
)
async def test_why_a_write_did_no_harm(worker: Worker, body: str, said: str) -> None:
    assert said in await why(worker, body)


async def test_both_languages_quote_the_same_lines(worker: Worker) -> None:
    body = "y = w.relu()\ny.data.add_(2)\ny.sum().backward()\n"
    english, chinese = [await why(worker, body, language) for language in ("en", "zh")]

    assert "`y.data.add_(2)`" in english
    assert "`y.data.add_(2)`" in chinese
    assert "第 4 行" in chinese


async def test_what_is_told_names_torch_s_own_words(worker: Worker) -> None:
    found = await recorded(worker, "y = w.exp()\ny.add_(1)\ny.sum().backward()\n")
    session = found.session()
    for given in (Ending.RAISES_IN_BACKWARD, Sureness.GUESS):
        session.handle(AnswerGiven(given))
    asked = session.view().question
    assert asked is not None
    text = "\n".join(row.text for row in words.reply_rows(found, asked, None, 500, "en"))

    assert "right, by a guess" in text
    assert "Line 3 `y = w.exp()` saved y at version 0" in text
    assert "Line 4 `y.add_(1)` changed it to version 1" in text
    assert "is at version 1; expected version 0 instead" in text


async def test_the_lesson_is_that_of_what_went_wrong_else_of_what_it_was_about(
    worker: Worker,
) -> None:
    broken = await recorded(worker, "y = w.exp()\ny.add_(1)\ny.sum().backward()\n", Tag.CLONE)
    fine = await recorded(worker, "y = w.clone()\ny.add_(1)\ny.sum().backward()\n", Tag.CLONE)
    lessons = [lesson_after(each, COURSE) for each in (broken, fine)]

    assert [each and each.lesson.teaches for each in lessons] == [
        ["saved-output"],
        ["detach-clone"],
    ]


@pytest.mark.parametrize("tag", Tag)
async def test_a_lesson_teaches_what_every_program_is_about(tag: Tag) -> None:
    taught = {concept for each in COURSE.lessons for concept in each.lesson.teaches}

    assert taught & set(TAUGHT_BY[tag])
