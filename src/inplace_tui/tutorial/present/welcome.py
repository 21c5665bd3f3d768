"""The welcome as rows: a program, its crash, the line at fault, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.common.cells import clean, hanging, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, spans
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.texts import say
from inplace_tui.common.texts.glossary import meaning
from inplace_tui.common.texts.welcome import CHOICES, WelcomeTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.introduction import CRASH
from inplace_tui.tutorial.present import code

STEPS = 4
"""The program, its crash, the line at fault, what to do next."""

LAST = STEPS - 1
WIDEST = 96
"""Cells of a line of text: longer ones are hard to read."""


def rows(
    step: int, view: View | None, *, room: int, language: str, keys: Mapping[str, str]
) -> list[Row]:
    room, source = min(room, WIDEST), CRASH.source

    def text(words: LocalText, style: Style = Style.PLAIN, **values: object) -> list[Row]:
        return wrapped(spans(say(words, language, **values), style), room)

    onward, program = keys["onward"], code.quoted(source, room)
    if step == LAST:
        return _choices(text(WelcomeTexts.where, Style.STRONG), room, language, keys)
    if step == 0 or view is None:
        shown = [*text(WelcomeTexts.what, Style.STRONG), Row(), *text(WelcomeTexts.program), Row()]
        shown += [*program, Row()]
        if step == 0:
            return [*shown, *text(WelcomeTexts.run, key=onward)]
        return [*shown, *text(WelcomeTexts.running, Style.WARNING)]
    if step == 1:
        message_text = view.outcome.message if isinstance(view.outcome, Raised) else ""
        quoted = wrapped([Span(clean(message_text), Style.ERROR)], room)
        message = [*text(WelcomeTexts.message), Row(), *quoted, Row()]
        return [*program, Row(), *message, *text(WelcomeTexts.ask_line, key=onward)]
    explained: list[Row] = []
    if view.outcome is not None:  # without PyTorch's words, which were shown the step before
        sentences = explain.explanation(
            view.outcome, view.truth, view.blame, source=source, language=language, marks=False
        )
        explained = [row for each in sentences[:-1] for row in wrapped(each.spans, room)]
    meant = wrapped(spans(meaning("version")[language], Style.DIM), room)
    named, choose = text(WelcomeTexts.named), text(WelcomeTexts.choose, key=onward)
    parts = named, code.rows(view, room, language), explained, meant, choose
    return [row for part in parts for row in (*part, Row())][:-1]


def _choices(head: list[Row], room: int, language: str, keys: Mapping[str, str]) -> list[Row]:
    shown = [*head, Row()]
    for place, (action, words) in enumerate(CHOICES):
        lead, told = Span(f"  {keys[action]}  ", Style.NAME), spans(say(words, language))
        first, *rest = hanging(lead, told, room, Target(choice=place))
        shown += [first, *(Row(row.spans) for row in rest), Row()]
    sentence = say(
        WelcomeTexts.later, language, key=keys["leave.welcome"], again=keys["introduction"]
    )
    return [*shown, *wrapped(spans(sentence), room)]
