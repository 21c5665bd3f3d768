"""How far guessing leads: every question and variant of the course, against the runs.

python benches/guesses.py [FOLDER]: by chapter, how often somebody is right who answers at random,
at the first try and in the end, and somebody who always says "runs, and every gradient is right";
and how the variants end.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from math import factorial
from pathlib import Path

from inplace_tui.common.paths import built_in_lessons
from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.course.lessons.kinds.choice import EndingQuestion
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswerProgress,
    AskedQuestion,
    ChoicesView,
)
from inplace_tui.tutorial.drive.check import CheckedLesson, check_lessons
from inplace_tui.tutorial.drive.lessons import read_course


@dataclass(frozen=True)
class Prediction:
    """Something to predict, and how it comes out."""

    answers: int
    tries: int
    ending: Ending | None
    """Of its program, where that is asked."""

    is_variant: bool

    @property
    def first(self) -> float:
        return 1 / self.answers

    @property
    def finally_(self) -> float:
        return min(1, self.tries / self.answers)


def answers(asked: AskedQuestion) -> int:
    """Return how many answers somebody can give who does not think."""
    match asked.question.kind, asked.view(AnswerProgress()):
        case Kind.LINE, _:
            lines = map(str.strip, asked.anchored.code.splitlines())
            return sum(bool(line) and not line.startswith("#") for line in lines)
        case Kind.ORDER, _:
            return factorial(len(asked.question.lines))
        case _, ChoicesView(choices=choices):
            return len(choices)
        case _:
            return 100  # of what is typed


def predictions(checked: CheckedLesson) -> list[Prediction]:
    loaded, found = checked.loaded, list(checked.verified.asked)
    asked: list[AskedQuestion] = [*loaded.questions.values()]
    asked += [EndingQuestion.of_variant(v, loaded.variants[v.id]) for v in loaded.lesson.variants]
    return [
        Prediction(
            answers(each),
            1 + each.has_second_try,
            known.ending if known.kind in {None, Kind.OUTCOME} else None,
            known.kind is None,
        )
        for each, known in zip(asked, found, strict=False)
    ]


def measured(all_: Iterable[Prediction]) -> tuple[list[float], dict[Ending, float]]:
    """Return how often guessing is right (first, in the end, always "right"), and the variants."""
    every = list(all_)
    ended = [each for each in every if each.ending is not None]
    variants = [each for each in every if each.is_variant]
    count = max(1, len(every))
    shares = [
        sum(each.first for each in every) / count,
        sum(each.finally_ for each in every) / count,
        sum(each.ending is Ending.RIGHT for each in ended) / max(1, len(ended)),
    ]
    ends = {
        ending: sum(each.ending is ending for each in variants) / max(1, len(variants))
        for ending in PREDICTED
    }
    return shares, ends


def line(name: str, every: list[Prediction]) -> str:
    shares, ends = measured(every)
    told = [f"{share:7.0%}" for share in (*shares, *ends.values())]
    return f"{name:24} {len(every):4} {' '.join(told)}"


async def main(folder: Path) -> int:
    """Print what was measured; return 0 if guessing leads no further than it may."""
    course = read_course(folder, origin=Origin.BUILT_IN)
    print(f"{'':24}  all   first    ends  right'     right   wrong  before backward")
    total: list[Prediction] = []
    async with warm_worker() as worker:
        for chapter in course.chapters:
            own: list[Prediction] = []
            async for checked in check_lessons(chapter.lessons, worker):
                own += predictions(checked)
            total += own
            print(line(chapter.slug, own), flush=True)
    print(line("all", total))
    print("at most: first 30%, ends 50%, right' 40%; variants: wrong 15% at least, others 45%")
    (first, last, runs), ends = measured(total)
    kept = first <= 0.3 and last <= 0.5 and runs <= 0.4
    return 0 if kept and ends[Ending.WRONG] >= 0.15 and max(ends.values()) <= 0.45 else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else built_in_lessons())))
