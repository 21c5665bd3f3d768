"""How one question stands: tries, hints, what may be told. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import factorial

from inplace_tui.engine.lessons.anchors import Marked
from inplace_tui.engine.session.pointing import is_answer, own_order, pointed_at, put
from inplace_tui.engine.session.signals import Answer
from inplace_tui.engine.session.view import Gate, QuestionView, Try
from inplace_tui.model.lesson import Kind, LocalText, Question

SECOND_TRY_FROM = 4
"""With fewer choices a second try would be given away by the first."""


@dataclass(frozen=True)
class Ruling:
    """What the run says of how a question stands."""

    good: bool | None
    """Whether the last try is right; None if that can't be said, or nothing was tried."""

    right: str | None = None
    """A right answer, if one is known."""

    reply: LocalText | None = None
    """`order`: what there is to say to the last try."""

    did: LocalText | None = None
    """`order`: what the program did in it."""


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
    """The right answer, once that is known and may be told."""

    reply: LocalText | None = None
    """`order`: what was said to the last try."""

    did: LocalText | None = None
    """`order`: what the program did in the order that was tried last."""

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

    @property
    def has_second_try(self) -> bool:
        """Whether a first wrong try does not give the answer away."""
        match self.question.kind:
            case Kind.LINE:
                return True  # any line may be pointed at
            case Kind.ORDER:
                return factorial(len(self.question.lines)) >= SECOND_TRY_FROM
            case Kind.OUTCOME | Kind.VALUE | Kind.ATTRIBUTE:
                return len(self.question.choices) >= SECOND_TRY_FROM

    def answered(self, answer: str) -> Standing:
        """Return it after a commitment, to be settled as soon as the run allows.

        What was tried before, or is no answer, changes nothing.
        """
        open_ = self.status in {Try.OPEN, Try.AGAIN} and answer not in self.tried
        if not open_ or not is_answer(self.question, answer):
            return self
        return replace(self, status=Try.CHECKING, tried=(*self.tried, answer), left=False)

    def settled(self, ruling: Ruling) -> Standing:
        """Return it after the last try was compared with what the run really did."""
        told = replace(self, reply=ruling.reply, did=ruling.did)
        if self.status is not Try.CHECKING:
            return replace(told, right=ruling.right if self.done else None)
        if ruling.good is None:
            return replace(told, status=Try.SHOWN)
        if ruling.good:
            return replace(told, status=Try.RIGHT, right=self.tried[-1])
        if len(self.tried) == 1 and self.has_second_try:
            return replace(told, status=Try.AGAIN)
        return replace(told, status=Try.WRONG, right=ruling.right)

    def shown(self) -> Standing:
        """Return it after the learner asked for the answer."""
        return self if self.done else replace(self, status=Try.SHOWN, left=False)

    def hinted(self) -> Standing:
        """Return it with one hint more, if there is one."""
        return replace(self, hints=min(self.hints + 1, len(self.question.hints)))

    def view(self, line: int, marked: Marked | None = None, draft: str = "") -> QuestionView:
        """Return what may be shown of it.

        Args:
            line: before which it is asked.
            marked: the program, whose lines the answers to `line` and `order` are.
            draft: the order into which the learner has put the lines.
        """
        pointing = self.question.kind is Kind.LINE
        offered = () if pointing else self.question.choices
        view = QuestionView(
            id=self.question.id,
            prompt=self.question.prompt,
            choices=tuple((each.id, each.text) for each in offered if each.text),
            status=self.status,
            tried=self.tried,
            right=self.right,
            feedback=self._feedback(),
            hints=tuple(self.question.hints[: self.hints]),
            hints_total=len(self.question.hints),
            line=line,
            kind=self.question.kind,
        )
        if marked is None:
            return view
        if pointing:
            told = dict.fromkeys([*self.tried, *([self.right] if self.right else [])])
            lines = tuple(pointed_at(self.question, each, marked) for each in told)
            return replace(view, lines=lines)
        if self.question.kind is Kind.ORDER:
            shown = draft or own_order(self.question, marked)
            if self.status not in {Try.OPEN, Try.AGAIN} and self.tried:
                shown = self.tried[-1]
            works = () if self.right is None else put(self.right, marked)
            return replace(view, lines=put(shown, marked), works=works, did=self.did)
        return view

    def _feedback(self) -> LocalText | None:
        if self.question.kind is Kind.ORDER:
            return self.reply
        told = [] if self.status is Try.CHECKING else list(self.tried[-1:])
        if self.right is not None and self.right not in told:
            told.append(self.right)
        whys = [why for answer in told if (why := self._why(answer)) is not None]
        if not whys:
            return None
        return LocalText(
            en="\n\n".join(why.en for why in whys), zh="\n\n".join(why.zh for why in whys)
        )

    def _why(self, answer: str) -> LocalText | None:
        named = (choice.why for choice in self.question.choices if choice.id == answer)
        return next(named, self.question.elsewhere)

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
        """Return it as it was kept; answers that the lesson no longer has are dropped."""
        tried = tuple(each for each in answer.tried if is_answer(self.question, each))
        lost = len(tried) < len(answer.tried)
        status = Try.OPEN if lost else answer.status
        return replace(
            self,
            status=status,
            tried=() if lost else tried,
            hints=min(max(answer.hints, 0), len(self.question.hints)),
            left=answer.left and status in {Try.OPEN, Try.AGAIN},
        )
