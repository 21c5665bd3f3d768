"""The questions of a checkpoint: five that are drawn, then the four."""

from __future__ import annotations

from random import Random

from inplace_tui.engine.course.course import Course, LoadedChapter
from inplace_tui.engine.drill.grammar import LEVELS
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.quiz.questions import drill_question, four_questions, variant_question

MIXED = 5
VARIANTS = 3
"""Of the five, as many as the chapter has; the others are made up."""

SEEDS = 10**6


def checkpoint(course: Course, chapter: LoadedChapter, seed: str) -> tuple[LoadedLesson, ...]:
    """Return a checkpoint's lessons, of one question each but for the last, which asks four.

    Args:
        course: the whole of it: later chapters get harder programs.
        chapter: one with a checkpoint.
        seed: another one draws other questions.
    """
    random = Random(seed)  # noqa: S311  # the same for whoever goes on with it
    drawn = [variant_question(*each) for each in _variants(chapter, random)]
    place = course.chapters.index(chapter) / max(1, len(course.chapters) - 1)
    level = 1 + round(place * (LEVELS - 1))
    drawn += [drill_question(random.randrange(SEEDS), level) for _ in range(MIXED - len(drawn))]
    random.shuffle(drawn)
    four = four_questions(chapter)
    assert four is not None, "the chapter has a checkpoint"
    return (*drawn, four)


def _variants(chapter: LoadedChapter, random: Random) -> list[tuple[LoadedLesson, str]]:
    """Return variants of different lessons first, then others of the same."""
    rounds = [
        random.sample([v.id for v in each.lesson.variants], len(each.lesson.variants))
        for each in chapter.lessons
    ]
    order = random.sample(range(len(rounds)), len(rounds))
    longest = max(map(len, rounds), default=0)
    every = [
        (chapter.lessons[lesson], rounds[lesson][turn])
        for turn in range(longest)
        for lesson in order
        if turn < len(rounds[lesson])
    ]
    return every[:VARIANTS]
