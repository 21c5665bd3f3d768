"""Questions with choices to pick from: how it ends, a value, an attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import reduce
from random import Random
from types import MappingProxyType

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.endings import ANSWERS, RUNS
from inplace_tui.common.texts.session import PredictionTexts
from inplace_tui.tutorial.course.lesson import (
    VARIANT_QUESTION,
    Choice,
    Claim,
    Kind,
    Question,
    Variant,
)
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    SECOND_TRY_FROM,
    AnswerProgress,
    AnswerRuns,
    AskedQuestion,
    ChoicesView,
    Ruling,
    empty_claims,
)
from inplace_tui.tutorial.course.lessons.kinds.overlooked import ending_reply
from inplace_tui.tutorial.course.lessons.strict_yaml import Path


class QuestionWithChoices(AskedQuestion):
    """Exactly one choice is true of the lesson's own run; an answer is the id of a choice."""

    KEYS = MappingProxyType({"choices": 2})

    @property
    def claims(self) -> list[Claim]:
        return [choice.when for choice in self.question.choices]

    @property
    def replies(self) -> list[tuple[Path, LocalText]]:
        whys = enumerate(choice.why for choice in self.question.choices)
        elsewhere = self.question.elsewhere
        return [
            *((("choices", place, "why"), why) for place, why in whys),
            *([(("elsewhere",), elsewhere)] if elsewhere else []),
        ]

    @abstractmethod
    def untrue(self, choice: Choice, run: FinishedRun, at: int | None) -> list[LocalText]:
        """Return why a choice is not true of the run; nothing if it is."""

    def is_answer(self, answer: str) -> bool:
        return any(choice.id == answer for choice in self.question.choices)

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        if seen.own is None:
            return None
        run, choices = seen.own, self.question.choices
        true = [each.id for each in choices if not self.untrue(each, run, seen.at)]
        if len(true) != 1:
            return Ruling(good=None)
        return Ruling(good=tried[-1:] == (true[0],), right=true[0])

    def verify(self, seen: AnswerRuns) -> Iterator[tuple[Path, LocalText]]:
        run, choices = seen.own, self.question.choices
        if run is None or seen.at is None:
            return
        yield from empty_claims(
            *((("choices", place, "when"), each.when) for place, each in enumerate(choices))
        )
        reasons = {choice.id: self.untrue(choice, run, seen.at) for choice in choices}
        true = [place for place, choice in enumerate(choices) if not reasons[choice.id]]
        if not true:
            yield ("choices",), fill(AuthoringTexts.no_when, reasons=_listed(reasons))
        elif len(true) > 1:
            names = tuple(choices[place].id for place in true)
            text = fill(AuthoringTexts.many_when, count=len(true), names=names)
            yield ("choices", true[1], "when"), text


class ChoiceQuestion(QuestionWithChoices):
    """Pick one of two to six texts."""

    def untrue(self, choice: Choice, run: FinishedRun, at: int | None) -> list[LocalText]:
        return mismatches(choice.when, run, at)

    @property
    def has_second_try(self) -> bool:
        return len(self.question.choices) >= SECOND_TRY_FROM

    def wording(self, answer: str) -> LocalText:
        text = next(each.text for each in self.question.choices if each.id == answer)
        assert text is not None  # the loader saw to it
        return text

    def view(self, progress: AnswerProgress) -> ChoicesView:
        choices = [(each.id, each.text) for each in self.question.choices if each.text]
        if progress.shuffle:
            Random(progress.shuffle).shuffle(choices)  # noqa: S311  # the same order every time
        return ChoicesView(tuple(choices))


def _listed(reasons: Mapping[str, list[LocalText]]) -> LocalText:
    each = (fill(AuthoringTexts.reason, choice=key, why=why) for key, (why, *_) in reasons.items())
    return reduce(lambda one, other: fill(AuthoringTexts.reasons, one=one, other=other), each)


class EndingQuestion(AskedQuestion):
    """Predict how a program ends; an answer is an `Ending`."""

    KEYS = {}  # noqa: RUF012  # no file asks it

    def __init__(self, question: Question, anchored: AnchoredCode) -> None:
        super().__init__(question, anchored)
        # Of a program without a backward, no gradient can be right or wrong.
        self._choices = {Ending.RIGHT: RUNS, Ending.RAISES_BEFORE: PredictionTexts.raises}
        if "backward" in anchored.code or "grad(" in anchored.code:
            self._choices = ANSWERS

    @classmethod
    def of_variant(cls, variant: Variant, anchored: AnchoredCode) -> EndingQuestion:
        prompt = fill(PredictionTexts.prompt, title=variant.title)
        identity = f"{VARIANT_QUESTION}{variant.id}"
        return cls(Question(id=identity, kind=Kind.OUTCOME, prompt=prompt), anchored)

    @property
    def claims(self) -> list[Claim]:
        return [Claim(ends=each) for each in self._choices]

    @property
    def needs_truth(self) -> bool:
        return True

    def is_answer(self, answer: str) -> bool:
        return answer in self._choices

    def wording(self, answer: str) -> LocalText:
        return self._choices[Ending(answer)]

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        if seen.own is None:
            return None
        ending = seen.own.ending
        if ending not in self._choices:
            return Ruling(good=None)
        if not tried or tried[-1] == ending:
            return Ruling(good=bool(tried), right=ending)
        return Ruling(good=False, right=ending, reply=ending_reply(Ending(tried[-1]), seen.own))

    def view(self, progress: AnswerProgress) -> ChoicesView:
        """List them in one order always: all are there each time, so that it says nothing."""
        del progress
        return ChoicesView(tuple(self._choices.items()))
