"""How a checkpoint or the review went, and what can be done next."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge


@dataclass(frozen=True)
class QuizResult:
    """How it went."""

    right: int
    total: int
    missed: tuple[str, ...]
    """Names of questions."""

    best: tuple[int, int] | None = None
    """How many were ever right at the first try, of how many."""

    challenge: LoadedChallenge | None = None
    """What the chapter ends with."""

    chapter: LoadedChapter | None = None
    """What comes after the chapter."""

    may_repeat: bool = False
    later: int = 0
    """How many more questions are due, but not today."""

    @property
    def ways(self) -> tuple[tuple[str, LocalText], ...]:
        found: list[tuple[str, LocalText]] = []
        if self.challenge is not None:
            found.append(("challenge", QuizScreenTexts.to_challenge))
        if self.chapter is not None:
            found.append(("chapter", QuizScreenTexts.to_chapter))
        if self.may_repeat:
            found.append(("again", QuizScreenTexts.again))
        return (*found, ("back", QuizScreenTexts.back))


def challenge_of(chapter: LoadedChapter, course: Course) -> LoadedChallenge | None:
    checkpoint = chapter.chapter.checkpoint
    wanted = None if checkpoint is None else checkpoint.challenge
    return next((each for each in course.challenges if each.challenge.id == wanted), None)
