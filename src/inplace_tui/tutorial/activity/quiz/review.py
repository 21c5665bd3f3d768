"""What was answered wrong, and when it comes back: as in the drill (`BOXES`)."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from inplace_tui.common.decodable import FromOne, FromZero
from inplace_tui.tutorial.activity.drill.record import BOXES, next_box
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer

A_DAY = 12
"""Questions that the review asks on one day; the others wait for the next."""

MAX_WAITING = 200
"""Questions that are kept waiting; those that wait longest are dropped."""


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is to come back."""

    box: FromOne
    """How often it was answered rightly since it was missed, and one more."""

    due: int
    """It comes back when this many questions were answered in all, or on a later day."""

    day: int
    """And not before this day, as `date.toordinal()` counts."""

    last: int


class ReviewRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the progress file."""

    answered: FromZero = 0
    waiting: dict[str, ReviewItem] = {}
    day: int = 0
    """The last day with a review, as `date.toordinal()` counts."""

    done: FromZero = 0
    """How many questions the review asked on that day."""


@dataclass(frozen=True)
class DueReview:
    """What comes back."""

    now: tuple[str, ...]
    """What today has room for, the most overdue first."""

    later: int = 0
    """How many more are due."""


NOTHING_DUE = DueReview(())


def is_missed(answer: SavedAnswer) -> bool:
    """Whether the first try was wrong, or the answer was asked for."""
    wrong = answer.status in {QuestionStatus.WRONG, QuestionStatus.SHOWN}
    return is_judged(answer) and (wrong or len(answer.tried) > 1)


def is_judged(answer: SavedAnswer) -> bool:
    return answer.status.is_done and answer.judged


def after(record: ReviewRecord, name: str, *, right: bool, day: int) -> ReviewRecord:
    others = {key: each for key, each in record.waiting.items() if key != name}
    known, answered = record.waiting.get(name), record.answered + 1
    box = next_box(None if known is None else known.box, right=right)
    if box is not None:
        questions, days = BOXES[box - 1]
        due = ReviewItem(box=box, due=answered + questions, day=day + days, last=day)
        others = dict([*others.items(), (name, due)][-MAX_WAITING:])
    return msgspec.structs.replace(record, answered=answered, waiting=others)


def after_review(record: ReviewRecord, count: int, day: int) -> ReviewRecord:
    done = count + (record.done if record.day == day else 0)
    return msgspec.structs.replace(record, day=day, done=done)


def room(record: ReviewRecord, day: int) -> int:
    return max(0, A_DAY - (record.done if record.day == day else 0))


def due(record: ReviewRecord, day: int) -> list[str]:
    """Return the questions that are due, the most overdue first."""
    found = [
        (each.day, each.due, name)
        for name, each in record.waiting.items()
        if each.day <= day and (each.due <= record.answered or each.last < day)
    ]
    return [name for _, _, name in sorted(found)]


def without(record: ReviewRecord, lesson: str) -> ReviewRecord:
    kept = {
        name: each for name, each in record.waiting.items() if not name.startswith(f"{lesson}/")
    }
    return msgspec.structs.replace(record, waiting=kept)


def missed_before(answers: dict[str, SavedAnswer]) -> ReviewRecord:
    """Return what a record has to begin with: what was missed before there was one."""
    waiting = {
        name: ReviewItem(box=1, due=0, day=0, last=0)
        for name, answer in answers.items()
        if is_missed(answer)
    }
    return ReviewRecord(waiting=waiting)
