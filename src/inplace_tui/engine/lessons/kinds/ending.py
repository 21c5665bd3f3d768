"""How a program ends: the same four choices each time, judged by running it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inplace_tui.engine.blame.ending import Ending, ending_of
from inplace_tui.engine.lessons.anchors import AnchoredCode
from inplace_tui.engine.lessons.kinds.choice import ChoicesView
from inplace_tui.engine.lessons.kinds.kind import (
    AnswerProgress,
    AnswerRuns,
    AskedQuestion,
    Ruling,
)
from inplace_tui.engine.lessons.strict_yaml import Path
from inplace_tui.engine.problems import fill
from inplace_tui.model.lesson import (
    VARIANT_QUESTION,
    Claim,
    ClaimedEnd,
    Kind,
    LocalText,
    Question,
    Variant,
)
from inplace_tui.texts.session import PredictionTexts

if TYPE_CHECKING:
    from typing_extensions import Self


class EndingQuestion(AskedQuestion[ChoicesView]):
    """Predict how a program ends; an answer is an `Ending`."""

    KEYS = {}  # noqa: RUF012  # no file asks it

    def __init__(self, question: Question, anchored: AnchoredCode) -> None:
        super().__init__(question, anchored)
        # Of a program without a backward, no gradient can be right or wrong.
        self._choices: dict[Ending, LocalText] = {
            Ending.RIGHT: PredictionTexts.runs,
            Ending.RAISES_BEFORE: PredictionTexts.raises,
        }
        if "backward" in anchored.code or "grad(" in anchored.code:
            self._choices = {
                Ending.RIGHT: PredictionTexts.right,
                Ending.WRONG: PredictionTexts.wrong,
                Ending.RAISES_BEFORE: PredictionTexts.raises_before,
                Ending.RAISES_IN_BACKWARD: PredictionTexts.raises_in_backward,
            }

    @classmethod
    def of_variant(cls, variant: Variant, anchored: AnchoredCode) -> Self:
        prompt = fill(PredictionTexts.prompt, title=variant.title)
        identity = f"{VARIANT_QUESTION}{variant.id}"
        return cls(Question(id=identity, kind=Kind.OUTCOME, prompt=prompt), anchored)

    @property
    def claims(self) -> list[Claim]:
        return [Claim(ends=each) for each in ClaimedEnd]

    @property
    def needs_truth(self) -> bool:
        return True

    @property
    def replies(self) -> list[tuple[Path, LocalText]]:
        return []

    def verify(self, seen: AnswerRuns) -> Iterator[tuple[Path, LocalText]]:
        """Whatever happens is one of the answers."""
        del seen
        yield from ()

    @property
    def has_second_try(self) -> bool:
        return False

    def is_answer(self, answer: str) -> bool:
        return answer in self._choices

    def wording(self, answer: str) -> LocalText:
        return self._choices[Ending(answer)]

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        if seen.own is None:
            return None
        ending = ending_of(seen.own.timeline.outcome, seen.own.truth)
        if ending is None or ending not in self._choices:
            return Ruling(good=None)
        return Ruling(good=tried[-1:] == (ending,), right=ending)

    def view(self, progress: AnswerProgress) -> ChoicesView:
        """List them in one order always: all are there each time, so that it says nothing."""
        del progress
        return ChoicesView(tuple(self._choices.items()))
