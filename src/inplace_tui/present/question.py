"""A question as it stands: prompt, choices, what came of them, and hints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inplace_tui.engine.lessons.ordering import CodeLine
from inplace_tui.engine.session.view import QuestionView, Try, View
from inplace_tui.model.lesson import Kind, LocalText
from inplace_tui.present.cells import clean, clip_spans, flow_spans, wrap
from inplace_tui.present.narration import paragraphs, spans
from inplace_tui.present.rows import Row, Span, Style, Target, more
from inplace_tui.texts import say
from inplace_tui.texts.panels import QuestionTexts


def rows(
    view: View, room: int, language: str, *, keys: Mapping[str, str] | None = None
) -> list[Row]:
    """Return the rows of the question at the cursor.

    Args:
        view: the moment.
        room: cells of a row.
        language: of the words.
        keys: by the id of an action, what to press for it; without, no key is named.
    """
    question = view.question
    if question is None:
        return [Row((Span(say(QuestionTexts.none, language), Style.DIM),))]
    shown = _asked(question, room, language)
    shown += _result(question, room, language)
    if not is_settled(view):
        # Once all is known, hints only keep what follows out of sight.
        shown += _hints(question, room, language)
    return shown if keys is None else [*shown, Row(), *_keys(question, room, language, keys)]


def is_settled(view: View) -> bool:
    """Whether nothing can be answered any more."""
    return view.question is not None and view.question.status in (Try.RIGHT, Try.WRONG, Try.SHOWN)


def asked_kind(view: View) -> Kind | None:
    """Return the kind of the question that waits for an answer; None if none does."""
    question = view.question
    return question.kind if question and question.status in (Try.OPEN, Try.AGAIN) else None


def reply_at(view: View, room: int, language: str) -> int:
    """Return the index of the first row of what was said to the answer."""
    return 0 if view.question is None else len(_asked(view.question, room, language)) + 1


def _asked(question: QuestionView, room: int, language: str) -> list[Row]:
    answers = lines(question, room, language)
    for number in range(len(question.choices)):
        answers += _choice(question, number, room, language)
    prompt = _text(question.prompt[language], room, Style.STRONG)
    return [*prompt, Row(), *answers] if answers else prompt


def lines(question: QuestionView, room: int, language: str) -> list[Row]:
    """Return the lines that were pointed at, or that change places; of other kinds nothing."""
    match question.kind:
        case Kind.LINE:
            return [_pointed(question, line, room, language) for line in question.lines]
        case Kind.ORDER:
            movable = question.status in (Try.OPEN, Try.AGAIN)
            return [
                replace(row, target=Target(place=place)) if movable else row
                for place, row in enumerate(_in_order(question.lines, room))
            ]
        case Kind.OUTCOME | Kind.VALUE | Kind.ATTRIBUTE:
            return []


def _pointed(question: QuestionView, line: CodeLine, room: int, language: str) -> Row:
    """Return a line that was pointed at, or should have been, with its number."""
    glyph, word, style = _standing(question, line.name)
    spans = [Span(f"{glyph} {line.number}  ", style), Span(clean(line.text), Style.CODE)]
    if word:
        spans.append(Span(f"  {say(word, language)}", style))
    return Row(clip_spans(spans, room), Target(line=line.number))


def _in_order(code: tuple[CodeLine, ...], room: int) -> list[Row]:
    """Return lines one below the other, each with its place."""
    numbered = ((Span(f"  {n}  ", Style.NEXT), line) for n, line in enumerate(code, 1))
    return [
        Row(clip_spans([number, Span(clean(line.text), Style.CODE)], room))
        for number, line in numbered
    ]


def _text(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
    shown: list[Row] = []
    for part in paragraphs(text):
        styled = [
            Span(span.text, style if span.style is Style.PLAIN else span.style) for span in part
        ]
        shown += [Row()] if shown else []
        shown += [Row(line) for line in wrap(styled, room)]
    return shown


def _choice(question: QuestionView, number: int, room: int, language: str) -> list[Row]:
    """Draw one choice; its mark, then its word, then its colour say what came of it."""
    identity, text = question.choices[number]
    glyph, word, style = _standing(question, identity)
    answerable = question.status in (Try.OPEN, Try.AGAIN) and identity not in question.tried
    head = f"{glyph} {number + 1}  "
    body = [Span(span.text, _look(span, style)) for span in spans(text[language].strip())]
    if word:
        body.append(Span(f"  {say(word, language)}", style))
    target = Target(choice=number) if answerable else Target()
    shown = []
    for place, line in enumerate(wrap(body, room - len(head))):
        if place == 0:
            shown.append(Row((Span(head, style if word else Style.NEXT), *line), target))
        else:
            shown.append(more((Span(" " * len(head)), *line), target))
    return shown


def _look(span: Span, style: Style) -> Style:
    return style if span.style is Style.PLAIN else span.style


def _standing(question: QuestionView, identity: str) -> tuple[str, LocalText | None, Style]:
    """Return the glyph, the word and the style of a choice."""
    chosen = bool(question.tried) and question.tried[-1] == identity
    if question.right == identity:
        return "✓", QuestionTexts.is_right, Style.RIGHT
    if identity not in question.tried:
        return " ", None, Style.PLAIN if question.right is None else Style.DIM
    if chosen and question.status is Try.CHECKING:
        return "▸", QuestionTexts.your_choice, Style.NEXT
    if chosen and question.right is None and question.status is Try.RIGHT:
        return "✓", QuestionTexts.is_right, Style.RIGHT
    return (
        "✗",
        QuestionTexts.tried if question.status is Try.AGAIN else QuestionTexts.is_wrong,
        Style.WRONG,
    )


def _result(question: QuestionView, room: int, language: str) -> list[Row]:
    """Say what came of the last try, and why."""
    text, style = {
        Try.OPEN: (None, Style.PLAIN),
        Try.AGAIN: (QuestionTexts.again, Style.WRONG),
        Try.CHECKING: (QuestionTexts.checking, Style.DIM),
        Try.RIGHT: (QuestionTexts.right, Style.RIGHT),
        Try.WRONG: (QuestionTexts.wrong, Style.WRONG),
        Try.SHOWN: (QuestionTexts.shown, Style.DIM),
    }[question.status]
    if question.status is Try.CHECKING and question.kind is Kind.ORDER:
        text = QuestionTexts.ordering
    shown = []
    if text is not None:
        shown += [Row(), Row((Span(say(text, language), style),))]
    if question.did is not None:
        shown += _text(question.did[language], room)
    if question.feedback is not None:
        shown += _text(question.feedback[language], room)
    if question.kind is Kind.ORDER and not question.works and style is not Style.RIGHT:
        sought = question.status in (Try.WRONG, Try.SHOWN)
        shown += [Row((Span(say(QuestionTexts.seeking, language), Style.DIM),))] if sought else []
    if question.works and question.status is not Try.RIGHT:
        shown += [Row(), Row((Span(say(QuestionTexts.works, language), Style.STRONG),))]
        shown += _in_order(question.works, room)
    return shown


def _hints(question: QuestionView, room: int, language: str) -> list[Row]:
    shown: list[Row] = []
    for number, hint in enumerate(question.hints, 1):
        title = say(QuestionTexts.hint, language, number=number, total=question.hints_total)
        shown += [Row(), Row((Span(title, Style.HEADING),)), *_text(hint[language], room)]
    return shown


_ANSWERING: dict[Kind, tuple[LocalText, str | None]] = {
    Kind.LINE: (QuestionTexts.point, "commit"),
    Kind.ORDER: (QuestionTexts.arrange, "commit"),
}


def _keys(question: QuestionView, room: int, language: str, keys: Mapping[str, str]) -> list[Row]:
    """Say what can be pressed, while anything can be."""
    if question.status not in (Try.OPEN, Try.AGAIN):
        return []
    choices = numbers(keys, len(question.choices))
    counts = {"shown": len(question.hints), "total": question.hints_total}
    ways: list[tuple[LocalText, str | None]] = [
        _ANSWERING.get(question.kind, (QuestionTexts.open, None)),
        (QuestionTexts.later, "leave"),
        *(
            [(QuestionTexts.hints_left, "hint")]
            if question.hints_total > len(question.hints)
            else []
        ),
        (QuestionTexts.answer, "answer"),
    ]
    words = [
        Span(
            say(text, language, keys=keys, choices=choices, **counts),
            Style.DIM,
            Target(action=action),
        )
        for text, action in ways
    ]
    return [Row(line) for line in flow_spans(words, room, " · ")]


def numbers(keys: Mapping[str, str], count: int) -> str:
    """Return what to press for one of so many choices: `1–3`, or `a/b/3` where they were moved."""
    each = [keys[f"choose.{number}"] for number in range(1, count + 1)]
    usual = [str(number) for number in range(1, count + 1)]
    return f"{each[0]}–{each[-1]}" if len(each) > 1 and each == usual else "/".join(each)
