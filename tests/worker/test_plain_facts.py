"""Plain mode says what the screen shows: lessons played through both, and compared.

One process of the installed command plays all of them, one after the other. What
it must have printed comes from the views of sessions, which the screen shows.
`PLAIN=all`, as `make plain` has it, takes every lesson.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Kind, PanelName
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.progress import Record
from support.course import COURSE
from support.expected import Expected, expected
from support.plain import plain
from support.whole import WHOLE, sample

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("warm_torch")]

KINDS = {
    kind: [
        lesson
        for lesson in COURSE.lessons
        if any(step.ask and step.ask.kind is kind for step in lesson.lesson.steps)
    ]
    for kind in Kind
}
EVERY = 1 if os.environ.get("PLAIN") == "all" else 20
FIRST_OF_KINDS = [lessons[0] for lessons in KINDS.values() if lessons]


def chosen() -> list[LoadedLesson]:
    """Return the lessons to play in English: every twentieth, and every kind of question."""
    some = [*COURSE.lessons[::EVERY], *FIRST_OF_KINDS]
    return [lesson for lesson in COURSE.lessons if lesson in some]


def squeezed(text: str) -> str:
    """Return a text without the spaces that wrapping and columns put in."""
    return re.sub(r"\s+", "", text).lower()


def played(home: Path, lessons: list[Expected], language: str) -> list[str]:
    """Play the lessons in one process; return what was printed of each, all panels being known."""
    home.mkdir(exist_ok=True)
    (home / "progress.json").write_bytes(msgspec.json.encode(Record(panels=tuple(PanelName))))
    typed = "".join(
        "".join(f"{line}\n" for line in each.typed) + f"lesson {following.lesson.lesson.id}\n"
        for each, following in pairwise(lessons)
    )
    typed += "".join(f"{line}\n" for line in lessons[-1].typed) + "q\n"
    first = lessons[0].lesson.lesson.id
    done = plain(home, typed, "lesson", first, "--plain", "--lang", language)
    waited = done.stderr.splitlines()[1:]  # on a busy machine a run takes its time
    assert (done.returncode, set(waited) - {PlainTexts.running[language]}) == (0, set())
    heads = {"en": r"^Lesson \d+/\d+: ", "zh": r"^第 \d+/\d+ 课："}
    return re.split(f"(?m){heads[language]}", done.stdout)[1:]


def missing(each: Expected, page: str) -> list[str]:
    """Return what was not printed where it should have been."""
    parts = re.split(r"(?m)^(?=▸ +\d+  )", page)[1:]
    if len(parts) != len(each.steps):
        return [f"{each.lesson.lesson.id}: {len(parts)} lines, not {len(each.steps)}"]
    lost = [
        f"{each.lesson.lesson.id}: {fact!r} in {part!r}"
        for facts, part in zip(each.steps, parts, strict=True)
        for fact in facts
        if squeezed(fact) not in squeezed(part)
    ]
    rest = squeezed(page)
    lost += [
        f"{each.lesson.lesson.id}: {text!r}" for text in each.ending if squeezed(text) not in rest
    ]
    for text in each.asked:
        _, found, after = rest.partition(squeezed(text))
        if found:
            rest = after
        else:
            lost.append(f"{each.lesson.lesson.id}: {text!r}, asked or replied")
    return lost


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole(every=2)
async def test_the_facts_are_those_of_the_screen(
    worker: Worker, tmp_path: Path, language: str
) -> None:
    lessons = chosen() if language == "en" and WHOLE else sample(FIRST_OF_KINDS, 5)
    told = [await expected(lesson, worker, language) for lesson in lessons]

    pages = played(tmp_path, told, language)

    assert len(pages) == len(told)
    lost = [each for one, page in zip(told, pages, strict=True) for each in missing(one, page)]
    assert lost == [], "\n".join(lost)
