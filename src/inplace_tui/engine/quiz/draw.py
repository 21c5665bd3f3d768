"""The questions of a checkpoint: five that are drawn, then the four."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from inplace_tui.engine.blame.ending import Ending
from inplace_tui.engine.course.course import Course, LoadedChapter
from inplace_tui.engine.drill import grammar
from inplace_tui.engine.drill.tags import TAUGHT_BY
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.quiz.questions import drill_question, four_questions, variant_question
from inplace_tui.model.lesson import ClaimedEnd, Grads

MIXED = 5
VARIANTS = 3
"""Of the five, as many as the chapter has; the others are made up."""

ALIKE = 2
"""Of the five, so many at most end in the same way: else one answer to all would do."""

SEEDS = 10**6


@dataclass(frozen=True)
class Decision:
    """What has to be seen to answer a question, as far as that is known without a run."""

    ending: Ending
    topics: frozenset[str]
    """The concepts that it is about, as lessons name them."""

    def fits(self, others: list[Decision]) -> bool:
        """Whether none of the others asks for the same, and not all end alike."""
        alike = [each for each in others if each.ending is self.ending]
        return len(alike) < ALIKE and not any(each.topics & self.topics for each in alike)


def checkpoint(course: Course, chapter: LoadedChapter, seed: str) -> tuple[LoadedLesson, ...]:
    """Return a checkpoint's lessons, of one question each but for the last, which asks four."""
    random = Random(seed)  # noqa: S311  # the same for whoever goes on with it
    decisions: list[Decision] = []
    drawn: list[LoadedLesson] = []
    for lesson, variant in _variants(chapter, random):
        asked = decision_of(lesson, variant)
        if len(drawn) < VARIANTS and asked.fits(decisions):
            decisions.append(asked)
            drawn.append(variant_question(lesson, variant))
    place = course.chapters.index(chapter) / max(1, len(course.chapters) - 1)
    level = 1 + round(place * (grammar.LEVELS - 1))
    while len(drawn) < MIXED:
        number = random.randrange(SEEDS)
        asked = decision_of_drill(number, level)
        if asked.fits(decisions):
            decisions.append(asked)
            drawn.append(drill_question(number, level))
    random.shuffle(drawn)
    four = four_questions(chapter)
    assert four is not None, "the chapter has a checkpoint"
    return (*drawn, four)


def decision_of(loaded: LoadedLesson, variant: str) -> Decision:
    claim, concepts = loaded.variant(variant).expect, frozenset(loaded.lesson.teaches)
    match claim.ends:
        case ClaimedEnd.RAISES_BEFORE:
            return Decision(Ending.RAISES_BEFORE, concepts)
        case ClaimedEnd.RAISES_IN_BACKWARD:
            return Decision(Ending.RAISES_IN_BACKWARD, concepts)
        case ClaimedEnd.RUNS | None:
            wrong = claim.grads is Grads.WRONG
            return Decision(Ending.WRONG if wrong else Ending.RIGHT, concepts)


def decision_of_drill(seed: int, level: int) -> Decision:
    made = grammar.make(seed, level)
    telling = next(tag for tag in TAUGHT_BY if tag in made.tags)
    return Decision(made.guess, frozenset(TAUGHT_BY[telling]))


def _variants(chapter: LoadedChapter, random: Random) -> Iterator[tuple[LoadedLesson, str]]:
    """Yield variants of different lessons first, then others of the same."""
    rounds = [
        random.sample([v.id for v in each.lesson.variants], len(each.lesson.variants))
        for each in chapter.lessons
    ]
    order = random.sample(range(len(rounds)), len(rounds))
    for turn in range(max(map(len, rounds), default=0)):
        for lesson in order:
            if turn < len(rounds[lesson]):
                yield chapter.lessons[lesson], rounds[lesson][turn]
