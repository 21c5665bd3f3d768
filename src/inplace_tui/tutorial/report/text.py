"""A run as a page of text: every line, what it changed, what it printed, how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from inplace_tui.common.cells import clean, clip
from inplace_tui.common.run.files import lines_of, place_of, split_files
from inplace_tui.common.run.outcome import Truth
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.forecast.forecast import StepForecasts
from inplace_tui.tutorial.present import narration, table

INDENT = "      "

MAX_STEPS = 10_000
"""Lines that finished, of which all are printed: nobody reads more, and it takes seconds."""

MAX_WALKED = 1_000_000
"""Nodes that forecasts go through in all: of a deep graph they would take hours."""

MAX_CODE = 1_000
"""Cells of a line of the program."""


def lines(
    program: Program,
    timeline: Timeline,
    truth: Truth,
    *,
    language: str,
    width: int,
    watch: tuple[str, ...] = (),
    pointers: bool = False,
) -> Iterator[str]:
    """Yield the page, line by line, so that a long run can be read from its start."""
    parts = split_files(program.source)
    digits = max(len(str(len(lines_of(part.source)))) for part in parts)
    whole = lines_of(program.source)
    file: str | None = None
    left_out = len(timeline) - MAX_STEPS
    walked, says = 0, True
    for step in timeline:
        if left_out > 0 and 0 <= step.index - MAX_STEPS // 2 < left_out:
            if step.index == MAX_STEPS // 2:
                yield say(CommandTexts.left_out, language, count=f"{left_out:,}")
            continue
        place = place_of(program.source, step.line)
        if place.file != file:
            file = place.file
            yield f"{file or program.filename.rpartition('/')[2]}:"
        code = clip(clean(quoted_text("".join(whole[step.line - 1 : step.line]))), MAX_CODE)
        note = visit_note(step, language)
        yield f"{place.line:>{digits}}  {'  ' * step.depth}{code}{note}"
        forecasts = StepForecasts(timeline, step.index, program.source, most=MAX_WALKED - walked)
        view = view_at(program, timeline, step.index)
        view = replace(view, watch=watch, step_forecasts=forecasts)
        for row in narration.rows(view, width - len(INDENT), language):
            yield f"{INDENT}{row.text}".rstrip()
        yield from _table(view, width, language, pointers=pointers)
        walked += forecasts.walked
        if forecasts.refused and says:
            says = False
            count = f"{len(view.snapshot.nodes):,}"
            yield f"{INDENT}{say(CommandTexts.forecasts_left_out, language, count=count)}"
        for event in step.events:
            yield from _output(event, language)
    yield ""
    blame = find_blame(timeline, truth, source=program.source)
    end = view_at(program, timeline, -1)
    view = replace(end, program=program, outcome=timeline.outcome, truth=truth, blame=blame)
    for row in explain.rows(view, width, language):
        yield row.text


def visit_note(step: Step, language: str) -> str:
    """Return in which function a line ran, and how often it had; empty for the usual."""
    notes = [step.function] if step.function != "<module>" else []
    if step.visit > 1:
        notes.append(say(CommandTexts.visit, language, visit=step.visit))
    return f"  ({', '.join(notes)})" if notes else ""


def view_at(program: Program, timeline: Timeline, cursor: int) -> View:
    """Return a moment of a run that hides nothing; -1 is before its first line."""
    step = timeline.steps[cursor] if cursor >= 0 else None
    return View(
        source=program.source,
        timeline=timeline,
        cursor=cursor,
        reachable=len(timeline) - 1,
        snapshot=timeline.at(cursor),
        previous=EMPTY if step is None else timeline.at(step.began - 1),
        ran=step,
        next_line=None if step is None else step.then,
    )


def _table(view: View, width: int, language: str, *, pointers: bool) -> Iterator[str]:
    """Yield the rows of the table that this line changed, under its head."""
    rows = table.rows(view, width - len(INDENT), language, pointers=pointers)
    # The table marks a row that changed in its first two cells; the notes below it
    # stand behind an empty row.
    tensors = takewhile(lambda row: row.text.strip(), rows[1:])
    changed = [row.text for row in tensors if not row.text.startswith("  ")]
    for text in [rows[0].text, *changed] if changed else []:
        yield f"{INDENT}{text}".rstrip()


def _output(event: Event, language: str) -> Iterator[str]:
    match event:
        case Printed(text=text):
            pass
        case Warned(category=category, message=message):
            text = f"{category}: {message}"
        case Muted(kept_bytes=kept):
            text = say(CommandTexts.muted, language, kept=kept)
        case Mutation() | Rebound():
            return
    for line in text.splitlines():
        yield f"{INDENT}│ {clean(line)}"
