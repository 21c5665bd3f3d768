"""What the program wrote, up to the cursor: prints, warnings, exceptions, in order."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from inplace_tui.common.cells import clean, width, wrap
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.files import place_of
from inplace_tui.common.run.outcome import Completed, Crashed, Outcome, Raised, Unverified
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Step, Warned
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import OutputTexts
from inplace_tui.tutorial.activity.session.view import View, asked_step

MAX_LINES = 1000
"""Older lines are only counted: wrapping a megabyte at every key would be slow."""

MAX_CELLS = 40 * MAX_LINES
"""The same limit for long lines; the first line shown is cut at its start."""

MAX_CACHED = 500
"""Characters of a line whose rows are cached; one without an end grows with each step."""


@dataclass
class _OutputLine:
    """One line of output, of the step that began it; cleaned only if it is shown."""

    text: str
    style: Style
    step: Step
    ended: bool = True


def rows(view: View, room: int, language: str) -> list[Row]:
    """Return the output with the number of the line that wrote it."""
    lines, dropped = _lines(view, language)
    end = _ending(view, language)
    if not lines and not end:
        return [Row((Span(say(OutputTexts.none, language), Style.DIM),))]
    places = {line.step.line: place_of(view.source, line.step.line).brief for line in lines}
    digits = max(map(len, places.values()), default=1)
    shown = []
    if dropped:
        shown.append(Row((Span(say(OutputTexts.earlier, language, count=dropped), Style.DIM),)))
    for line in lines:
        current = view.ran is not None and line.step.index == view.ran.index
        number = f"{places[line.step.line]:>{digits}} "
        gutter = Span(number, Style.CHANGED if current else Style.DIM)
        bar = Span("│ ", Style.DIM)
        target = Target(line=line.step.line, step=line.step.index)
        pieces = _wrapped(line, room - digits - 3)
        for place, piece in enumerate(pieces):
            first = gutter if place == 0 else Span(" " * (digits + 1))
            shown.append(Row((first, bar, *piece), target))
    return [*shown, *(Row(piece) for piece in wrap([Span(end, Style.ERROR)], room) if end)]


def _wrapped(line: _OutputLine, room: int) -> list[tuple[Span, ...]]:
    if len(line.text) > MAX_CACHED:
        return wrap([Span(line.text, line.style)], room)
    return _wrapped_once(line.text, line.style, room)


@lru_cache(maxsize=2 * MAX_LINES)
def _wrapped_once(text: str, style: Style, room: int) -> list[tuple[Span, ...]]:
    """Return the rows of one line: most lines of a step are there at the next one, too."""
    return wrap([Span(text, style)], room)


def _lines(view: View, language: str) -> tuple[list[_OutputLine], int]:
    writing = view.timeline.index.output
    end = bisect_right(writing, view.cursor)
    steps: list[Step] = []
    budget = 0
    while end > 0 and budget <= MAX_LINES:
        end -= 1
        steps.append(view.timeline.steps[writing[end]])
        count = sum(e.text.count("\n") for e in steps[-1].events if isinstance(e, Printed))
        budget += max(1, count)
    lines: list[_OutputLine] = []
    raised, asked = None, asked_step(view)
    for step in reversed(steps):
        if asked is not None and step.index >= asked:
            break
        for event in step.events:
            _add_event(lines, step, event, language)
        if step.raised is not None and step.raised != raised:
            text = f"{say(OutputTexts.raised, language)} {step.raised}"
            _add_lines(lines, step, text, Style.ERROR)
        raised = step.raised
    if asked is not None and asked <= view.cursor:
        masked = say(OutputTexts.masked, language)
        lines.append(_OutputLine(masked, Style.MASKED, view.timeline.steps[asked]))
    earlier = view.timeline.index.printed[end - 1] if end else 0
    kept, left = 0, MAX_CELLS
    while kept < min(len(lines), MAX_LINES) and left > 0:
        kept += 1
        lines[-kept].text = clean(lines[-kept].text)
        left -= width(lines[-kept].text)
    if left < 0:
        first = lines[-kept].text
        lines[-kept].text = f"…{first[-left * len(first) // width(first) :]}"
    dropped = len(lines) - kept
    return lines[dropped:], dropped + earlier


def _add_event(lines: list[_OutputLine], step: Step, event: Event, language: str) -> None:
    match event:
        case Mutation() | Rebound():
            pass
        case Printed(text=text, stream=stream):
            style = Style.PLAIN if stream == "stdout" else Style.WARNING
            _add_stream(lines, step, text, style)
        case Warned(category=category, message=message):
            text = f"{say(OutputTexts.warning, language)} {category}: {message}"
            _add_lines(lines, step, text, Style.WARNING)
        case Muted(kept_bytes=count):
            text = say(OutputTexts.muted, language, count=f"{count:,}")
            _add_lines(lines, step, text, Style.WARNING)


def _add_stream(lines: list[_OutputLine], step: Step, text: str, style: Style) -> None:
    pieces = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1].ended and lines[-1].style is style:
        lines[-1].text += pieces[0]
        lines[-1].ended = len(pieces) > 1
        pieces = pieces[1:]
    for place, piece in enumerate(pieces):
        last = place == len(pieces) - 1
        if piece or not last:
            lines.append(_OutputLine(piece, style, step, ended=not last))


def _add_lines(lines: list[_OutputLine], step: Step, text: str, style: Style) -> None:
    lines += [_OutputLine(piece, style, step) for piece in text.split("\n")]


def _ending(view: View, language: str) -> str:
    """Return how the run ended, where no line of it shows that."""
    if view.outcome is None or view.cursor < len(view.timeline) - 1:
        return ""
    return ended(view.outcome, language, view.source)


def ended(outcome: Outcome, language: str, source: str) -> str:
    """Return a line about an end that the program's own output does not show; else nothing."""
    if isinstance(outcome, Completed | Raised):
        return ""
    words = outcome.last_words if isinstance(outcome, Crashed) else ""
    last = [clean(line) for line in words.strip().split("\n")[-4:] if line]
    return "\n".join((f"✗ {ending_text(outcome, Unverified(), language, source)}", *last))
