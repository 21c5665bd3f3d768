"""The runs that are kept, as a list; and what changed between two, as a page, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from inplace_tui.common.cells import clean, clip, hanging, pad_spans, width, wrap, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.outcome_text import ending_text, mark_of
from inplace_tui.common.rows import Row, Span, Style, Target, spans
from inplace_tui.common.run.ending import ending_of
from inplace_tui.common.run.files import line_name, lines_of
from inplace_tui.common.run.outcome import Completed, Raised, Right, Wrong, last_line
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.step import Step
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import list_of, say, space
from inplace_tui.common.texts.history import HistoryTexts
from inplace_tui.common.texts.verdicts import MEANINGS
from inplace_tui.diagnosis.fixes.rows import DIFF
from inplace_tui.tutorial.history import comparison
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

LONG = 12
"""Lines of a difference that do not stand before what came of it."""

MOST = 4
"""Gradients that are shown."""

ROUNDING = 1e-6
"""A part of the largest element that is no more than another order of additions makes."""


def listing(
    history: History, *, shown: KeptRun | None, marked: Sequence[int], room: int, language: str
) -> list[Row]:
    """Return some rows a run: how it ended, and what changed; `choice` is its number."""
    if not history.runs:
        return wrapped([Span(say(HistoryTexts.none, language), Style.DIM)], room)
    found: list[Row] = []
    for before, run in reversed([*zip((None, *history.runs), history.runs, strict=False)]):
        mark = "●" if run.number in marked else "▸" if run is shown else "○"
        notes = [say(HistoryTexts.now, language)] if run is shown else []
        if run.live:
            key = HistoryTexts.live if run.stands_for == 1 else HistoryTexts.live_of
            notes.append(say(key, language, count=run.stands_for))
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
    target = Target(choice=run.number, action="mark")
    number = Span(f"{mark}{run.number:>3}  ", Style.DIM if mark == "○" else Style.NAME, target)
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


def page(found: comparison.RunComparison, room: int, language: str) -> list[Row]:
    lines = [line for _, diff in found.text for line in diff]
    if room < BESIDE:
        compared = _ComparisonRows(found, room, language)
        parts = compared.text(), compared.outcome()
        first, second = parts if len(lines) <= LONG else reversed(parts)
        return [*first, Row(), *second]
    left = min(room // 2, max(36, *(width(clean(line)) + 2 for line in lines), 0))
    text = _ComparisonRows(found, left, language).text()
    outcome = _ComparisonRows(found, room - left - 3, language).outcome()
    return [
        Row((*pad_spans(one.spans, left), Span(" │ ", Style.DIM), *other.spans))
        for one, other in zip_longest(text, outcome, fillvalue=Row())
    ]


class _ComparisonRows:
    """The parts of one comparison, in one language."""

    def __init__(self, found: comparison.RunComparison, room: int, language: str) -> None:
        self._found, self._room, self._language = found, room, language
        self._runs = found.before, found.after

    def text(self) -> list[Row]:
        rows = self._told(HistoryTexts.text, Style.HEADING)
        for name, lines in self._found.text:
            path = clean(name or Path(self._found.after.program.filename).name)
            only = Span(self._say(HistoryTexts.file_in))
            rows += self._diff(lines, path) or self._hung(path, only, style=Style.NAME)
        return rows if self._found.text else rows + self._told(HistoryTexts.text_same, Style.DIM)

    def outcome(self) -> list[Row]:
        """Return what happened, in that order."""
        gradients = self._found.gradients
        title = HistoryTexts.gradients_at if gradients.changes else HistoryTexts.gradients
        place = self._place(gradients.moment)
        return [
            *(*self._told(HistoryTexts.diverged, Style.HEADING), *self._divergence(), Row()),
            *(*self._told(HistoryTexts.ended, Style.HEADING), *self._ended(), Row()),
            *(*self._told(title, Style.HEADING, place=place), *self._gradients(), Row()),
            *(*self._told(HistoryTexts.output, Style.HEADING), *self._output()),
        ]

    # Where they diverged.

    def _divergence(self) -> list[Row]:
        found, drawn = self._found.divergence, self._found.drawn
        if found is None:
            alike = max(len(run.timeline) for run in self._runs) <= comparison.MAX_STEPS
            text = HistoryTexts.diverged_nowhere if alike else HistoryTexts.diverged_unknown
            text = text if drawn is None else HistoryTexts.diverged_drawn
            rows = self._told(text, steps=comparison.MAX_STEPS)
        elif found.parted:
            rows = self._parted(found)
        elif found.name:
            rows = self._tensor(found)
        else:  # the whole message stands below
            none = self._say(HistoryTexts.nothing)
            rows = self._told(HistoryTexts.diverged_raised, place=self._place(found.steps))
            rows += self._two([clip(step.raised or none, 60) for step in found.steps if step])
        if drawn is not None:
            rows += self._told(HistoryTexts.drawn, place=self._place(drawn.steps))
        return rows

    def _parted(self, found: comparison.Divergence) -> list[Row]:
        """Return which lines ran next, after the last ones that did the same."""
        text = HistoryTexts.parted_first
        there = [None if step is None else step.line for step in found.steps]
        if found.last is not None:
            text, thens = HistoryTexts.parted, [step.then for step in found.last]
            if self._found.pairs.new_of.get(thens[0] or 0) != thens[1]:
                there = thens  # else both called one function
        rows = self._told(text, place=self._place(found.last))
        return rows + self._two([*map(self._code, self._runs, there)])

    def _tensor(self, found: comparison.Divergence) -> list[Row]:
        """Return what two lines made of one tensor."""
        place, name = self._place(found.steps), clean(found.name)
        rows = self._told(HistoryTexts.diverged_tensor, place=place, name=name)
        did = [*map(self._did, self._runs, found.steps, found.tensors)]
        traits = found.changes
        if did[0] != did[1]:
            rows += self._two(did)
            traits = tuple(each for each in traits if each.key != "version")
        rows += self._told(" · ".join(map(self._trait, traits)))
        if found.changes and found.changes[-1].key != "values" and self._found.drawn is None:
            rows += self._told(HistoryTexts.same_values)
        return rows

    def _place(self, steps: tuple[Step | None, Step | None] | None) -> str:
        """Return which line it is, and which time that it ran."""
        if steps is None or steps[0] is None or steps[1] is None:
            return ""
        both = [*zip(self._runs, (steps[0], steps[1]), strict=True)]
        line, there = (line_name(run.program.source, step.line) for run, step in both)
        text = HistoryTexts.place if line == there else HistoryTexts.place_moved
        place = self._say(text, line=line, there=there)
        if max(len(run.timeline.index.visits[step.line]) for run, step in both) == 1:
            return place
        text = HistoryTexts.first_visit if steps[0].visit == 1 else HistoryTexts.visit
        return self._say(text, place=place, visit=steps[0].visit)

    def _code(self, run: KeptRun, line: int | None) -> str:
        if line is None:
            return self._say(HistoryTexts.over)
        place = self._say(HistoryTexts.place, line=line_name(run.program.source, line))
        return f"{place}  {quoted_text(lines_of(run.program.source)[line - 1])}"

    def _did(self, run: KeptRun, step: Step | None, tensor: Tensor | None) -> str:
        """Return what a line did to one tensor."""
        if step is None or tensor is None:
            return self._say(HistoryTexts.absent)
        for event in step.mutations:
            if tensor.id == event.tensor or tensor.storage == event.storage is not None:
                counted = event.after is not None and event.after != event.before
                text = HistoryTexts.wrote if counted else HistoryTexts.wrote_unseen
                return self._say(text, before=event.before, after=event.after)
        is_new = run.timeline.histories.rows[tensor.id][0][0] == step.index
        text = HistoryTexts.made if is_new else HistoryTexts.left
        return self._say(text, version=tensor.version)

    def _trait(self, change: comparison.TraitChange) -> str:
        far = change.difference
        if far is not None:
            text = HistoryTexts.rounding if far < ROUNDING else HistoryTexts.apart
            return self._say(text, far=f"{max(far, 0.01):.0%}")
        text = HistoryTexts.version if change.key == "version" else HistoryTexts.trait
        before, after = clean(change.before), clean(change.after)
        return self._say(text, key=change.key, before=before, after=after)

    # How they ended.

    def _ended(self) -> list[Row]:
        rows: list[Row] = []
        for run in self._runs:
            truth = run.known_truth
            glyph, style = mark_of(ending_of(run.outcome, truth))
            phrase = ending_text(run.outcome, truth, self._language, run.program.source)
            if isinstance(run.outcome, Completed) and run.truth is None:
                phrase += f" · {self._say(HistoryTexts.not_known)}"
            why = run.outcome.message if isinstance(run.outcome, Raised) else ""
            if run.verdict is not None:
                why = say(MEANINGS[run.verdict], self._language)
            why = self._say(HistoryTexts.why, why=clean(why)) if why else ""
            rows += self._hung(self._name(run), Span(f"{glyph} {phrase}", style), *spans(why))
        return rows + self._told(self._stopped())

    def _stopped(self) -> str:
        """Return how often both came to the line where one of them stopped."""
        pairs, (before, after) = self._found.pairs, self._runs
        for run, other, lines in ((before, after, pairs.new_of), (after, before, pairs.old_of)):
            line = last_line(run.outcome) or 0
            count = len(run.timeline.index.visits.get(line, ()))
            count += not isinstance(run.outcome, Raised)  # its last visit was no step
            more = len(other.timeline.index.visits.get(lines.get(line, 0), ()))
            if count and more and count != more:
                values = {"number": run.number, "count": count, "against": other.number}
                at = line_name(run.program.source, line)
                return self._say(HistoryTexts.stopped, line=at, more=more, **values)
        return ""

    # Gradients and output.

    def _gradients(self) -> list[Row]:
        found, drawn = self._found.gradients, self._found.drawn is not None
        before, after = (len(run.timeline.index.backwards) for run in self._runs)
        numbers = {"count": found.same, "before": before, "after": after}
        if found.moment is None:
            text = HistoryTexts.no_moment if before or after else HistoryTexts.no_gradients
            return self._told(text, Style.PLAIN, **numbers)
        if not found.changes:
            return self._told(HistoryTexts.passes_alike, Style.PLAIN, **numbers)
        rows = self._told(HistoryTexts.passes_before, Style.PLAIN, **numbers) if found.same else []
        shown = [(each, self._judged(each.key, found.moment)) for each in found.changes]
        wrong = self._say(HistoryTexts.wrong)
        if found.missing:
            shown, missing = [], [clean(f"{each}.grad") for each in found.missing]
            names = list_of(missing[:MOST], self._language, more=len(missing) - MOST)
            failed = self._runs[found.moment[0].raised is None].number
            rows += self._told(HistoryTexts.cut_off, number=failed, names=names)
        elif drawn:
            rows += self._told(HistoryTexts.gradients_drawn)
            shown = [each for each in shown if wrong in each[1]]
        for each, words in shown[:MOST]:
            far = each.difference
            note = "" if drawn or far is None else self._trait(each)
            rows += self._hung(f"{clean(each.key)}.grad", Span(note), style=Style.NAME)
            if wrong in words or far is None:
                none = self._say(HistoryTexts.no_gradient)
                both = zip((each.before, each.after), words, strict=True)
                rows += self._two([f"{text}  {word}" if text else none for text, word in both])
        counts = {HistoryTexts.left_out: len(shown) - MOST, HistoryTexts.alike: found.alike}
        for text, count in counts.items():
            rows += self._told(text, Style.DIM, count=count) if count > 0 else []
        return rows

    def _judged(self, leaf: str, moment: comparison.Moment) -> list[str]:
        """Return for each run whether its gradient is right there, where that is known."""
        words: list[str] = []
        for run, step in zip(self._runs, moment, strict=True):
            truth, word = run.known_truth, ""
            if isinstance(truth, Right):
                word = self._say(HistoryTexts.right)
            elif isinstance(truth, Wrong) and truth.visit == step.visit:
                differing = {each.tensor for each in truth.differences if each.line == step.line}
                word = self._say(HistoryTexts.wrong) if leaf in differing else ""
            words.append(word)
        return words

    def _output(self) -> list[Row]:
        wrote = bool(self._found.after.timeline.index.output)
        same = self._told(HistoryTexts.same if wrote else HistoryTexts.no_output, Style.DIM)
        return self._diff(self._found.output) or same

    # Pieces.

    def _say(self, text: LocalText, /, **values: object) -> str:
        one, other = (run.number for run in self._runs)
        return say(text, self._language, **{"one": one, "other": other, **values})

    def _told(
        self, text: LocalText | str, style: Style = Style.PLAIN, **values: object
    ) -> list[Row]:
        told = text if isinstance(text, str) else self._say(text, **values)
        return wrapped(spans(told, style), self._room) if told else []

    def _name(self, run: KeptRun) -> str:
        return self._say(HistoryTexts.run, number=run.number)

    def _two(self, texts: Sequence[str]) -> list[Row]:
        """Return what holds of each of the runs."""
        both = zip(self._runs, texts, strict=True)
        return [r for run, text in both for r in self._hung(self._name(run), Span(clean(text)))]

    def _hung(self, name: str, *told: Span, style: Style = Style.DIM) -> list[Row]:
        return hanging(Span(f"{name}  ", style), told, self._room, Target())

    def _diff(self, lines: Sequence[str], path: str = "") -> list[Row]:
        """Return a difference line by line; what is too long is cut."""
        rows: list[Row] = []
        for line in lines[:MAX_ROWS]:
            text, style = line[:1] + clean(line[1:]), DIFF.get(line[:1], Style.CODE)
            if style is Style.DIM:
                if not path:
                    continue
                first = line.partition("+")[2].split()[0].partition(",")[0]
                text = f"{path}:{first}"  # where the lines below stand
            rows.append(Row((Span(clip(text, self._room), style),)))
        more = len(lines) - MAX_ROWS
        return [*rows, Row((Span(f"… {more}", Style.DIM),))] if more > 0 else rows
