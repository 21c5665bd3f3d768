"""The runs of a session as a list, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.cells import clean, clip, pad_spans, width, wrap, wrapped
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.outcome import Completed, Right, Wrong
from inplace_tui.common.texts import say
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.tutorial.history.runs import MAX_BYTES, MAX_RUNS, History, KeptRun, text_change

INDENT = 6
"""Cells before the text: the cursor's mark, the number."""

WIDE = 60
"""Width from which the end of a run has a column of its own."""

MAX_CODE = 28
"""Cells of a line of code within a sentence, where there is room."""


def listing(
    history: History, *, shown: KeptRun | None, marked: Sequence[int], room: int, language: str
) -> list[Row]:
    """Return some rows a run: how it ended, and what changed; `choice` is its number."""
    if not history.runs:
        return [
            Row(line) for line in wrap([Span(say(HistoryTexts.none, language), Style.DIM)], room)
        ]
    found: list[Row] = []
    for run in reversed(history.runs):
        mark = "●" if run.number in marked else "▸" if run is shown else "○"
        notes = [say(HistoryTexts.now, language)] if run is shown else []
        if run.live:
            key = HistoryTexts.live if run.stands_for == 1 else HistoryTexts.live_of
            notes.append(say(key, language, count=run.stands_for))
        notes.append(changed(history.before(run), run, room - INDENT - 2, language))
        target = Target(choice=run.number)
        found += [Row(line, target) for line in _head(run, mark, room, language)]
        for line in wrap([Span(" · ".join(notes), Style.DIM)], room - INDENT):
            found.append(Row((Span(" " * INDENT), *line), target))
    return [*found, Row(), *_limits(history, room, language)]


def glyph_of(run: KeptRun) -> tuple[str, Style]:
    if isinstance(run.outcome, Completed):
        if isinstance(run.known_truth, Wrong):
            return "≠", Style.ERROR
        return ("✓" if isinstance(run.known_truth, Right) else "·"), Style.RIGHT
    return "✗", Style.ERROR


def brief(run: KeptRun, language: str) -> list[str]:
    phrase = ending_text(run.outcome, run.known_truth, language, run.program.source)
    return [phrase] if run.verdict is None else [phrase, run.verdict]


def _head(run: KeptRun, mark: str, room: int, language: str) -> list[tuple[Span, ...]]:
    """Return when a run was, how it ended, and how long it took, in as many lines as needed."""
    right = ""
    if run.seconds is not None and room >= WIDE:
        right = "  " + say(HistoryTexts.seconds, language, seconds=f"{run.seconds:.2f}")
    glyph, style = glyph_of(run)
    before = f"{run.began}  "
    middle = max(4, room - INDENT - width(before) - width(f"{glyph} ") - width(right))
    phrase = brief(run, language)
    together = " · ".join(phrase)
    if width(together) <= middle:
        phrase = [together]
    first = wrap([Span(phrase[0], style)], middle)[0]
    phrase[0] = phrase[0][len("".join(span.text for span in first)) :].strip()
    indent = INDENT + (width(before) if room >= WIDE else 0) + width(f"{glyph} ")
    rest = [line for each in phrase if each for line in wrap([Span(each, style)], room - indent)]
    head = (
        Span(
            f"{mark}{run.number:>3}  ",
            Style.DIM if mark == "○" else Style.NAME,
            Target(choice=run.number, action="mark"),
        ),
        Span(before, Style.DIM),
        Span(f"{glyph} ", style),
        *pad_spans(first, middle),
        Span(right, Style.DIM),
    )
    return [head, *((Span(" " * indent), *line) for line in rest)]


def changed(before: KeptRun | None, run: KeptRun, room: int, language: str) -> str:
    if before is None:
        return say(HistoryTexts.first, language)
    found = text_change(before.program.source, run.program.source)
    if found is None:
        return say(HistoryTexts.same_text, language)
    most = max(MAX_CODE // 2, (room - 24) // 2)
    values: dict[str, object] = {"line": line_name(run.program.source, found.line)}
    for side, line in (("before", found.before), ("after", found.after)):
        text = "" if line is None else clip(clean(line.strip()), most)
        values[side] = text or say(HistoryTexts.blank, language)
    if found.before is None:
        change = HistoryTexts.added
    else:
        change = HistoryTexts.removed if found.after is None else HistoryTexts.changed
    more = say(HistoryTexts.more, language, count=found.more) if found.more else ""
    return say(change, language, **values) + more


def _limits(history: History, room: int, language: str) -> list[Row]:
    phrase = say(HistoryTexts.bounds, language, runs=MAX_RUNS, mib=MAX_BYTES // 2**20)
    if history.dropped:
        key = HistoryTexts.dropped if history.dropped > 1 else HistoryTexts.one_dropped
        gap = "" if language == "zh" else " "
        phrase += gap + say(key, language, count=history.dropped)
    return wrapped([Span(phrase, Style.DIM)], room)
