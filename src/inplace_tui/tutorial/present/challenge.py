"""A challenge above its program: the task, its rules, and the result."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from inplace_tui.common.cells import clip, wrap, wrapped
from inplace_tui.common.rows import Row, Span, Style, spans
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.tutorial.activity.challenges.grading import MODULES, GoalPart, Grade
from inplace_tui.tutorial.course.edits import located
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge
from inplace_tui.tutorial.present.narration import wrapped_paragraphs


@dataclass(frozen=True)
class ChallengeAttempt:
    """A challenge as it stands."""

    loaded: LoadedChallenge
    hints: int = 0
    """How many are shown."""

    grade: Grade | None = None
    """Of the last run; None before it, and while it is under way."""

    grading: bool = False
    """A run is under way, or its replays are."""

    source: str = ""
    """The program as it is edited; lines are numbered as they are there."""


def rows(attempt: ChallengeAttempt, room: int, language: str) -> list[Row]:
    """Return the task, its rules, the hints that were asked for, and the verdict."""
    challenge = attempt.loaded.challenge
    shown = wrapped_paragraphs(challenge.task[language], room)
    shown += wrapped(_rules(attempt, language), room)
    for number in range(1, attempt.hints + 1):
        shown += _hint(attempt, number, room, language)
    return shown + _verdict(attempt, room, language)


def verdict_at(attempt: ChallengeAttempt, room: int, language: str) -> int:
    return len(rows(attempt, room, language)) - len(_verdict(attempt, room, language))


def last_hint_at(attempt: ChallengeAttempt, room: int, language: str) -> int:
    """Return where the last hint begins, if there is one."""
    last = _hint(attempt, attempt.hints, room, language)
    return verdict_at(attempt, room, language) - len(last)


def _hint(attempt: ChallengeAttempt, number: int, room: int, language: str) -> list[Row]:
    hints = attempt.loaded.challenge.hints
    title = say(ChallengeTexts.hint, language, number=number, total=len(hints))
    text = hints[number - 1][language]
    named = attempt.loaded.lines_named(text)
    there = located(attempt.loaded.code, named, attempt.source or attempt.loaded.code)
    for name, line in named.items():
        key = ChallengeTexts.line if name in there else ChallengeTexts.line_at_start
        text = text.replace(f"{{{name}}}", say(key, language, line=there.get(name, line)))
    return wrapped([Span(title, Style.HEADING), *spans(text)], room)


def _rules(attempt: ChallengeAttempt, language: str) -> list[Span]:
    loaded, challenge = attempt.loaded, attempt.loaded.challenge
    parts = [say(ChallengeTexts.par, language, par=challenge.par)]
    if challenge.forbid:
        names = list_of((f"`{name}`" for name in challenge.forbid), language)
        parts.append(say(ChallengeTexts.forbid, language, names=names))
    lines = sorted(located(loaded.code, loaded.kept, attempt.source or loaded.code).values())
    if lines:
        parts.append(say(ChallengeTexts.keep, language, lines=_ranges(lines, language)))
    if challenge.same:
        names = list_of((f"`{name}`" for name in challenge.same), language)
        parts.append(say(ChallengeTexts.same, language, names=names))
    return spans(" · ".join(parts), Style.DIM)


def general_rules(room: int, language: str) -> list[Row]:
    modules = list_of(sorted(MODULES), language)
    heading = Row((Span(say(ChallengeTexts.general, language), Style.HEADING),))
    text = spans(say(ChallengeTexts.general_rules, language, modules=modules))
    return [heading, *wrapped([Span(" "), *text], room)]


def _ranges(lines: list[int], language: str) -> str:
    """Return numbers as people write them.

    >>> _ranges([1, 2, 3, 5, 7, 8], "en")
    '1-3, 5, 7, 8'
    """
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    long = (f"{run[0]}-{run[-1]}" if len(run) > 2 else list_of(run, language) for run in runs)
    return list_of(long, language)


def _verdict(attempt: ChallengeAttempt, room: int, language: str) -> list[Row]:
    if attempt.grading:
        return [Row((Span(say(ChallengeTexts.grading, language), Style.DIM),))]
    grade = attempt.grade
    if grade is None:
        return []
    head = Span(headline(grade, language), Style.RIGHT if grade.solved else Style.WRONG)
    parts = [[head, Span(" · ", Style.DIM), *spans(grade.lines[language])]]
    for mark in grade.marks:
        if not (grade.solved and mark.holds):
            parts.append(_mark(mark, language))
    shown = [Row(line) for part in parts for line in wrap(part, room)]
    if grade.solved:
        shown += wrapped_paragraphs(attempt.loaded.challenge.explain[language], room)
    return shown


def _mark(mark: GoalPart, language: str) -> list[Span]:
    text = mark.text[language]
    if mark.holds is None:
        text = say(ChallengeTexts.not_judged, language, what=text)
        return [Span("· ", Style.DIM), *spans(text, Style.DIM)]
    style = Style.RIGHT if mark.holds else Style.WRONG
    return [Span("✓ " if mark.holds else "✗ ", style), *spans(text, style)]


def headline(grade: Grade, language: str) -> str:
    return say(ChallengeTexts.solved if grade.solved else ChallengeTexts.not_yet, language)


def solution(loaded: LoadedChallenge, room: int, language: str) -> list[Row]:
    """Return what a good solution changes, and why it works."""
    before, after = loaded.code.splitlines(), loaded.solved_code.splitlines()
    styles = {"+": Style.RIGHT, "-": Style.WRONG, "?": Style.DIM}
    shown = [
        Row((Span(clip(line, room), styles.get(line[0], Style.CODE)),))
        for line in difflib.ndiff(before, after)
        if not line.startswith("?")
    ]
    return [*shown, Row(), *wrapped_paragraphs(loaded.challenge.explain[language], room)]
