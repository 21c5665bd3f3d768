"""What if: a lesson under every edit, and how each of them ends, as rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent

from inplace_tui.common.cells import clip, hanging
from inplace_tui.common.outcome_text import ending_text, mark_of
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.outcome import Outcome, Truth
from inplace_tui.common.texts import say
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.course.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.tutorial.present.narration import wrapped_paragraphs

Outcomes = Mapping[str | None, tuple[Outcome, Truth]]


Guesses = Mapping[str, Ending | None]
"""What was predicted of each variant that may be shown; None where the learner asked to see it."""


def rows(
    lesson: LoadedLesson,
    outcomes: Outcomes,
    guesses: Guesses,
    *,
    shown: str | None,
    room: int,
    language: str,
) -> list[Row]:
    """Return the table: program, edit, prediction, outcome; one program after the other."""
    listed: list[Row] = []
    for place, variant in enumerate([None, *lesson.lesson.variants]):
        key = None if variant is None else variant.id
        title = (ScreenTexts.as_written if variant is None else variant.title)[language]
        target = Target(choice=place)
        here = "▸" if key == shown else " "
        lead = f"{here} {place + 1}  "
        listed += hanging(Span(lead, Style.NAME), [Span(title, Style.STRONG)], room, target)
        for edit in () if variant is None else _edits(lesson, variant.swap):
            listed.append(Row((Span("      "), Span(clip(edit, room - 6), Style.CODE)), target))
        if key is None or key in guesses:
            ending = _ending(outcomes.get(key), None if key is None else guesses[key], language)
        else:
            ending = [Span(say(ScreenTexts.not_predicted, language), Style.MASKED)]
        listed += hanging(Span("      "), ending, room, target)
        listed.append(Row())
    return listed[:-1]


def held_rows(
    lesson: LoadedLesson, outcomes: Outcomes, held: Mapping[str, bool], room: int, language: str
) -> list[Row]:
    """Return the recap, and the programs that would show it false: each case, and how it ended."""
    listed = wrapped_paragraphs(lesson.lesson.recap[language], room)
    for place, each in enumerate(lesson.lesson.holds):
        target = Target(choice=place)
        listed.append(Row())
        title = [Span(each.title[language], Style.STRONG)]
        listed += hanging(Span(f"  {place + 1}  ", Style.NAME), title, room, target)
        ending = [Span(*_phrase(outcomes.get(HOLDS + each.id), language))]
        if each.id in held:
            holds = held[each.id]
            text = ScreenTexts.holds if holds else ScreenTexts.does_not_hold
            ending.append(Span(f"  {say(text, language)}", Style.RIGHT if holds else Style.WRONG))
        listed += hanging(Span("     "), ending, room, target)
    return listed


def _edits(lesson: LoadedLesson, swap: Mapping[str, str]) -> list[str]:
    described = []
    for anchor, text in swap.items():
        lead = f"{lesson.anchors.get(anchor.partition('#')[0])}: "
        code = re.sub(r" *#@.*", "", dedent(text).strip("\n"))  # names are for authors
        lines = code.split("\n") if code.strip() else ["(–)"]
        described.append(lead + lines[0])
        described += [" " * len(lead) + line for line in lines[1:]]
    return described


def _ending(known: tuple[Outcome, Truth] | None, guess: Ending | None, language: str) -> list[Span]:
    """Return how a program ended, and beside it what was predicted."""
    phrase, style = _phrase(known, language)
    ending = [Span(phrase, style)]
    if guess is not None:
        right = known is not None and ending_of(*known) is guess
        guessed = say(ENDINGS[guess], language)
        text = ScreenTexts.predicted_right if right else ScreenTexts.predicted
        told = f"  {say(text, language, prediction=guessed)}"
        ending.append(Span(told, Style.RIGHT if right else Style.DIM))
    return ending


def _phrase(known: tuple[Outcome, Truth] | None, language: str) -> tuple[str, Style]:
    if known is None:
        return say(ScreenTexts.variant_runs, language), Style.DIM
    glyph, style = mark_of(ending_of(*known))
    return f"{glyph} {ending_text(*known, language)}", style
