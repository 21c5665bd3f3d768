"""One moment of a lesson or of the sandbox as lines, where there is no screen.

The facts are those of the panels, and so are their words: every row comes from
`tutorial/present/`, of the same view. What is left out is what did not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inplace_tui.common.cells import flow, pad, width, wrap, wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.run.files import part_of
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView, LinesView, OrderView
from inplace_tui.tutorial.present import code, narration, output, question, strip, table
from inplace_tui.tutorial.present.narration import outcome_text
from inplace_tui.tutorial.present.table import about_cell, cell, notes
from inplace_tui.tutorial.report.plain_lists import Numbered
from inplace_tui.tutorial.report.text import visit_note
from inplace_tui.tutorial.state.diff import diff

LEAD = Span("     ")
"""Before what belongs to a line of the program."""

_UNCUT = 240
"""Cells in which values are summed up."""

_MARKED = ("+", "~", "∅")
"""What a row of the table begins with that is not as it was."""


def step_rows(view: View, room: int, language: str, *, since: int) -> list[Row]:
    """Return what the line at the cursor did."""
    inner = room - len(LEAD.text)
    words = narration.rows(view, inner, language)
    if view.ran is None:
        return _under(words)
    marks = code.notes(view, view.ran.line, language)
    shown = wrapped(marks, inner) if marks else []
    shown += words
    changed = _numbered(table.rows(view, inner - 4, language), everything=False)
    for part in (
        changed if len(changed) > 1 else [],
        _nodes(view, inner, language),
        _printed(view, inner, language, since=since),
    ):
        shown += [Row(), *part] if part else []
    return [_head(view, language), *_under(shown)]


def ending(view: View, room: int, language: str) -> list[Row]:
    """Return how the run ended and why, once that may be shown; fixes are asked for."""
    if view.outcome is None:
        return []
    good = isinstance(view.outcome, Completed) and view.blame is None
    brief = Span(outcome_text(view, language), Style.RIGHT if good else Style.ERROR)
    last = output.ended(view.outcome, language, view.source)
    explained = explain.rows(replace(view, fixes=None), room, language)
    foreign = wrapped([Span(last, Style.ERROR)], room) if last else []
    return [Row((Span("= ", brief.style), brief)), *foreign, *explained]


def tensors(view: View, room: int, language: str) -> list[Row]:
    return _numbered(table.rows(view, room - 4, language), everything=True)


def tensor(tensor: Tensor, view: View, room: int, language: str) -> list[Row]:
    """Return every column of one tensor in full, whatever the table has room for, and the notes."""
    heads = max(width(FACET_TEXTS[facet.key].title[language]) for facet in FACETS)
    found: list[Row] = []
    for facet in FACETS:
        text, look = cell(tensor, facet, _UNCUT, view, language)
        head = Span(pad(f"{FACET_TEXTS[facet.key].title[language]}", heads + 2), Style.DIM)
        for at, line in enumerate(wrap([Span(text, look)], room - heads - 2)):
            found.append(Row((Span(" " * (heads + 2)) if at else head, *line)))
    changes = diff(view.previous, view.snapshot)
    fresh = tensor.id in changes.new
    changed = None if fresh else changes.changed.get(tensor.id, frozenset())
    return [
        *found,
        Row(),
        *notes(tensor, view, room, language, changed=changed),
        *about_cell(tensor, None, view, room, language),
    ]


def position(view: View, language: str) -> list[Row]:
    """Return what the strip shows: the step at the cursor, and where questions wait."""
    parts, gates = [strip.words(view, language)], strip.gates(view)
    if view.outcome is not None:
        parts.append(outcome_text(view, language))
    for text, state in (
        (PlainTexts.open_at, Gate.OPEN),
        (PlainTexts.passed_at, Gate.PASSED),
        (PlainTexts.done_at, Gate.DONE),
    ):
        steps = [str(step + 1) for step, gate in gates.items() if gate is state]
        if steps:
            parts.append(say(text, language, count=len(steps), steps=list_of(steps, language)))
    return [Row((Span(say(LaneTexts.then, language).join(parts), Style.DIM),))]


def question_rows(view: View, room: int, language: str) -> list[Row]:
    """Return the question with its result, and how to answer."""
    return [*question.rows(view, room, language), Row(), *how_to_answer(view, room, language)]


def reply_rows(before: View, after: View, room: int, language: str) -> list[Row]:
    """Return the reply to an answer, or the hint that was asked for."""
    shown = question.rows(after, room, language)
    old, new = before.question, after.question
    if old is None or new is None or old.id != new.id:
        return shown
    if (old.status, old.tried) == (new.status, new.tried):
        same = question.rows(before, room, language)
        return shown[len(same) :]
    unhinted = replace(after, question=replace(new, hints=()))
    reply = question.rows(unhinted, room, language)
    changing = question.changing_rows(new, room, language)
    return [*changing, *reply[question.reply_at(unhinted, room, language) :]]


def how_to_answer(view: View, room: int, language: str) -> list[Row]:
    now = view.question
    if now is None or not now.status.is_open:
        return []
    match now.answers:
        case LinesView():
            last = len(code.highlighted(view.source))
            answers = say(PlainTexts.line_number, language, first=1, last=last)
        case OrderView(lines=lines):
            places = [2, 1, *range(3, len(lines) + 1)]
            answers = say(PlainTexts.new_order, language, example=" ".join(map(str, places)))
        case ChoicesView(choices=choices):
            answers = say(PlainTexts.numbers, language, first=1, last=len(choices))
    words = [say(PlainTexts.answer, language), say(PlainTexts.later, language)]
    if now.hints_total > len(now.hints):
        counts = {"shown": len(now.hints), "total": now.hints_total}
        words.insert(0, say(PlainTexts.hints_left, language, **counts))
    shown = [answers, *flow(words, room, " · ")]
    return [Row((Span(line, Style.DIM),)) for line in shown]


def _head(view: View, language: str) -> Row:
    step = view.ran
    assert step is not None, "the caller looked"
    part = part_of(view.source, step.line)
    lines, number = code.highlighted(part.source), step.line - part.before
    text = lines[number - 1] if number <= len(lines) else ()
    digits = len(str(len(lines)))
    named = f"{number:>{digits}}" if part.name is None else f"{part.name}:{number}"
    spans = [Span(f"{code.RAN} {named}  ", Style.CHANGED), *text]
    if note := visit_note(step, language):
        spans.append(Span(note, Style.DIM))
    return Row(tuple(spans), Target(line=step.line))


def _numbered(rows: Sequence[Row], *, everything: bool) -> list[Row]:
    """Number the tensors of a table, and leave out those that are as they were."""
    shown = [Row((Span("    "), *rows[0].spans))]
    place = 0
    for at, row in enumerate(rows[1:], 1):
        if not row.text.strip():
            notes = [Row((Span("    "), *each.spans)) for each in rows[at + 1 :]]
            return [*shown, *notes] if len(shown) > 1 else shown
        number = "    "
        if row.target.tensor is not None:
            place += 1
            number = f"{place:>3} "
        if everything or row.text.startswith(_MARKED):
            shown.append(Row((Span(number, Style.DIM), *row.spans), row.target))
    return shown


def _nodes(view: View, room: int, language: str) -> list[Row]:
    """Return the nodes that this line made, or whose saved tensors it made stale or freed."""
    step = view.ran
    assert step is not None, "the caller looked"
    wanted = {
        number
        for number, node in view.snapshot.nodes.items()
        if node.step is not None and step.began <= node.step <= step.index
    }
    hiding = view.mask.outcome or view.mask.cells
    if not hiding:
        before = view.previous.saved
        wanted |= {
            saved.node
            for key, saved in view.snapshot.saved.items()
            if key not in before or before[key].state is not saved.state
        }
    if not wanted and step.raised is None:
        return []
    # What a line did is printed node by node, whatever repeats in the graph.
    graph = Numbered(view, language, fold=False)
    wanted |= graph.failed
    return [*(graph.rows(room, frozenset(wanted)) if wanted else []), *graph.way(room)]


def _printed(view: View, room: int, language: str, *, since: int) -> list[Row]:
    """Return what was printed, warned of and raised since the moment shown before."""
    step = view.ran
    assert step is not None, "the caller looked"
    first = since + 1 if since < view.cursor else step.began
    wanted = range(first, view.cursor + 1)
    rows = output.rows(view, room, language)
    found = [row for row in rows if row.target.step in wanted]
    writing = view.timeline.index.output
    if not found and any(step in wanted for step in writing):
        # The print went on with a line that was begun before.
        begun = [row.target.step for row in rows if row.target.step is not None]
        found = [row for row in rows if begun and row.target.step == begun[-1]]
    if isinstance(view.outcome, Raised):
        # How it ended comes next, with the whole message: once is enough to listen to.
        found = [row for row in found if row.spans[-1].style is not Style.ERROR]
    return found


def _under(rows: Sequence[Row]) -> list[Row]:
    return [Row((LEAD, *row.spans), row.target) if row.spans else row for row in rows]
