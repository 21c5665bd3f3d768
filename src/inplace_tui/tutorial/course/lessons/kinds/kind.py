"""What every kind of question decides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import ROLES, Claim, Question
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, needs_truth, parts
from inplace_tui.tutorial.course.lessons.strict_yaml import MapNode, Path

SECOND_TRY_FROM = 4
"""With fewer possible answers the first try would give the second away."""


@dataclass(frozen=True)
class CodeLine:
    """A line of the program in an answer."""

    name: str
    """Its anchor, or the answer that it is."""

    number: int
    text: str


@dataclass(frozen=True)
class AnswerRuns:
    """The runs by which answers are judged."""

    own: FinishedRun | None
    """Of the lesson's own program; None while it goes on, or its truth is needed and unknown."""

    at: int | None
    """The step of the asked line."""

    trials: Mapping[str, FinishedRun] = field(default_factory=dict)
    """Runs of the program as an answer changes it, by that answer."""


@dataclass(frozen=True)
class Ruling:
    """What the runs say about a question."""

    good: bool | None
    """Whether the last try is right; None if no run can say, or nothing was tried."""

    right: str | None = None
    """A right answer, if one is known."""

    reply: LocalText | None = None
    """The reply to the last try, if it follows from its run."""

    did: LocalText | None = None
    """What the program did when it was run for the last try."""

    whys: Mapping[str, LocalText | None] = field(default_factory=dict)
    """What follows from the run for answers that the file says nothing to, or less."""


@dataclass(frozen=True)
class AnswerProgress:
    """How far the learner got with a question, as its answers are drawn."""

    open: bool = True
    tried: tuple[str, ...] = ()
    right: str | None = None
    draft: str = ""
    """An answer that is put together but not given yet."""

    shuffle: str = ""
    """Seed of the order in which choices are listed; empty for the order of the file."""


@dataclass(frozen=True)
class ChoicesView:
    """Choices to pick from."""

    choices: tuple[tuple[str, LocalText], ...]
    """(id, text) in the order in which they are listed."""


@dataclass(frozen=True)
class LinesView:
    """Lines that were pointed at."""

    lines: tuple[CodeLine, ...] = ()
    """Those tried and the right one if that may be shown; each has the name of its answer."""


@dataclass(frozen=True)
class OrderView:
    """Lines to put into an order."""

    lines: tuple[CodeLine, ...]
    """As the learner has put them."""

    works: tuple[CodeLine, ...] = ()
    """In an order that works, once it may be known."""

    @property
    def answer(self) -> str:
        return " ".join(line.name for line in self.lines)


@dataclass(frozen=True)
class TypedView:
    """Numbers that were typed."""

    given: tuple[tuple[str, LocalText], ...]
    """Those tried and the right one if that may be shown: (answer, its wording)."""

    name: str
    """What they are of."""

    draft: str = ""


AnswersView = ChoicesView | LinesView | OrderView | TypedView


class AskedQuestion(ABC):
    """A question and the program it is asked about; each kind is a subclass.

    An answer is text, in the form of its kind.
    """

    KEYS: ClassVar[Mapping[str, int]]
    """The keys that a question of this kind needs in its file, and how many items each must have
    at least, 0 where it is not a list. Other kinds may not have them."""

    CHOICE_KEY: ClassVar = "text"
    """The key of a choice that says what is chosen."""

    NOT_AN_ANSWER: ClassVar[LocalText | None] = None
    """The notice for what is given and is no answer."""

    def __init__(self, question: Question, anchored: AnchoredCode) -> None:
        self.question = question
        self.anchored = anchored

    @staticmethod
    def check_lines(asked: MapNode, anchored: AnchoredCode, problems: Problems) -> None:
        """Add the problems of the lines that a question in a file names."""
        del asked, anchored, problems  # most kinds name none

    # Verification.

    @property
    @abstractmethod
    def claims(self) -> list[Claim]:
        """All its claims, which runs must prove."""

    @property
    def replies(self) -> list[tuple[Path, LocalText]]:
        """All replies that an answer may get, and where in the question it stands."""
        return []

    def verify(self, seen: AnswerRuns) -> Iterator[tuple[Path, LocalText]]:  # noqa: ARG002
        """Yield what is wrong with it, and where: nothing, if no file asks it."""
        return iter(())

    @property
    def trials(self) -> Mapping[str, AnchoredCode]:
        """Answers that are judged by running a program, each with that program.

        The first one is the lesson's own. Empty where the lesson's run judges.
        """
        return {}

    # Masking.

    @property
    def asks_outcome(self) -> bool:
        """Whether it is about how the run goes on, not about one tensor."""
        keys = ("ends", "match", *ROLES)
        return any(getattr(claim, key) is not None for claim in self.claims for key in keys)

    @property
    def needs_truth(self) -> bool:
        """Whether only the replays can say if an answer is right."""
        return any(map(needs_truth, self.claims))

    # Answers.

    @property
    def has_second_try(self) -> bool:
        """Whether there is a second try: not if a wrong first one would give the answer away."""
        return False

    def parse(self, given: str, draft: str) -> str | None:  # noqa: ARG002  (of several steps)
        """Return the answer that a front end gives; None if it is not an answer.

        With the draft it may be a part of one, where an answer is given in several steps.
        """
        return given if self.is_answer(given) else None

    @abstractmethod
    def is_answer(self, answer: str) -> bool:
        """Whether this is an answer to it, right or wrong."""

    @abstractmethod
    def wording(self, answer: str) -> LocalText:
        """Return an answer in the words in which it was given: its text, or lines of code."""

    @abstractmethod
    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        """Return what the runs say of the last of `tried`; None while that is unknown."""

    def why(self, answer: str) -> LocalText | None:
        """Return what the lesson's file says to an answer, whatever was run."""
        named = (choice.why for choice in self.question.choices if choice.id == answer)
        return next(named, self.question.elsewhere)

    def why_beside_others(self, answer: str) -> LocalText | None:
        """Return the same, naming the answer if that is needed beside others."""
        return self.why(answer)

    @abstractmethod
    def view(self, progress: AnswerProgress) -> AnswersView:
        """Return the answers as they are to be drawn."""


def empty_claims(*claims: tuple[Path, Claim]) -> Iterator[tuple[Path, LocalText]]:
    for path, claim in claims:
        if not list(parts(claim)):
            yield path, AuthoringTexts.claims_nothing
