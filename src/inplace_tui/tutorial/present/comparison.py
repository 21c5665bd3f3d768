"""The runs that are kept, as a list; and what changed between two, as a page, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.cells import (
    clean,
    clip,
    clip_spans,
    hanging,
    pad,
    pad_spans,
    width,
    wrap,
    wrapped,
)
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.outcome_text import ending_text, mark_of
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.ending import ending_of
from inplace_tui.common.run.files import line_name, lines_of
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.step import Step
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say, space
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.diagnosis.fixes.rows import DIFF
from inplace_tui.tutorial.history.comparison import (
    MAX_STEPS,
    Divergence,
    DivergenceKind,
    RunComparison,
    TensorChange,
)
from inplace_tui.tutorial.history.runs import MAX_BYTES, MAX_RUNS, History, KeptRun, text_change

INDENT = 6
"""Cells before the text: the cursor's mark, the number."""

WIDE = 60
"""Width from which the end of a run has a column of its own."""

MAX_CODE = 28
"""Cells of a line of code within a sentence, where there is room."""

BESIDE = 90
"""Cells from which the program stands beside the results, not above them."""

MAX_ROWS = 400
"""Rows of a difference that are shown."""


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


def brief(run: KeptRun, language: str) -> list[str]:
    phrase = ending_text(run.outcome, run.known_truth, language, run.program.source)
    return [phrase] if run.verdict is None else [phrase, run.verdict]


def _head(run: KeptRun, mark: str, room: int, language: str) -> list[tuple[Span, ...]]:
    """Return when a run was, how it ended, and how long it took, in as many lines as needed."""
    right = ""
    if run.seconds is not None and room >= WIDE:
        right = "  " + say(HistoryTexts.seconds, language, seconds=f"{run.seconds:.2f}")
    glyph, style = mark_of(ending_of(run.outcome, run.known_truth))
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
        gap = space(language)
        phrase += gap + say(key, language, count=history.dropped)
    return wrapped([Span(phrase, Style.DIM)], room)


def page(found: RunComparison, room: int, language: str) -> list[Row]:
    compared = _ComparisonRows(found, language)
    if room < BESIDE:
        return [*compared.outcome(room), Row(), *compared.text(room)]
    left = min(room // 2, max(36, *(width(clean(line)) + 2 for line in found.text), 0))
    right = room - left - 3
    return beside(compared.text(left), compared.outcome(right), left)


def beside(left: Sequence[Row], right: Sequence[Row], room: int) -> list[Row]:
    """Put rows next to each other, the left ones in `room` cells."""
    found = []
    for place in range(max(len(left), len(right))):
        first = left[place].spans if place < len(left) else ()
        second = right[place].spans if place < len(right) else ()
        found.append(Row((*pad_spans(first, room), Span(" │ ", Style.DIM), *second)))
    return found


_DIVERGED = {
    DivergenceKind.RAISED: HistoryTexts.diverged_raised,
    DivergenceKind.OUTPUT: HistoryTexts.diverged_output,
}


class _ComparisonRows:
    """The parts of one comparison, in one language."""

    def __init__(self, found: RunComparison, language: str) -> None:
        self._found, self._language = found, language

    def _say(self, text: LocalText, /, **values: object) -> str:
        return say(text, self._language, **values)

    def text(self, room: int) -> list[Row]:
        rows = [Row((Span(clip(self._say(HistoryTexts.text), room), Style.HEADING),))]
        if self._found.text:
            rows += _diff(self._found.text, room)
        else:
            rows += self._plain(self._say(HistoryTexts.text_same), room, Style.DIM)
        if self._found.before.program.seed != self._found.after.program.seed:
            rows += [Row(), *self._plain(self._say(HistoryTexts.seeds), room, Style.DIM)]
        return rows

    def outcome(self, room: int) -> list[Row]:
        parts = (
            (HistoryTexts.diverged, self._divergence(room)),
            (HistoryTexts.ended, self._ended(room)),
            (HistoryTexts.gradients, self._gradients(room)),
            (HistoryTexts.output, self._output(room)),
            (HistoryTexts.tensors, self._tensors(room)),
        )
        rows: list[Row] = []
        for text, part in parts:
            rows += [Row((Span(clip(self._say(text), room), Style.HEADING),)), *part, Row()]
        return rows[:-1]

    # Where they diverged.

    def _divergence(self, room: int) -> list[Row]:
        divergence = self._found.divergence
        if divergence is None:
            longest = max(len(self._found.before.timeline), len(self._found.after.timeline))
            key = (
                HistoryTexts.diverged_nowhere
                if longest <= MAX_STEPS
                else HistoryTexts.diverged_unknown
            )
            return self._plain(self._say(key, steps=MAX_STEPS), room)
        rows = self._plain(self._sentence(divergence), room)
        if divergence.was or divergence.now:
            rows += self._two(divergence.was, divergence.now, room)
        elif divergence.how is DivergenceKind.LINES:
            one = _code(self._found.before, divergence.before)
            two = _code(self._found.after, divergence.after)
            rows += self._two(one, two, room)
        return rows

    def _sentence(self, divergence: Divergence) -> str:
        one, other = self._found.before.number, self._found.after.number
        before, after = divergence.before, divergence.after
        if before is None or after is None:
            left, gone = (other, one) if before is None else (one, other)
            step = before or after
            source = (self._found.after if before is None else self._found.before).program.source
            line = "?" if step is None else line_name(source, step.line)
            return self._say(HistoryTexts.diverged_end, one=left, other=gone, line=line)
        lines = {
            "line": line_name(self._found.before.program.source, before.line),
            "there": line_name(self._found.after.program.source, after.line),
        }
        if divergence.how is DivergenceKind.LINES:
            return self._say(HistoryTexts.diverged_lines, one=one, other=other, **lines)
        place = self._say(
            HistoryTexts.place if lines["line"] == lines["there"] else HistoryTexts.place_moved,
            **lines,
        )
        if divergence.how is DivergenceKind.TENSOR:
            key = HistoryTexts.diverged_tensor if divergence.key else HistoryTexts.diverged_only
            return self._say(key, place=place, name=clean(divergence.name), key=divergence.key)
        return self._say(_DIVERGED[divergence.how], place=place)

    # DivergenceKind they ended.

    def _ended(self, room: int) -> list[Row]:
        one, two = self._found.before, self._found.after
        rows = []
        for sign, run in (("-", one), ("+", two)):
            glyph, _ = mark_of(ending_of(run.outcome, run.known_truth))
            source = run.program.source
            phrase = ending_text(run.outcome, run.known_truth, self._language, source)
            if isinstance(run.outcome, Completed) and run.truth is None:
                phrase += f" · {self._say(HistoryTexts.not_known)}"
            rows += self._signed(sign, f"{run.number}  {glyph} {phrase}", room)
        verdicts = [str(run.verdict or self._say(HistoryTexts.no_verdict)) for run in (one, two)]
        rows += self._pair(HistoryTexts.verdict, verdicts[0], verdicts[1], room)
        messages = [
            run.outcome.message if isinstance(run.outcome, Raised) else "" for run in (one, two)
        ]
        if any(messages):
            rows += self._pair(HistoryTexts.message, messages[0], messages[1], room)
        return rows

    # Gradients, output, tensors.

    def _gradients(self, room: int) -> list[Row]:
        found = self._found
        rows: list[Row] = []
        none = self._say(HistoryTexts.no_gradient)
        for each in found.gradients:
            rows += self._named(f"{each.key}.grad", self._far(each.difference), room)
            rows += self._two(each.before or none, each.after or none, room)
        return rows + self._rest(
            found.gradients_alike, HistoryTexts.no_gradients, room, some=bool(rows)
        )

    def _output(self, room: int) -> list[Row]:
        if self._found.output:
            return _diff(self._found.output, room)
        wrote = bool(self._found.after.timeline.index.output)
        return self._plain(
            self._say(HistoryTexts.same if wrote else HistoryTexts.no_output), room, Style.DIM
        )

    def _tensors(self, room: int) -> list[Row]:
        rows: list[Row] = []
        for each in self._found.tensors:
            rows += self._tensor(each, room)
        return rows + self._rest(
            self._found.tensors_alike, HistoryTexts.no_tensors, room, some=bool(rows)
        )

    def _tensor(self, each: TensorChange, room: int) -> list[Row]:
        if each.only_before or each.only_after:
            run = self._found.before if each.only_before else self._found.after
            return self._named(
                each.name, self._say(HistoryTexts.only_before, number=run.number), room
            )
        rows = self._named(each.name, "", room)
        for change in each.changes:
            lead = [Span(f"  {change.key}  ", Style.DIM)]
            words = f"{clean(change.before)} → {clean(change.after)}"
            far = self._far(change.difference)
            rows += wrapped([*lead, Span(words, Style.CHANGED)], room)
            if far and change.before == change.after:
                rows += self._plain(f"    {far}", room, Style.DIM)
        return rows

    # Pieces.

    def _far(self, far: float | None) -> str:
        return "" if far is None else self._say(HistoryTexts.apart, far=f"{far:.3g}")

    def _named(self, name: str, note: str, room: int) -> list[Row]:
        spans = [Span(clean(name), Style.NAME), Span(f"  {note}" if note else "", Style.DIM)]
        return [Row(clip_spans(spans, room))]

    def _rest(self, alike: int, none: LocalText, room: int, *, some: bool) -> list[Row]:
        if alike:
            return self._plain(self._say(HistoryTexts.alike, count=alike), room, Style.DIM)
        return [] if some else self._plain(self._say(none), room, Style.DIM)

    def _pair(self, text: LocalText, before: str, after: str, room: int) -> list[Row]:
        label = self._say(text)
        if before == after:
            return self._plain(
                self._say(HistoryTexts.pair_same, label=label, text=clean(before)), room, Style.DIM
            )
        rows = self._plain(self._say(HistoryTexts.pair, label=label), room, Style.DIM)
        return rows + self._two(before, after, room)

    def _two(self, before: str, after: str, room: int) -> list[Row]:
        nothing = self._say(HistoryTexts.nothing)
        return [
            *self._signed("-", before or nothing, room),
            *self._signed("+", after or nothing, room),
        ]

    @staticmethod
    def _signed(sign: str, text: str, room: int) -> list[Row]:
        lead = Span(f"{sign} ", DIFF[sign])
        return hanging(lead, [Span(clean(text), DIFF[sign])], max(6, room), Target())

    @staticmethod
    def _plain(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
        return wrapped([Span(text, style)], room)


def _code(run: KeptRun, step: Step | None) -> str:
    lines = lines_of(run.program.source)
    return "" if step is None or step.line > len(lines) else quoted_text(lines[step.line - 1])


def _diff(lines: Sequence[str], room: int) -> list[Row]:
    """Return a difference line by line; what is too long is cut."""
    shown = [
        Row((Span(clip(line[:1] + clean(line[1:]), room), DIFF.get(line[:1], Style.CODE)),))
        for line in lines[:MAX_ROWS]
    ]
    more = len(lines) - MAX_ROWS
    return [*shown, Row((Span(pad(f"… {more}", room), Style.DIM),))] if more > 0 else shown
