"""What is kept of a session, so that the learner can resume."""

from __future__ import annotations

from enum import Enum, auto

import msgspec

from inplace_tui.common.decodable import FromZero
from inplace_tui.common.enums import StrEnum


class QuestionStatus(StrEnum):
    """The state of a question."""

    OPEN = "open"
    AGAIN = "again"
    """The first try was wrong and there is a second."""

    CHECKING = "checking"
    """Answered; the replay that decides whether it is right is still running."""

    RIGHT = "right"
    WRONG = "wrong"
    SHOWN = "shown"
    """The learner asked for the answer."""

    @property
    def is_open(self) -> bool:
        return self in {QuestionStatus.OPEN, QuestionStatus.AGAIN}

    @property
    def is_done(self) -> bool:
        return self in {QuestionStatus.RIGHT, QuestionStatus.WRONG, QuestionStatus.SHOWN}


class Recall(Enum):
    """How well an answer was known."""

    MISSED = auto()
    """The first try was wrong, or the answer was asked for."""

    LUCKY = auto()
    """It was right at the first try, but a guess or with a hint."""

    KNOWN = auto()


class SavedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The saved state of one question."""

    question: str
    status: QuestionStatus
    tried: tuple[str, ...] = ()
    hints: FromZero = 0
    """How many hints were shown."""

    left: bool = False
    """Left for later."""

    guessed: bool = False
    """The last answer was given as a guess."""

    judged: bool = True
    """False where no run could say whether it is right."""

    day: int | None = None
    """The day on which it was done, as `date.toordinal()` counts; None in files of before."""


class SaveProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Keep this, so that the learner can resume."""

    lesson: str
    cursor: int
    answers: tuple[SavedAnswer, ...]
    finished: bool
    """The end was reached and no question is open."""
