"""Lines of the program as answers: pointed at, or put into an order."""

from __future__ import annotations

from inplace_tui.engine.lessons.anchors import Marked
from inplace_tui.engine.lessons.ordering import CodeLine, code_line, orders, spelled
from inplace_tui.model.lesson import Kind, Question

ELSEWHERE = "@"
"""Begins the answer that a line is which no choice names: `@7`. No id begins so."""


def answer_at(question: Question, marked: Marked, line: int) -> str | None:
    """Return the answer that this line of the program is; None where there is no code.

    Of a compound statement only the header counts, not its body.
    """
    for choice in question.choices:
        assert choice.at is not None  # the loader saw to it
        span = marked.spans[choice.at.partition("#")[0]]
        if span.first <= line <= span.header:
            return choice.id
    lines = marked.code.split("\n")
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"{ELSEWHERE}{line}" if text and not text.startswith("#") else None


def is_answer(question: Question, answer: str) -> bool:
    """Whether this is an answer to the question, right or wrong."""
    if question.kind is Kind.ORDER:
        return sorted(answer.split(" ")) == sorted(question.lines)
    if question.kind is Kind.LINE and answer.startswith(ELSEWHERE):
        return answer.removeprefix(ELSEWHERE).isdecimal()
    return any(choice.id == answer for choice in question.choices)


def pointed_at(question: Question, answer: str, marked: Marked) -> CodeLine:
    """Return the line that an answer to a `line` is."""
    if answer.startswith(ELSEWHERE):
        number = int(answer.removeprefix(ELSEWHERE))
        lines = marked.code.split("\n")
        return CodeLine(answer, number, lines[number - 1].strip() if number <= len(lines) else "")
    at = next(choice.at for choice in question.choices if choice.id == answer)
    assert at is not None  # the loader saw to it
    found = code_line(marked, at.partition("#")[0])
    return CodeLine(answer, found.number, found.text)


def put(answer: str, marked: Marked) -> tuple[CodeLine, ...]:
    """Return the lines of an answer to an `order`, as it puts them."""
    return tuple(code_line(marked, name) for name in answer.split(" "))


def own_order(question: Question, marked: Marked) -> str:
    """Return the answer to an `order` that changes nothing."""
    return spelled(orders(question.lines, marked)[0])


def moved(answer: str, place: int, by: int) -> str:
    """Return an order with the line at `place` moved up or down; as it is if it can't be.

    >>> moved("a b c", 2, -1), moved("a b c", 0, -1)
    ('a c b', 'a b c')
    """
    names = answer.split(" ")
    if 0 <= place < len(names) and 0 <= place + by < len(names):
        names.insert(place + by, names.pop(place))
    return spelled(names)
