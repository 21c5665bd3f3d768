"""The runs that are kept, as a list; and what changed between two, as a page, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inplace_tui.common.cells import clean, clip, hanging, pad, pad_spans, width, wrap, wrapped
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
from inplace_tui.tutorial.history.comparison import (
    MAX_STEPS,
    Divergence,
    Moment,
    RunComparison,
    TraitChange,
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
    lines = [line for _, diff in found.text for line in diff]
    if room < BESIDE:
        parts = compared.text(room), compared.outcome(room)
        first, second = parts if len(lines) <= LONG else reversed(parts)
        return [*first, Row(), *second]
    left = min(room // 2, max(36, *(width(clean(line)) + 2 for line in lines), 0))
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


class _ComparisonRows:
    """The parts of one comparison, in one language."""

    def __init__(self, found: RunComparison, language: str) -> None:
        self._found, self._language = found, language
        self._runs = found.before, found.after
        self._names = [self._say(HistoryTexts.run, number=run.number) for run in self._runs]

    def _say(self, text: LocalText, /, **values: object) -> str:
        one, other = (run.number for run in self._runs)
        return say(text, self._language, **{"one": one, "other": other, **values})

    def text(self, room: int) -> list[Row]:
        rows = self._plain(self._say(HistoryTexts.text), room, Style.HEADING)
        for name, lines in self._found.text:
            path = clean(name or Path(self._found.after.program.filename).name)
            rows += self._diff(lines, room, path)
            if not lines:
                rows += self._named(path, self._say(HistoryTexts.file_in), room)
        if not self._found.text:
            rows += self._plain(self._say(HistoryTexts.text_same), room, Style.DIM)
        return rows

    def outcome(self, room: int) -> list[Row]:
        """Return what happened, in that order."""
        found = self._found.gradients
        gradients = HistoryTexts.gradients_at if found.changes else HistoryTexts.gradients
        parts = (
            (self._say(HistoryTexts.diverged), self._divergence(room)),
            (self._say(HistoryTexts.ended), self._ended(room)),
            (self._say(gradients, place=self._place(found.moment)), self._gradients(room)),
            (self._say(HistoryTexts.output), self._output(room)),
        )
        rows: list[Row] = []
        for title, part in parts:
            rows += [*self._plain(title, room, Style.HEADING), *part, Row()]
        return rows[:-1]

    # Where they diverged.

    def _divergence(self, room: int) -> list[Row]:
        found, drawn = self._found.divergence, self._found.drawn
        if found is None:
            alike = max(len(run.timeline) for run in self._runs) <= MAX_STEPS
            text = HistoryTexts.diverged_nowhere if alike else HistoryTexts.diverged_unknown
            if drawn is not None:
                text = HistoryTexts.diverged_drawn
            rows = self._plain(self._say(text, steps=MAX_STEPS), room)
        elif found.parted:
            rows = self._parted(found, room)
        elif not found.name:
            place, none = self._place(found.steps), self._say(HistoryTexts.nothing)
            rows = self._plain(self._say(HistoryTexts.diverged_raised, place=place), room)
            # The whole message stands below.
            rows += self._two([clip(s.raised or none, 60) for s in found.steps if s], room)
        else:
            rows = self._tensor(found, room)
        if drawn is not None:
            place = self._place(drawn.steps)
            rows += self._plain(self._say(HistoryTexts.drawn, place=place), room)
        return rows

    def _parted(self, found: Divergence, room: int) -> list[Row]:
        """Return which lines ran next, after the last ones that did the same."""
        last, there = found.last, [None if step is None else step.line for step in found.steps]
        if last is not None:
            thens = [step.then for step in last]
            if self._found.pairs.new_of.get(thens[0] or 0) != thens[1]:
                there = thens  # else both called one function
        text = HistoryTexts.parted if found.last else HistoryTexts.parted_first
        rows = self._plain(self._say(text, place=self._place(last)), room)
        return rows + self._two([*map(self._code, self._runs, there)], room)

    def _tensor(self, found: Divergence, room: int) -> list[Row]:
        """Return what two lines made of one tensor."""
        text, name = HistoryTexts.diverged_tensor, clean(found.name)
        rows = self._plain(self._say(text, place=self._place(found.steps), name=name), room)
        did = [*map(self._did, self._runs, found.steps, found.tensors)]
        told = did[0] != did[1]
        if told:
            rows += self._two(did, room)
        traits = [each for each in found.changes if each.key != "version" or not told]
        rows += self._plain(" · ".join(map(self._trait, traits)), room)
        if found.changes and found.changes[-1].key != "values" and self._found.drawn is None:
            rows += self._plain(self._say(HistoryTexts.same_values), room)
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

    def _trait(self, change: TraitChange) -> str:
        far = change.difference
        if far is not None:
            text = HistoryTexts.rounding if far < ROUNDING else HistoryTexts.apart
            return self._say(text, far=f"{max(far, 0.01):.0%}")
        text = HistoryTexts.version if change.key == "version" else HistoryTexts.trait
        before, after = clean(change.before), clean(change.after)
        return self._say(text, key=change.key, before=before, after=after)

    # How they ended.

    def _ended(self, room: int) -> list[Row]:
        rows: list[Row] = []
        for run, name in zip(self._runs, self._names, strict=True):
            truth = run.known_truth
            glyph, style = mark_of(ending_of(run.outcome, truth))
            phrase = ending_text(run.outcome, truth, self._language, run.program.source)
            if isinstance(run.outcome, Completed) and run.truth is None:
                phrase += f" · {self._say(HistoryTexts.not_known)}"
            why = run.outcome.message if isinstance(run.outcome, Raised) else ""
            if run.verdict is not None:
                why = say(MEANINGS[run.verdict], self._language)
            why = self._say(HistoryTexts.why, why=clean(why)) if why else ""
            told = [Span(f"{glyph} {phrase}", style), *spans(why)]
            rows += hanging(Span(f"{name}  ", Style.DIM), told, room, Target())
        return rows + self._plain(self._stopped(), room)

    def _stopped(self) -> str:
        """Return how often both came to the line where one of them stopped."""
        pairs = self._found.pairs
        for place, lines in enumerate((pairs.new_of, pairs.old_of)):
            run, other = self._runs[place], self._runs[1 - place]
            line = last_line(run.outcome) or 0
            count = len(run.timeline.index.visits.get(line, ()))
            count += not isinstance(run.outcome, Raised)  # its last visit was no step
            more = len(other.timeline.index.visits.get(lines.get(line, 0), ()))
            if count and more and count != more:
                values = {"number": run.number, "count": count, "against": other.number}
                at = line_name(run.program.source, line)
                return self._say(HistoryTexts.stopped, line=at, more=more, **values)
        return ""

    # Gradients, output, tensors.

    def _gradients(self, room: int) -> list[Row]:
        found, before, after = self._found.gradients, *self._found.gradients.ran
        numbers = {"count": found.same, "before": before, "after": after}
        if found.moment is None:
            text = HistoryTexts.no_moment if before or after else HistoryTexts.no_gradients
            return self._plain(self._say(text, **numbers), room)
        if not found.changes:
            return self._plain(self._say(HistoryTexts.passes_alike, **numbers), room)
        rows: list[Row] = []
        if found.same:
            rows += self._plain(self._say(HistoryTexts.passes_before, **numbers), room)
        wrong, drawn = self._say(HistoryTexts.wrong), self._found.drawn is not None
        shown = [(each, self._judged(each.key, found.moment)) for each in found.changes]
        if found.missing:
            failed = self._runs[found.moment[0].raised is None].number
            names = [clean(f"{each}.grad") for each in found.missing[:MOST]]
            if len(found.missing) > MOST:
                count = len(found.missing) - MOST
                names.append(self._say(HistoryTexts.left_out, count=count))
            values = {"number": failed, "names": list_of(names, self._language)}
            rows, shown = [*rows, *self._plain(self._say(HistoryTexts.cut_off, **values), room)], []
        elif drawn:
            rows += self._plain(self._say(HistoryTexts.gradients_drawn), room)
            shown = [each for each in shown if wrong in each[1]]
        for each, words in shown[:MOST]:
            far = each.difference
            note = "" if drawn or far is None else self._trait(each)
            rows += self._named(f"{each.key}.grad", note, room)
            if wrong in words or far is None:
                texts = each.before, each.after
                none = self._say(HistoryTexts.no_gradient)
                both = zip(texts, words, strict=True)
                rows += self._two([f"{t}  {word}" if t else none for t, word in both], room)
        more, alike = len(shown) - MOST, found.alike
        if more > 0:
            rows += self._plain(self._say(HistoryTexts.left_out, count=more), room, Style.DIM)
        if alike:
            rows += self._plain(self._say(HistoryTexts.alike, count=alike), room, Style.DIM)
        return rows

    def _judged(self, leaf: str, moment: Moment) -> list[str]:
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

    def _output(self, room: int) -> list[Row]:
        if self._found.output:
            return self._diff(self._found.output, room)
        wrote = bool(self._found.after.timeline.index.output)
        text = HistoryTexts.same if wrote else HistoryTexts.no_output
        return self._plain(self._say(text), room, Style.DIM)

    # Pieces.

    @staticmethod
    def _named(name: str, note: str, room: int) -> list[Row]:
        return hanging(Span(f"{clean(name)}  ", Style.NAME), [Span(note)], room, Target())

    def _two(self, texts: Sequence[str], room: int) -> list[Row]:
        """Return what holds of each of the runs."""
        rows: list[Row] = []
        for name, text in zip(self._names, texts, strict=True):
            rows += hanging(Span(f"{name}  ", Style.DIM), [Span(clean(text))], room, Target())
        return rows

    @staticmethod
    def _plain(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
        return wrapped(spans(text, style), room) if text else []

    @staticmethod
    def _diff(lines: Sequence[str], room: int, path: str = "") -> list[Row]:
        """Return a difference line by line; what is too long is cut."""
        rows: list[Row] = []
        for line in lines[:MAX_ROWS]:
            text, style = line[:1] + clean(line[1:]), DIFF.get(line[:1], Style.CODE)
            if style is Style.DIM:
                if not path:
                    continue
                first = line.partition("+")[2].split()[0].partition(",")[0]
                text = f"{path}:{first}"  # where the lines below stand
            rows.append(Row((Span(clip(text, room), style),)))
        more = len(lines) - MAX_ROWS
        return [*rows, Row((Span(pad(f"… {more}", room), Style.DIM),))] if more > 0 else rows
