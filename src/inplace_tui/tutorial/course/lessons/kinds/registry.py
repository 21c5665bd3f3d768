"""Which rules each kind of question has."""

from __future__ import annotations

from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.course.lessons.kinds.choice import ChoiceQuestion, ChoicesView
from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
from inplace_tui.tutorial.course.lessons.kinds.line import LineQuestion, LinesView
from inplace_tui.tutorial.course.lessons.kinds.order import OrderQuestion, OrderView

AnswersView = ChoicesView | LinesView | OrderView

KINDS: dict[Kind, type[AskedQuestion[AnswersView]]] = {
    Kind.OUTCOME: ChoiceQuestion,
    Kind.VALUE: ChoiceQuestion,
    Kind.ATTRIBUTE: ChoiceQuestion,
    Kind.LINE: LineQuestion,
    Kind.ORDER: OrderQuestion,
}
