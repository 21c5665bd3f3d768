"""The state of one question: tries, hints, what may be shown. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inplace_tui.common.local_text import LocalText, joined
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.signals import (
    AnswerDrafted,
    AnswerGiven,
    AnswerRequested,
    HintRequested,
    QuestionLeft,
)
from inplace_tui.tutorial.activity.session.view import Gate, QuestionView
from inplace_tui.tutorial.course.lessons.kinds.kind import AnswerProgress, AskedQuestion, Ruling
from inplace_tui.tutorial.course.lessons.kinds.registry import AnswersView

Reply = AnswerGiven | AnswerDrafted | HintRequested | AnswerRequested | QuestionLeft


@dataclass(frozen=True)
class QuestionState:
    """One question, as far as the learner got with it."""

    asked: AskedQuestion[AnswersView]
    status: QuestionStatus = QuestionStatus.OPEN
    tried: tuple[str, ...] = ()
    draft: str = ""
    """An answer that is put together but not given yet."""

    hints: int = 0
    left: bool = False
    """Left for later; it stays open, but no longer bars the way."""

    judged: bool = True
    """Whether a run could say if it is right."""

    right: str | None = None
    """A right answer, once it may be shown."""

    reply: LocalText | None = None
    """What the run of the last try leads to say."""

    did: LocalText | None = None
    """What the program did when it was run for the last try."""

    @property
    def done(self) -> bool:
        """Whether the learner has committed and knows how it came out."""
        return self.status.is_done

    @property
    def bars(self) -> bool:
        return not self.done and not self.left

    @property
    def gate(self) -> Gate:
        if self.done:
            return Gate.DONE
        return Gate.PASSED if self.left else Gate.OPEN

    def replied(self, signal: Reply) -> tuple[QuestionState, LocalText | None]:
        """Return it after what the learner did, and what is to be said of that, if anything is."""
        if self.status is QuestionStatus.CHECKING:
            return self, NoticeTexts.checking
        match signal:
            case AnswerGiven(given=given):
                return self._given(given)
            case AnswerDrafted(draft=draft):
                return replace(self, draft=draft), None
            case AnswerRequested():
                return self.shown(), None
            case QuestionLeft():
                return replace(self, left=True), NoticeTexts.left_for_later
            case HintRequested():
                spent = self.hints == len(self.asked.question.hints)
                return self.hinted(), NoticeTexts.no_more_hints if spent else None

    def _given(self, given: str) -> tuple[QuestionState, LocalText | None]:
        answer = self.asked.parse(given, self.draft)
        if answer is None:
            return self, self.asked.NOT_AN_ANSWER
        if answer in self.tried:
            return self, NoticeTexts.tried_before
        return replace(self, draft=answer).answered(answer), None

    def answered(self, answer: str) -> QuestionState:
        """Return it after a commitment, to be judged as soon as the run allows.

        What was tried before, or is no answer, changes nothing.
        """
        open_ = self.status.is_open and answer not in self.tried
        if not open_ or not self.asked.is_answer(answer):
            return self
        return replace(
            self, status=QuestionStatus.CHECKING, tried=(*self.tried, answer), left=False
        )

    def with_ruling(self, ruling: Ruling) -> QuestionState:
        judged = replace(self, reply=ruling.reply, did=ruling.did)
        if self.status is not QuestionStatus.CHECKING:
            return replace(judged, right=ruling.right if self.done else None)
        if ruling.good is None:
            return replace(judged, status=QuestionStatus.SHOWN, judged=False)
        if ruling.good:
            return replace(judged, status=QuestionStatus.RIGHT, right=self.tried[-1])
        if len(self.tried) == 1 and self.asked.has_second_try:
            return replace(judged, status=QuestionStatus.AGAIN)
        return replace(judged, status=QuestionStatus.WRONG, right=ruling.right)

    def shown(self) -> QuestionState:
        return self if self.done else replace(self, status=QuestionStatus.SHOWN, left=False)

    def hinted(self) -> QuestionState:
        return replace(self, hints=min(self.hints + 1, len(self.asked.question.hints)))

    def view(self, line: int, shuffle: str = "") -> QuestionView:
        """Return what may be shown of it before a line.

        `shuffle` is the seed of the order of its choices; empty for that of the file.
        """
        question = self.asked.question
        open_ = self.status.is_open
        unknown = self.right is None and self.status in {QuestionStatus.WRONG, QuestionStatus.SHOWN}
        return QuestionView(
            id=question.id,
            prompt=question.prompt,
            answers=self.asked.view(
                AnswerProgress(open_, self.tried, self.right, self.draft, shuffle)
            ),
            status=self.status,
            tried=self.tried,
            draft=self.draft,
            right=self.right,
            searching=unknown and bool(self.asked.trials),
            feedback=self._feedback(),
            did=self.did,
            whys=self._whys() if self.status is QuestionStatus.SHOWN else (),
            hints=tuple(question.hints[: self.hints]),
            hints_total=len(question.hints),
            line=line,
        )

    def _feedback(self) -> LocalText | None:
        if self.reply is not None:
            return self.reply
        shown = [] if self.status is QuestionStatus.CHECKING else list(self.tried[-1:])
        if self.right is not None and self.right not in shown:
            shown.append(self.right)
        of = self.asked.why if len(shown) == 1 else self.asked.why_beside_others
        found = [why for each in shown if (why := of(each)) is not None]
        if not found:
            return None
        return joined(dict.fromkeys(found), "\n\n")

    def _whys(self) -> tuple[tuple[str, LocalText], ...]:
        """Return what is said to the wrong answers, whoever gave them."""
        asked = self.asked.question
        wrong = [each.id for each in asked.choices if self.right not in (None, each.id)]
        found = [(each, self.asked.why_beside_others(each)) for each in wrong]
        told = [*((each, why) for each, why in found if why), *(("", w.say) for w in asked.why)]
        return tuple(told)

    def answer(self) -> SavedAnswer:
        return SavedAnswer(
            question=self.asked.question.id,
            status=self.status,
            tried=self.tried,
            hints=self.hints,
            left=self.left,
            judged=self.judged,
        )

    def restored(self, answer: SavedAnswer) -> QuestionState:
        """Return it as it was kept; answers that the lesson no longer has are dropped."""
        tried = tuple(each for each in answer.tried if self.asked.is_answer(each))
        lost = len(tried) < len(answer.tried)
        status = QuestionStatus.OPEN if lost else answer.status
        return replace(
            self,
            status=status,
            tried=() if lost else tried,
            hints=min(answer.hints, len(self.asked.question.hints)),
            left=answer.left and status.is_open,
            judged=answer.judged,
        )
