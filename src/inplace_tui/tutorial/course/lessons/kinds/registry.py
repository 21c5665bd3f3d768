"""Which rules each kind of question has."""

from __future__ import annotations

from inplace_tui.tutorial.course.lesson import Kind, Question
from inplace_tui.tutorial.course.lessons.kinds.choice import ChoiceQuestion, EndingQuestion
from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
from inplace_tui.tutorial.course.lessons.kinds.line import LineQuestion
from inplace_tui.tutorial.course.lessons.kinds.order import OrderQuestion
from inplace_tui.tutorial.course.lessons.kinds.typed import TypedQuestion

KINDS: dict[Kind, type[AskedQuestion]] = {
    Kind.OUTCOME: ChoiceQuestion,
    Kind.VALUE: ChoiceQuestion,
    Kind.ATTRIBUTE: ChoiceQuestion,
    Kind.LINE: LineQuestion,
    Kind.ORDER: OrderQuestion,
    Kind.TYPED: TypedQuestion,
}


def rules_of(question: Question) -> type[AskedQuestion]:
    """Return the class of a question. In a file one has choices; one that is made up may not."""
    is_made = question.kind is Kind.OUTCOME and not question.choices
    return EndingQuestion if is_made else KINDS[question.kind]
