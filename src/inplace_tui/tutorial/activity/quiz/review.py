"""What comes back: what was answered wrong or by luck, after longer and longer intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from inplace_tui.common.decodable import FromOne, FromZero
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, Recall, SavedAnswer

INTERVALS = (1, 3, 7, 21, 60)
"""Days until a question comes back. Each answer that was known leads to the next interval, and
from the last one out of the review; a wrong one leads to the first."""

A_DAY = 5
"""Questions that the review asks on one day, in about five minutes; others wait for the next."""

MAX_WAITING = 200
"""Questions that are kept waiting; those that wait longest are dropped."""


T = TypeVar("T")


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is to come back."""

    box: FromOne
    """Which of the `INTERVALS` it waits for, 1 being the first."""

    day: int
    """When it comes back, as `date.toordinal()` counts."""


class ReviewRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the progress file."""

    answered: FromZero = 0
    waiting: dict[str, ReviewItem] = {}
    day: int = 0
    """The last day with a review, as `date.toordinal()` counts."""

    done: FromZero = 0
    """How many questions the review asked on that day."""

    new: dict[str, int] = {}
    """Questions that the review was the first to ask, and on which day."""


@dataclass(frozen=True)
class DueReview:
    """What the review asks today."""

    now: tuple[str, ...]
    """What comes back and has room today, the most overdue first; then one that is new."""

    later: int = 0
    """How many more are due."""

    has_new: bool = False

    @property
    def back(self) -> int:
        """How many of today's come back."""
        return len(self.now) - self.has_new


NOTHING_DUE = DueReview(())


def is_missed(answer: SavedAnswer) -> bool:
    """Whether the first try was wrong, or the answer was asked for."""
    wrong = answer.status in {QuestionStatus.WRONG, QuestionStatus.SHOWN}
    return is_judged(answer) and (wrong or len(answer.tried) > 1)


def is_judged(answer: SavedAnswer) -> bool:
    return answer.status.is_done and answer.judged


def recall(answer: SavedAnswer) -> Recall:
    if is_missed(answer):
        return Recall.MISSED
    return Recall.LUCKY if answer.guessed or answer.hints else Recall.KNOWN


def after(record: ReviewRecord, name: str, how: Recall, *, day: int) -> ReviewRecord:
    others = {key: each for key, each in record.waiting.items() if key != name}
    known = record.waiting.get(name)
    box = _next_box(None if known is None else known.box, how)
    if box is not None:
        back = ReviewItem(box=box, day=day + INTERVALS[box - 1])
        others = dict([*others.items(), (name, back)][-MAX_WAITING:])
    return msgspec.structs.replace(record, answered=record.answered + 1, waiting=others)


def _next_box(box: int | None, how: Recall) -> int | None:
    """Return the box after an answer; None where the question does not come back."""
    match how:
        case Recall.MISSED:
            return 1
        case Recall.LUCKY:
            return min(box or 1, len(INTERVALS))
        case Recall.KNOWN:
            return None if box is None or box >= len(INTERVALS) else box + 1


def after_review(record: ReviewRecord, asked: Iterable[str], day: int) -> ReviewRecord:
    """Return the record after questions of the review, given as it was before them."""
    names = list(asked)
    done = len(names) + (record.done if record.day == day else 0)
    new = {name: day for name in names if name not in record.waiting}
    return msgspec.structs.replace(record, day=day, done=done, new={**record.new, **new})


def due(record: ReviewRecord, day: int) -> list[str]:
    """Return the questions that come back, the most overdue first."""
    return sorted(
        (name for name, each in record.waiting.items() if each.day <= day),
        key=lambda name: record.waiting[name].day,
    )


def today(record: ReviewRecord, day: int, back: list[str], unseen: Iterable[str]) -> DueReview:
    """Return what a day asks: what comes back, and one question that was never asked.

    Args:
        back: what is due and can be asked, the most overdue first.
        unseen: questions that no lesson has asked the learner yet.
    """
    room = max(0, A_DAY - (record.done if record.day == day else 0))
    had_new = day in record.new.values()
    names = (name for name in unseen if name not in record.waiting and name not in record.new)
    new = None if had_new or room == 0 else next(iter(names), None)
    now = back[: room - (new is not None)]
    return DueReview((*now, *([new] if new else [])), len(back) - len(now), new is not None)


def without(record: ReviewRecord, lesson: str) -> ReviewRecord:
    def kept(names: dict[str, T]) -> dict[str, T]:
        return {name: each for name, each in names.items() if not name.startswith(f"{lesson}/")}

    return msgspec.structs.replace(record, waiting=kept(record.waiting), new=kept(record.new))


def missed_before(answers: dict[str, SavedAnswer]) -> ReviewRecord:
    """Return what a record has to begin with: what was missed before there was one."""
    missed = (name for name, answer in answers.items() if is_missed(answer))
    return ReviewRecord(waiting={name: ReviewItem(box=1, day=0) for name in missed})
