"""Whole lessons on the screen, line by line: no panel moves, no sentence stands there twice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from textual.geometry import Region

from inplace_tui.common.language import LANGUAGES
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    Move,
    Moved,
    Restarted,
)
from inplace_tui.tutorial.course.lesson import Question
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import PANELS
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea
from support.course import COURSE
from support.lent import Remembered
from support.screens import Stage, course, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES = (80, 24), (120, 40), (200, 60)
CARDS = {"question", "recap"}
LESSONS = pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda each: each.lesson.id)

PROSE = {"narration", "question", "recap", "why"}
"""Panels that are read as a text: none says a thing twice. Rows of others may be alike."""

SAYING = {*PROSE, "state", "output"}
QUOTING = {"timeline"}
"""Its rows are the lines of the program, as they stand in the code."""

ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|   +")
LONG = {"en": 20, "zh": 10}
"""Characters from which on it is a sentence: `y = 3.` and `line 4` may well be there twice."""


@dataclass(frozen=True)
class Stop:
    """What is on the screen at one step."""

    place: str
    regions: dict[str, Region]
    texts: dict[str, str]
    """By panel, all that it has to say."""


async def walk(
    lesson: LoadedLesson,
    worker: Worker,
    home: Path,
    language: str,
    others: Sequence[LoadedLesson] = (),
) -> AsyncIterator[Stop]:
    """Go through a lesson from its first step to its last, at one size after the other.

    With `others` after it in the course, the learner is new, and is guided.
    """
    async with opened(
        Opening(screen="lesson", lesson=lesson.lesson.id),
        home,
        size=SIZES[0],
        language=language,
        lessons=course([lesson, *others]),
        worker=Remembered(worker),
        guided=bool(others),
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        for size in SIZES:
            await stage.pilot.resize_terminal(*size)
            stage.lesson.runner.send(Moved(Move.START))
            moves = True
            while moves:
                await stage.pilot.pause()
                yield stop(stage, f"{lesson.lesson.id} {size[0]}x{size[1]}")
                moves = await goes_on(stage)


async def walk_with_answers(
    lesson: LoadedLesson, worker: Worker, home: Path, language: str
) -> AsyncIterator[Stop]:
    """Give every answer to every question, where all panels are seen; stop at each reply."""
    questions = [step.ask for step in lesson.lesson.steps if step.ask is not None]
    left = {each.id: answers(each, lesson.anchored) for each in questions}
    async with opened(
        Opening(screen="lesson", lesson=lesson.lesson.id),
        home,
        size=SIZES[-1],
        language=language,
        lessons=course([lesson]),
        worker=Remembered(worker),
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        session = stage.lesson.runner.session
        while any(left.values()):
            stage.lesson.runner.send(Restarted())
            await stage.ran()
            moves = True
            while moves:
                now = session.view()
                asked = now.question
                if asked is None or not now.awaits_answer or not left[asked.id]:
                    moves = await goes_on(stage)
                    continue
                answer = left[asked.id].pop()
                stage.lesson.runner.send(AnswerGiven(answer))
                await stage.until(partial(is_answered, session, len(asked.tried)))
                yield stop(stage, f"{lesson.lesson.id} {asked.id}: {answer}")


def is_answered(session: Session, tries: int) -> bool:
    """Whether there is a reply to one more than these tries."""
    asked = session.view().question
    assert asked is not None
    return len(asked.tried) > tries and asked.status is not QuestionStatus.CHECKING


def answers(asked: Question, anchored: AnchoredCode) -> list[str]:
    """Return what may be answered: all choices, and a line or an order that is none.

    Of what is typed, the wrong answers that have a reply of their own.
    """
    if asked.slips:
        return [re.sub(r"[][]", "", str(each.answer)) for each in asked.slips]
    if asked.lines:
        return [" ".join(asked.lines), " ".join(reversed(asked.lines))]
    places = [each.at for each in asked.choices if each.at is not None]
    lines = [str(anchored.spans[place.partition("#")[0]].first) for place in places]
    return ["1", *lines] if lines else [each.id for each in asked.choices]


async def goes_on(stage: Stage) -> bool:
    """Give up a question, else step on; whether that led anywhere."""
    page = stage.lesson
    before = page.runner.session.view()
    if before.awaits_answer:
        page.runner.send(AnswerRequested())
        await stage.until(lambda: not page.runner.session.view().awaits_answer)
        return True
    page.runner.send(Moved(Move.NEXT))
    after = page.runner.session.view()
    return (before.cursor, before.question) != (after.cursor, after.question)


def stop(stage: Stage, place: str) -> Stop:
    regions = {
        child.id: child.region
        for child in stage.lesson.query_one(PanelArea).children
        if child.display and child.id is not None
    }
    panels = [panel for panel in stage.lesson.panels if panel.id in regions]
    return Stop(
        f"{place} step {stage.lesson.view.cursor + 1}",
        regions,
        {
            str(panel.id): "\n".join(row.text for row in panel.rows)
            for panel in panels
            if panel.id not in QUOTING
        },
    )


@LESSONS
@pytest.mark.whole(every=150)
async def test_what_is_seen_stays_where_it_is_from_step_to_step(
    worker: Worker, tmp_path: Path, lesson: LoadedLesson
) -> None:
    await assert_steady(walk(lesson, worker, tmp_path, "en"))


@pytest.mark.whole
async def test_a_newcomer_sees_panels_come_but_none_go(worker: Worker, tmp_path: Path) -> None:
    """A panel comes with the first thing that it has to show; until the next, all stay."""
    naming = [each for each in COURSE.lessons if each.lesson.panels]
    places: dict[tuple[str, frozenset[str]], dict[str, Region]] = {}
    before: dict[str, frozenset[str]] = {}

    async for each in walk(COURSE.lessons[0], worker, tmp_path, "en", naming):
        size = each.place.partition(" step")[0]
        seen = frozenset(each.regions) - CARDS
        if not CARDS & each.regions.keys():
            assert places.setdefault((size, seen), each.regions) == each.regions, each.place
            assert seen >= before.get(size, frozenset()), each.place
            before[size] = seen

    assert len(naming) >= 4
    assert len(before) == len(SIZES)
    assert len(places) > len(SIZES), "some came on the way"
    for seen in before.values():
        assert seen & {*PANELS} <= {"state", "why"}


async def assert_steady(stops: AsyncIterator[Stop]) -> dict[str, frozenset[str]]:
    """Return what is seen at each size but for cards, after all stops were looked at."""
    places: defaultdict[str, dict[str, set[Region]]] = defaultdict(lambda: defaultdict(set))
    seen: defaultdict[str, set[frozenset[str]]] = defaultdict(set)

    async for each in stops:
        size = each.place.partition(" step")[0]
        for name, region in each.regions.items():
            places[size]["card" if name in CARDS else name].add(region)
        seen[size].add(frozenset(each.regions))

    for size, found in places.items():
        assert {name: at for name, at in found.items() if len(at) > 1} == {}, size
        without = [names for names in seen[size] if not names & CARDS]
        assert len(without) == 1, f"{size}: panels came and went"
        assert all(names - CARDS <= without[0] for names in seen[size]), size
    return {size: frozenset().union(*names) - CARDS for size, names in seen.items()}


@pytest.mark.parametrize(
    ("lesson", "language"),
    [(each, LANGUAGES[place % len(LANGUAGES)]) for place, each in enumerate(COURSE.lessons)],
    ids=lambda each: each if isinstance(each, str) else each.lesson.id,
)
@pytest.mark.whole
async def test_no_sentence_stands_twice_on_the_screen(
    worker: Worker, tmp_path: Path, lesson: LoadedLesson, language: str
) -> None:
    found = {}
    walks = (walk, walk_with_answers)
    for each in [stop for go in walks async for stop in go(lesson, worker, tmp_path, language)]:
        places: defaultdict[str, list[str]] = defaultdict(list)
        for panel, text in each.texts.items():
            said = sentences(text, language)
            for sentence in said if panel in PROSE else {*said}:
                places[sentence].append(panel)
            for phrase in {*phrases(text, language)} if panel in SAYING else ():
                places[f"… {phrase} …"].append(panel)
        twice = {sentence: names for sentence, names in places.items() if len(names) > 1}
        if twice:
            found[each.place] = twice

    assert found == {}


async def test_what_stands_twice_is_found_however_it_is_wrapped() -> None:
    one = "No leaf was written.\nThe value of y that exp\nsaved was changed by line 3."
    other = "Because the value of y\nthat exp saved was changed."

    assert sentences(one, "en") == [
        "No leaf was written.",
        "The value of y that exp saved was changed by line 3.",
    ]
    assert {*phrases(one, "en")} & {*phrases(other, "en")}
    assert not {*sentences(one, "en")} & {*sentences(other, "en")}
    assert sentences("保存的值后来被第 3\n行改写。不长。", "zh") == ["保存的值后来被第 3行改写。"]
    assert {*phrases("它所保存的那个数值后来被改写", "zh")} & {
        *phrases("因为它所保存的那个数值后来\n被改写了", "zh")
    }


def sentences(text: str, language: str) -> list[str]:
    """Return what a panel says, without how it is wrapped; short pieces are no sentences."""
    unwrapped = ("" if language == "zh" else " ").join(line.strip() for line in text.split("\n"))
    pieces = (piece.strip() for piece in ENDS.split(unwrapped))
    return [piece for piece in pieces if len(piece) >= LONG[language]]


def phrases(text: str, language: str) -> set[str]:
    """Return all that is said in so many words in a row; in Chinese, in so many characters.

    A message of PyTorch that a question quotes stands in the output, too.
    """
    text = re.sub("“[^”]*”", "“”", text)
    if language == "zh":
        runs = re.findall(r"[\u4e00-\u9fff，、]+", re.sub(r"\s", "", text))
        return {run[at : at + 12] for run in runs for at in range(len(run) - 11)}
    words = re.findall(r"\S*[A-Za-z]{2}\S*", text.lower())
    return {" ".join(words[at : at + 7]) for at in range(len(words) - 6)}
