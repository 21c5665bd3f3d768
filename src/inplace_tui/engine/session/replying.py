"""What the learner does to a question: answer it, leave it, ask for help."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.session.asking import Standing
from inplace_tui.engine.session.pointing import answer_at
from inplace_tui.engine.session.questions import Questions
from inplace_tui.engine.session.signals import (
    Answered,
    AnswerWanted,
    HintWanted,
    LineMoved,
    LinePointed,
    OrderGiven,
    QuestionLeft,
)
from inplace_tui.engine.session.view import Try
from inplace_tui.model.lesson import Kind, LocalText
from inplace_tui.texts.session import NoticeTexts

Reply = Answered | LinePointed | LineMoved | OrderGiven | HintWanted | AnswerWanted | QuestionLeft


def reply(
    questions: Questions, lesson: LoadedLesson | None, cursor: int, signal: Reply
) -> LocalText | None:
    """Have the question at the cursor take a reply; return the key of a notice, if there is one."""
    shown = questions.shown
    if shown is not None and isinstance(signal, QuestionLeft):
        questions.dismiss(cursor)
        return None
    standing = questions.barring(cursor)
    if standing is None or shown is not None or lesson is None:
        return NoticeTexts.no_question
    if standing.status is Try.CHECKING:
        return NoticeTexts.checking
    notice = None
    match signal:
        case Answered() | LinePointed() | OrderGiven():
            notice = _commit(questions, lesson, standing, signal)
        case LineMoved(place=place, by=by):
            if standing.question.kind is Kind.ORDER:
                questions.arrange(standing, place, by)
        case AnswerWanted():
            questions.commit(standing.shown())
        case QuestionLeft():
            questions.commit(replace(standing, left=True))
            notice = NoticeTexts.left_for_later
        case HintWanted():
            questions.commit(standing.hinted())
            spent = standing.hints == len(standing.question.hints)
            notice = NoticeTexts.no_more_hints if spent else None
    return notice


def _commit(
    questions: Questions,
    lesson: LoadedLesson,
    standing: Standing,
    signal: Answered | LinePointed | OrderGiven,
) -> LocalText | None:
    answer: str | None = None
    match signal:
        case Answered(choice=choice):
            answer = choice
        case LinePointed(line=line) if standing.question.kind is Kind.LINE:
            answer = answer_at(standing.question, lesson.marked, line)
            if answer is None:
                return NoticeTexts.no_code_there
        case OrderGiven() if standing.question.kind is Kind.ORDER:
            answer = questions.draft(standing)
    if answer in standing.tried:
        return NoticeTexts.tried_before
    if answer is not None:
        questions.commit(standing.answered(answer))
    return None
