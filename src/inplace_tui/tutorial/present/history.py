"""The runs that are kept, as a list: how each ended, and what was edited before it."""

from __future__ import annotations

from inplace_tui.common.cells import clean, clip, hanging, pad_spans, width, wrap, wrapped
from inplace_tui.common.outcome_text import ending_text, mark_of
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.ending import ending_of
from inplace_tui.common.run.files import line_name
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say, space
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.tutorial.history.runs import MAX_BYTES, MAX_RUNS, History, KeptRun, text_change

INDENT = 6
"""Cells before the text: the cursor's mark, the number."""

WIDE = 60
"""Width from which the end of a run has a column of its own."""

MAX_CODE = 28
"""Cells of a line of code within a sentence, where there is room."""


def listing(history: History, *, shown: KeptRun | None, room: int, language: str) -> list[Row]:
    """Return some rows a run: how it ended, and what changed; `choice` is its number."""
    if not history.runs:
        return wrapped([Span(say(HistoryTexts.none, language), Style.DIM)], room)
    found: list[Row] = []
    for before, run in reversed([*zip((None, *history.runs), history.runs, strict=False)]):
        mark = "▸" if run is shown else "○"
        notes = [say(HistoryTexts.now, language)] if run is shown else []
        notes.append(changed(before, run, room - INDENT - 2, language))
        target = Target(choice=run.number)
        found += [Row(line, target) for line in _head(run, mark, room, language)]
        below = [Span(" · ".join(notes), Style.DIM)]
        found += hanging(Span(" " * INDENT), below, room, target)
    limits = say(HistoryTexts.bounds, language, runs=MAX_RUNS, mib=MAX_BYTES // 2**20)
    if history.dropped:
        limits += space(language) + say(HistoryTexts.dropped, language, count=history.dropped)
    return [*found, Row(), *wrapped([Span(limits, Style.DIM)], room)]


def _head(run: KeptRun, mark: str, room: int, language: str) -> list[tuple[Span, ...]]:
    """Return when a run was, how it ended, and how long it took, in as many lines as needed."""
    right = ""
    if run.seconds is not None and room >= WIDE:
        right = "  " + say(HistoryTexts.seconds, language, seconds=f"{run.seconds:.2f}")
    glyph, style = mark_of(ending_of(run.outcome, run.known_truth))
    before = f"{run.began}  "
    indent = INDENT + width(before) + width(f"{glyph} ")
    middle = max(4, room - indent - width(right))
    phrase = ending_text(run.outcome, run.known_truth, language, run.program.source)
    phrases = [phrase] if run.verdict is None else [phrase, run.verdict]
    if width(together := " · ".join(phrases)) <= middle:
        phrases = [together]
    first, *rest = (line for each in phrases for line in wrap([Span(each, style)], middle))
    number = Span(f"{mark}{run.number:>3}  ", Style.DIM if mark == "○" else Style.NAME)
    when, end = Span(before, Style.DIM), Span(f"{glyph} ", style)
    head = (number, when, end, *pad_spans(first, middle), Span(right, Style.DIM))
    return [head, *((Span(" " * indent), *line) for line in rest)]


def changed(before: KeptRun | None, run: KeptRun, room: int, language: str) -> str:
    if before is None:
        return say(HistoryTexts.first, language)
    found = text_change(before.program.source, run.program.source)
    if found is None:
        return say(HistoryTexts.same_text, language)
    most = max(MAX_CODE // 2, (room - 24) // 2)
    values: dict[str, object] = {"line": line_name(run.program.source, found.line)}
    lines = [line or "" for line in (found.before, found.after)]
    quoted = [quoted_text(line) for line in lines]
    if quoted[0] == quoted[1]:  # only a comment, or blanks, changed
        quoted = [line.strip() for line in lines]
    for side, text in zip(("before", "after"), quoted, strict=True):
        values[side] = clip(clean(text), most) or say(HistoryTexts.blank, language)
    change = HistoryTexts.changed if found.before is not None else HistoryTexts.added
    change = change if found.after is not None else HistoryTexts.removed
    more = say(HistoryTexts.more, language, count=found.more) if found.more else ""
    return say(change, language, **values) + more
