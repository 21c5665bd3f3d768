"""A question: prompt, answers, the reply to the last one, and hints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inplace_tui.common.cells import clean, clip_spans, flow_spans, spans_width, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, more, spans
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import QuestionTexts
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswersView,
    ChoicesView,
    CodeLine,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.present.narration import wrapped_paragraphs


def rows(
    view: View,
    room: int,
    language: str,
    *,
    keys: Mapping[str, str] | None = None,
    locked: bool = False,
) -> list[Row]:
    """Return the rows of the question at the cursor.

    `keys` are by the ids of actions; without, no key is named. `locked`: no answer is taken, so
    that a class can think.
    """
    question = view.question
    if question is None:
        return [Row((Span(say(QuestionTexts.none, language), Style.DIM),))]
    shown = _asked(question, room, language, keys)
    shown += _result(question, room, language)
    if locked:
        shown += _whys(question, room, language, keys)
    if not view.question_is_done:
        # Once all is known, hints only take room.
        for number, hint in enumerate(question.hints, 1):
            title = say(QuestionTexts.hint, language, number=number, total=question.hints_total)
            shown += [Row(), Row((Span(title, Style.HEADING),))]
            shown += wrapped_paragraphs(hint[language], room)
    if keys is None:
        return shown
    return [*shown, Row(), *_keys(question, room, language, keys, locked=locked)]


def open_answers(view: View) -> AnswersView | None:
    """Return what the question that waits is answered with; None if none waits."""
    question = view.question
    return question.answers if question and question.status.is_open else None


def count(answers: AnswersView | None) -> int:
    """Return how many things can be marked to answer."""
    match answers:
        case ChoicesView(choices=choices):
            return len(choices)
        case OrderView(lines=lines):
            return len(lines)
        case LinesView() | TypedView() | None:
            return 0


def reply_at(view: View, room: int, language: str) -> int:
    """Return the index of the first row of the reply."""
    return 0 if view.question is None else len(_asked(view.question, room, language)) + 1


def _asked(
    question: QuestionView, room: int, language: str, keys: Mapping[str, str] | None = None
) -> list[Row]:
    answers = answer_rows(question, room, language, keys)
    prompt = wrapped_paragraphs(question.prompt[language], room, Style.STRONG)
    return [*prompt, Row(), *answers] if answers else prompt


_HOW = {
    ChoicesView: QuestionTexts.open,
    LinesView: QuestionTexts.point,
    OrderView: QuestionTexts.arrange,
    TypedView: QuestionTexts.type,
}
"""The text that says how to answer."""


def answer_rows(
    question: QuestionView, room: int, language: str, keys: Mapping[str, str] | None = None
) -> list[Row]:
    is_open, found = question.status.is_open, list[Row]()
    match question.answers:
        case ChoicesView(choices=choices):
            for place, (identity, text) in enumerate(choices):
                answerable = is_open and identity not in question.tried
                target = Target(choice=place) if answerable else Target()
                mark = _choice_mark(question, identity)
                found += _choice(letter(keys, place), text, mark, target, room, language)
        case LinesView(lines=lines):
            found = [_pointed(question, line, room, language) for line in lines]
        case TypedView(given=given, name=name, draft=draft):
            for answer, wording in given:
                mark = _choice_mark(question, answer)
                found += _choice(f"{name} =", wording, mark, Target(), room, language)
            if is_open and keys is not None:
                found.append(
                    Row((Span(f"▸ {name} = ", Style.NEXT), Span(f"{draft}▏", Style.STRONG)))
                )
        case OrderView(lines=lines):
            found = _in_order(lines, room, keys)
            if is_open:
                found = [Row(row.spans, Target(place=n)) for n, row in enumerate(found)]
    return found


def _pointed(question: QuestionView, line: CodeLine, room: int, language: str) -> Row:
    """Return a line that was pointed at, or should have been, with its number."""
    glyph, word, style = _choice_mark(question, line.name)
    code = (Span(f"{glyph} {line.number}  ", style), Span(clean(line.text), Style.CODE))
    after = (Span(f"  {say(word, language)}", style),) if word else ()
    kept = clip_spans(code, max(0, room - spans_width(after)))
    return Row(clip_spans((*kept, *after), room), Target(line=line.number))


def _in_order(
    code: tuple[CodeLine, ...], room: int, keys: Mapping[str, str] | None = None
) -> list[Row]:
    """Return lines one below the other, each with what stands for its place."""
    numbered = (
        (Span(f"  {letter(keys, place)}  ", Style.NEXT), line) for place, line in enumerate(code)
    )
    return [
        Row(clip_spans([number, Span(clean(line.text), Style.CODE)], room))
        for number, line in numbered
    ]


def _choice(  # noqa: PLR0917  (a choice, and where it is drawn)
    key: str,
    text: LocalText,
    mark: tuple[str, LocalText | None, Style],
    target: Target,
    room: int,
    language: str,
) -> list[Row]:
    glyph, word, style = mark
    head = f"{glyph} {key}  "
    body = spans(text[language].strip(), style)
    if word:
        body.append(Span(f"  {say(word, language)}", style))
    first, *rest = wrap(body, room - len(head))
    return [
        Row((Span(head, Style.NEXT if glyph == " " else style), *first), target),
        *(more((Span(" " * len(head)), *line), target) for line in rest),
    ]


def _choice_mark(question: QuestionView, identity: str) -> tuple[str, LocalText | None, Style]:
    """Return the glyph, the word and the style of a choice."""
    chosen = bool(question.tried) and question.tried[-1] == identity
    if question.right == identity:
        # The result below says it of an answer that is right.
        word = None if question.status is QuestionStatus.RIGHT else QuestionTexts.is_right
        return "✓", word, Style.RIGHT
    if identity not in question.tried:
        return " ", None, Style.PLAIN if question.right is None else Style.DIM
    if chosen and question.status is QuestionStatus.CHECKING:
        return "▸", QuestionTexts.your_choice, Style.NEXT
    if chosen and question.right is None and question.status is QuestionStatus.RIGHT:
        return "✓", None, Style.RIGHT
    again = question.status is QuestionStatus.AGAIN
    return "✗", QuestionTexts.tried if again else QuestionTexts.is_wrong, Style.WRONG


def _result(question: QuestionView, room: int, language: str) -> list[Row]:
    works = question.answers.works if isinstance(question.answers, OrderView) else None
    checking = QuestionTexts.checking if works is None else QuestionTexts.ordering
    text, style = {
        QuestionStatus.OPEN: (None, Style.PLAIN),
        QuestionStatus.AGAIN: (QuestionTexts.again, Style.WRONG),
        QuestionStatus.CHECKING: (checking, Style.DIM),
        QuestionStatus.RIGHT: (QuestionTexts.right, Style.RIGHT),
        QuestionStatus.WRONG: (QuestionTexts.wrong, Style.WRONG),
        QuestionStatus.SHOWN: (QuestionTexts.shown, Style.DIM),
    }[question.status]
    shown = []
    if text is not None:
        shown += [Row(), Row((Span(say(text, language), style),))]
    for told in (question.did, question.feedback):
        shown += [] if told is None else wrapped_paragraphs(told[language], room)
    if question.searching:
        shown.append(Row((Span(say(QuestionTexts.seeking, language), Style.DIM),)))
    if works and question.status is not QuestionStatus.RIGHT:
        shown += [Row(), Row((Span(say(QuestionTexts.works, language), Style.STRONG),))]
        shown += _in_order(works, room)
    return shown


def _whys(
    question: QuestionView, room: int, language: str, keys: Mapping[str, str] | None
) -> list[Row]:
    """Return what is said to each wrong answer: a class gave all of them."""
    answers = question.answers
    listed = [each for each, _ in answers.choices] if isinstance(answers, ChoicesView) else []
    named = [(letter(keys, listed.index(c)) if c in listed else "", w) for c, w in question.whys]
    shown: list[Row] = []
    for key, why in sorted(named, key=lambda each: each[0]):
        text = f"✗ {key}  {why[language]}" if key else why[language]
        shown += [Row(), *wrapped_paragraphs(text, room)]
    return shown


def _keys(
    question: QuestionView, room: int, language: str, keys: Mapping[str, str], *, locked: bool
) -> list[Row]:
    if not question.status.is_open:
        return []
    choices = letters(keys, count(question.answers))
    counts = {"shown": len(question.hints), "total": question.hints_total}
    ways: list[tuple[LocalText, str | None]] = [
        (QuestionTexts.locked, "answer") if locked else (_HOW[type(question.answers)], "commit"),
        (QuestionTexts.later, "leave"),
    ]
    if question.hints_total > len(question.hints):
        ways.append((QuestionTexts.hints_left, "hint"))
    if not locked:
        ways += [(QuestionTexts.answer, "answer"), (QuestionTexts.guess, "guess")]
    return ways_rows(ways, room, language, keys=keys, choices=choices, **counts)


def ways_rows(
    ways: Iterable[tuple[LocalText, str | None]], room: int, language: str, **values: object
) -> list[Row]:
    """Return what can be pressed, with the action that a click on it runs."""
    words = [
        Span(say(text, language, **values), Style.DIM, Target(action=action))
        for text, action in ways
    ]
    return [Row(line) for line in flow_spans(words, room, " · ")]


def letter(keys: Mapping[str, str] | None, place: int) -> str:
    """Return what stands for the choice at a place: its key, or a number where lines are typed."""
    return str(place + 1) if keys is None else keys.get(f"choice.{place + 1}", str(place + 1))


def letters(keys: Mapping[str, str], count: int) -> str:
    """Return what to press for one of so many choices: `a–c`, or `1/x/c` where they were moved."""
    each = [letter(keys, place) for place in range(count)]
    usual = list("abcdef"[:count])
    return f"{each[0]}–{each[-1]}" if len(each) > 1 and each == usual else "/".join(each)
