"""What is drawn for a checkpoint: five different decisions."""

from __future__ import annotations

from collections import Counter

import pytest

from inplace_tui.tutorial.activity.drill import grammar
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY
from inplace_tui.tutorial.activity.quiz import questions as draw
from inplace_tui.tutorial.activity.quiz.names import DRILL
from inplace_tui.tutorial.activity.quiz.questions import ALIKE, MIXED, VARIANTS, Decision
from inplace_tui.tutorial.course.course import LoadedChapter
from inplace_tui.tutorial.course.lesson import VARIANT_QUESTION
from support.course import COURSE

SEEDS = 4


def made_up(asked: str) -> grammar.Drill:
    _, level, seed = map(int, asked.split("-"))
    return grammar.make(seed, level)


def decision(chapter: LoadedChapter, place: str, asked: str) -> Decision:
    if place == DRILL:
        return draw.decision_of_drill(made_up(asked))
    [lesson] = [each for each in chapter.lessons if each.lesson.id == place]
    return draw.decision_of(lesson, asked.removeprefix(VARIANT_QUESTION))


@pytest.mark.parametrize("chapter", COURSE.checkpoints, ids=lambda each: each.slug)
@pytest.mark.whole(every=6)
def test_the_five_questions_of_a_checkpoint_are_different_decisions(chapter: LoadedChapter) -> None:
    for seed in range(SEEDS):
        *drawn, _ = draw.checkpoint(COURSE, chapter, str(seed))
        names = [(each.lesson.id, next(iter(each.questions))) for each in drawn]
        decisions = [decision(chapter, *name) for name in names]

        variants = sum(place != DRILL for place, _ in names)
        assert len(drawn) == min(MIXED, sum(len(e.lesson.variants) for e in chapter.lessons))
        if variants > VARIANTS:
            continue  # too little was taught for programs that are made up
        assert max(Counter(each.ending for each in decisions).values()) <= ALIKE
        for number, one in enumerate(decisions):
            others = [each for each in decisions[:number] if each.ending is one.ending]
            assert not any(each.topics & one.topics for each in others), names


@pytest.mark.parametrize("chapter", COURSE.checkpoints, ids=lambda each: each.slug)
@pytest.mark.whole(every=6)
def test_a_checkpoint_asks_for_nothing_that_is_taught_later(chapter: LoadedChapter) -> None:
    so_far = COURSE.chapters[: COURSE.chapters.index(chapter) + 1]
    taught = {c for each in so_far for one in each.lessons for c in one.lesson.teaches}

    *drawn, four = draw.checkpoint(COURSE, chapter, "any")

    for each in drawn:
        (asked,) = each.questions
        if each.lesson.id == DRILL:
            assert {c for tag in made_up(asked).tags for c in TAUGHT_BY[tag]} <= taught
        else:
            assert each.lesson.id in [one.id for one in chapter.lessons]
    assert ("version" in four.questions) == ("version-counter" in taught)


@pytest.mark.whole
def test_another_sitting_draws_other_questions() -> None:
    chapter = COURSE.chapters[3]

    drawn = [
        tuple((each.lesson.id, *each.questions) for each in draw.checkpoint(COURSE, chapter, seed))
        for seed in ("one", "two", "one")
    ]

    assert drawn[0] != drawn[1]
    assert drawn[0] == drawn[2]
