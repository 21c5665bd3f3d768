"""How one question stands: tries, hints, what may be told. Pure values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from inplace_tui.engine.signals import Answer
from inplace_tui.engine.view import Gate, QuestionView, Try
from inplace_tui.model.lesson import Choice, LocalText, Question

SECOND_TRY_FROM = 4
"""With fewer choices a second try would be given away by the first."""


@dataclass(frozen=True)
class Standing:
    """One question, as far as the learner got with it."""

    question: Question
    status: Try = Try.OPEN
    tried: tuple[str, ...] = ()
    hints: int = 0
    left: bool = False
    """Left for later; it stays open, but no longer bars the way."""

    right: str | None = None
    """The id of the right choice, once that is known and may be told."""

    @property
    def done(self) -> bool:
        """Whether the learner has committed and knows how it came out."""
        return self.status in {Try.RIGHT, Try.WRONG, Try.SHOWN}

    @property
    def bars(self) -> bool:
        """Whether the way forward stops here."""
        return not self.done and not self.left

    @property
    def gate(self) -> Gate:
        """The mark on the timeline."""
        if self.done:
            return Gate.DONE
        return Gate.PASSED if self.left else Gate.OPEN

    def answered(self, choice: str) -> Standing:
        """Return it after a commitment, to be settled as soon as the run allows.

        A choice that was tried before, or is none of these, changes nothing.
        """
        known = any(offered.id == choice for offered in self.question.choices)
        if self.status not in {Try.OPEN, Try.AGAIN} or choice in self.tried or not known:
            return self
        return replace(self, status=Try.CHECKING, tried=(*self.tried, choice), left=False)

    def settled(self, right: str | None) -> Standing:
        """Return it after the last try was compared with what the run really did.

        Args:
            right: the choice that is true of the run; None if not exactly one is.
        """
        if self.status is not Try.CHECKING:
            return replace(self, right=right if self.done else None)
        if right is None:
            return replace(self, status=Try.SHOWN)
        if self.tried[-1] == right:
            return replace(self, status=Try.RIGHT, right=right)
        if len(self.tried) == 1 and len(self.question.choices) >= SECOND_TRY_FROM:
            return replace(self, status=Try.AGAIN)
        return replace(self, status=Try.WRONG, right=right)

    def shown(self) -> Standing:
        """Return it after the learner asked for the answer."""
        return self if self.done else replace(self, status=Try.SHOWN, left=False)

    def hinted(self) -> Standing:
        """Return it with one hint more, if there is one."""
        return replace(self, hints=min(self.hints + 1, len(self.question.hints)))

    def view(self, line: int) -> QuestionView:
        """Return what may be shown of it."""
        return QuestionView(
            id=self.question.id,
            prompt=self.question.prompt,
            choices=tuple((each.id, each.text) for each in self.question.choices if each.text),
            status=self.status,
            tried=self.tried,
            right=self.right,
            feedback=self._feedback(),
            hints=tuple(self.question.hints[: self.hints]),
            hints_total=len(self.question.hints),
            line=line,
        )

    def _feedback(self) -> LocalText | None:
        told = [] if self.status is Try.CHECKING else list(self.tried[-1:])
        if self.right is not None and self.right not in told:
            told.append(self.right)
        whys = [self._choice(choice).why for choice in told]
        if not whys:
            return None
        return LocalText(
            en="\n\n".join(why.en for why in whys), zh="\n\n".join(why.zh for why in whys)
        )

    def _choice(self, identity: str) -> Choice:
        return next(choice for choice in self.question.choices if choice.id == identity)

    def answer(self) -> Answer:
        """Return what is kept of it."""
        return Answer(
            question=self.question.id,
            status=self.status,
            tried=self.tried,
            hints=self.hints,
            left=self.left,
        )

    def restored(self, answer: Answer) -> Standing:
        """Return it as it was kept; choices that the lesson no longer has are dropped."""
        offered = {choice.id for choice in self.question.choices}
        tried = tuple(choice for choice in answer.tried if choice in offered)
        lost = len(tried) < len(answer.tried)
        status = Try.OPEN if lost else answer.status
        return replace(
            self,
            status=status,
            tried=() if lost else tried,
            hints=min(max(answer.hints, 0), len(self.question.hints)),
            left=answer.left and status in {Try.OPEN, Try.AGAIN},
        )


def right_choice(question: Question, is_true: Callable[[Choice], bool]) -> str | None:
    """Return the one choice that is true of the run; None unless it is exactly one."""
    true = [choice.id for choice in question.choices if is_true(choice)]
    return true[0] if len(true) == 1 else None
