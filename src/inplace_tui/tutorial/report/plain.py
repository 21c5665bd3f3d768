"""One moment of a lesson or of the sandbox as lines, where there is no screen.

The facts are those of the panels, and so are their words: every row comes from
`tutorial/present/`, of the same view. What is left out is what did not change. What panels
draw is listed: the graph by numbers, the lives of storages in words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from inplace_tui.common.cells import flow, hanging, pad, width, wrap, wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.run.files import part_of
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.snapshot import Tensor, letter
from inplace_tui.common.run.step import Step
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import HIDDEN, Gate, View
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.present import code, lanes, narration, output, question, strip, table
from inplace_tui.tutorial.present.graph import Drawing, Facts, nothing
from inplace_tui.tutorial.present.narration import outcome_text
from inplace_tui.tutorial.present.table import about_cell, cell, notes
from inplace_tui.tutorial.report.text import visit_note
from inplace_tui.tutorial.state.diff import diff
from inplace_tui.tutorial.state.graph_layout import GAP, OPENED, GraphLayout, RowSource
from inplace_tui.tutorial.state.lifetimes import LifetimeRow

LEAD = Span("     ")
"""Before what belongs to a line of the program."""

_UNCUT = 240
"""Cells in which values are summed up."""

_MARKED = ("+", "~", "∅")
"""What a row of the table begins with that is not as it was."""


def step_rows(view: View, room: int, language: str, *, since: int) -> list[Row]:
    inner, step = room - len(LEAD.text), view.ran
    words = narration.rows(view, inner, language)
    if step is None:
        return _under(words)
    marks = code.notes(view, step.line, language)
    shown = [*(wrapped(marks, inner) if marks else []), *words]
    changed = _numbered(table.rows(view, inner - 4, language), everything=False)
    for part in (
        changed if len(changed) > 1 else [],
        _nodes(view, step, inner, language),
        _printed(view, step, inner, language, since=since),
    ):
        shown += [Row(), *part] if part else []
    return [_head(view, step, language), *_under(shown)]


def ending(view: View, room: int, language: str) -> list[Row]:
    """Return how the run ended and why, once that may be shown; fixes are asked for."""
    if view.outcome is None:
        return []
    is_good = isinstance(view.outcome, Completed) and view.blame is None
    brief = Span(f"= {outcome_text(view, language)}", Style.RIGHT if is_good else Style.ERROR)
    last = output.ended(view.outcome, language, view.source)
    foreign = wrapped([Span(last, Style.ERROR)], room) if last else []
    return [Row((brief,)), *foreign, *explain.rows(replace(view, fixes=None), room, language)]


def tensors(view: View, room: int, language: str) -> list[Row]:
    return _numbered(table.rows(view, room - 4, language), everything=True)


def tensor(tensor: Tensor, view: View, room: int, language: str) -> list[Row]:
    """Return every column of one tensor in full, whatever the table has room for, and the notes."""
    heads = max(width(FACET_TEXTS[facet.key].title[language]) for facet in FACETS)
    found: list[Row] = []
    for facet in FACETS:
        head = Span(pad(FACET_TEXTS[facet.key].title[language], heads + 2), Style.DIM)
        found += hanging(head, [Span(*cell(tensor, facet, _UNCUT, view, language))], room, Target())
    changes = diff(view.previous, view.snapshot)
    fresh = tensor.id in changes.new
    changed = None if fresh else changes.changed.get(tensor.id, frozenset())
    found += [Row(), *notes(tensor, view, room, language, changed=changed)]
    return [*found, *about_cell(tensor, None, view, room, language)]


def position(view: View, language: str) -> list[Row]:
    """Return what the strip shows: the step at the cursor, and where questions wait."""
    parts, gates = [strip.words(view, language)], strip.gates(view)
    if view.outcome is not None:
        parts.append(outcome_text(view, language))
    texts = PlainTexts.open_at, PlainTexts.passed_at, PlainTexts.done_at
    for text, state in zip(texts, (Gate.OPEN, Gate.PASSED, Gate.DONE), strict=True):
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
        return shown[len(question.rows(before, room, language)) :]
    unhinted = replace(after, question=replace(new, hints=()))
    reply = question.rows(unhinted, room, language)
    # Choices stay as they are; lines that were pointed at, or put in order, are others.
    is_same = isinstance(new.answers, ChoicesView)
    answers = [] if is_same else question.answer_rows(new, room, language)
    return [*answers, *reply[question.reply_at(unhinted, room, language) :]]


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
        case TypedView(name=name):
            answers = say(PlainTexts.typed, language, name=name)
        case ChoicesView(choices=choices):
            answers = say(PlainTexts.numbers, language, first=1, last=len(choices))
    words = [say(PlainTexts.answer, language), say(PlainTexts.later, language)]
    given, total = len(now.hints), now.hints_total
    if total > given:
        words.insert(0, say(PlainTexts.hints_left, language, shown=given, total=total))
    return [Row((Span(each, Style.DIM),)) for each in (answers, *flow(words, room, " · "))]


def _head(view: View, step: Step, language: str) -> Row:
    part = part_of(view.source, step.line)
    lines, number = code.highlighted(part.source), step.line - part.before
    text = lines[number - 1] if number <= len(lines) else ()
    digits = len(str(len(lines)))
    named = f"{number:>{digits}}" if part.name is None else f"{part.name}:{number}"
    note = Span(visit_note(step, language), Style.DIM)
    spans = (Span(f"{code.RAN} {named}  ", Style.CHANGED), *text, *([note] if note.text else []))
    return Row(spans, Target(line=step.line))


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


def _nodes(view: View, step: Step, room: int, language: str) -> list[Row]:
    """Return the nodes that this line made, or whose saved tensors it made stale or freed."""
    wanted = {
        number
        for number, node in view.snapshot.nodes.items()
        if node.step is not None and step.began <= node.step <= step.index
    }
    if not (view.mask.outcome or view.mask.cells):
        before = view.previous.saved
        wanted |= {
            saved.node
            for key, saved in view.snapshot.saved.items()
            if key not in before or before[key].state is not saved.state
        }
    if "graph" in view.untaught or not (wanted or step.raised):
        return []
    # What a line did is printed node by node, whatever repeats in the graph.
    graph = Numbered(view, language, fold=False)
    wanted |= graph.failed
    return [*(graph.rows(room, frozenset(wanted)) if wanted else []), *graph.way(room)]


def _printed(view: View, step: Step, room: int, language: str, *, since: int) -> list[Row]:
    """Return what was printed, warned of and raised since the moment shown before."""
    first = since + 1 if since < view.cursor else step.began
    wanted = range(first, view.cursor + 1)
    rows = output.rows(view, room, language)
    found = [row for row in rows if row.target.step in wanted]
    if not found and any(each in wanted for each in view.timeline.index.output):
        # The print went on with a line that was begun before.
        begun = max((row.target.step for row in rows if row.target.step is not None), default=-1)
        found = [row for row in rows if row.target.step == begun]
    # How it ended comes next, with the whole message: once is enough to listen to.
    is_told = isinstance(view.outcome, Raised)
    return [row for row in found if not (is_told and row.spans[-1].style is Style.ERROR)]


def _under(rows: Sequence[Row]) -> list[Row]:
    return [Row((LEAD, *row.spans), row.target) if row.spans else row for row in rows]


UNCUT = 10_000
"""Cells in which nothing is left out: rows are wrapped, not cut."""

NO_EDGE = "·"
"""An input that needs no gradient."""

MAX_LANES = 60
"""Storages that are listed; there may be one for every line of a loop."""

MAX_EVENTS = 6
"""Of one lane, in the list; all of them are printed of the one that is asked for."""


class Numbered:
    """A graph whose nodes have numbers, the same whatever is folded; edges are such numbers."""

    def __init__(self, view: View, language: str, *, fold: bool) -> None:
        self._layout = layout = GraphLayout(fold=fold)
        self._facts = Facts(view, language)
        self._facts.follow(layout)
        self._drawing = Drawing(self._facts, layout, UNCUT)
        self._language = language

    def node(self, number: int) -> int | None:
        order = self._layout.order.keys
        return order[number - 1] if 0 < number <= len(order) else None

    @property
    def failed(self) -> set[int]:
        raised = self._facts.progress.raised
        return set() if raised is None else {raised}

    def rows(self, room: int, only: frozenset[int] | None = None) -> list[Row]:
        if not self._facts.nodes:
            return wrapped([nothing(self._facts.view, self._language)], room)
        found: list[Row] = []
        for index in range(len(self._layout)):
            place = self._layout.at(index)
            if place.part in (GAP, OPENED) or (only is not None and place.key not in only):
                continue
            lead = "      " if place.part else f"{self._numbers(place.key):>3} "
            target = Target(node=place.key, line=self._facts.nodes[place.key].line)
            for at, line in enumerate(wrap(self._words(place), max(8, room - 6))):
                found.append(Row((Span("      " if at else lead, Style.DIM), *line), target))
        return found

    def way(self, room: int) -> list[Row]:
        """Return how a backward that failed came to where it did."""
        path = self._facts.progress.path
        if not path:
            return []
        text = say(GraphTexts.way, self._language, names=" → ".join(map(self._named, path)))
        raised = say(GraphTexts.raised, self._language)
        return wrapped([Span(f"{text} ✗ {raised}", Style.ERROR)], room)

    def _numbers(self, key: int) -> str:
        nodes = [self._layout.rank(node) + 1 for node in self._layout.nodes(key)]
        return f"{nodes[0]}" if len(nodes) == 1 else f"{nodes[0]}–{nodes[-1]}"

    def _named(self, node: int) -> str:
        return f"{self._layout.rank(node) + 1} {self._facts.title(self._facts.nodes[node])}"

    def _words(self, place: RowSource) -> list[Span]:
        """Return a row's words; the padding that makes columns is left out."""
        glyph, *words = self._drawing.words(place, 0)
        if place.part:
            return words
        key = place.key
        # They are printed with their numbers instead.
        is_folded, node = key in self._layout.folded, self._facts.nodes[key]
        inputs = "" if is_folded else self._facts.inputs(node, UNCUT)
        texts = ((word.text.strip(), word.style) for word in words)
        columns = [Span(text, style) for text, style in texts if text and text != inputs]
        if edges := self._edges(key):
            columns.append(Span(say(GraphTexts.gives_to, self._language, names=edges)))
        between = [each for column in columns for each in (Span("  "), column)]
        return [Span(f"{glyph.text} ", glyph.style), *between[1:]]

    def _edges(self, key: int) -> str:
        """Name the nodes to which gradients go from here, input by input."""
        nodes, layout = self._facts.nodes, self._layout
        if key in layout.folded:
            inside = {*layout.nodes(key)}
            targets = {to for node in inside for to in layout.order.targets(node)} - inside
            return ", ".join(map(self._named, sorted(targets, key=layout.rank)))
        edges = [None if edge is None else edge.node for edge in nodes[key].inputs]
        return ", ".join(NO_EDGE if e is None or e not in nodes else self._named(e) for e in edges)


def lives(view: View, room: int, language: str, *, only: int | None = None) -> list[Row]:
    """Return a row or two for every storage, or for one, in the order of the lanes."""
    options = lanes.LaneOptions(height=MAX_LANES, only=only)
    layout = lanes.LaneLayout(view, room, options, language)
    if not len(layout.lanes):
        return [Row((Span(say(LaneTexts.none, language), Style.DIM),))]
    found: list[Row] = []
    for lane in layout.lanes[:MAX_LANES]:
        events = _events(layout, lane)
        left = max(0, bisect_right(events, view.cursor) - MAX_EVENTS)
        parts = [say(LaneTexts.earlier, language, count=left)] if left else []
        parts += [_event_text(layout, lane, step) for step in events[left:][: MAX_EVENTS + 1]]
        told = [*_lane_head(layout, lane), Span(say(LaneTexts.then, language).join(parts))]
        target = Target(tensor=layout.tensor(lane))
        for at, line in enumerate(wrap(told, room - 4)):
            found.append(Row((Span("    ") if at else _lead(lane), *line), target))
    if (left := len(layout.lanes) - MAX_LANES) > 0:
        found.append(Row((Span(say(LaneTexts.most, language, count=left), Style.DIM),)))
    return found


def life(view: View, storage: int, room: int, language: str) -> list[Row]:
    """Return all that happened to one storage and to the tensors on it, a row a step."""
    options = lanes.LaneOptions(height=MAX_LANES, only=storage)
    layout = lanes.LaneLayout(view, room, options, language)
    found: list[Row] = []
    for lane in layout.lanes:
        found += [Row((_lead(lane), *line)) for line in wrap(_lane_head(layout, lane), room - 4)]
        for step in _events(layout, lane):
            lines = wrap([Span(_event_text(layout, lane, step))], room - 4)
            found += [Row((Span("    "), *line)) for line in lines]
    return found


def storage_called(view: View, name: str) -> int | None:
    """Return the storage of a letter, as far as it may be known."""
    index = view.timeline.index
    called = (storage for storage, rank in index.ranks.items() if letter(rank) == name)
    found = next(called, None)
    return None if found is None or index.lives[found].born >= lanes.visible_until(view) else found


def _lead(lane: LifetimeRow) -> Span:
    return Span("" if lane.tensor is None else "  └ ", Style.DIM)


def _lane_head(layout: lanes.LaneLayout, lane: LifetimeRow) -> tuple[Span, ...]:
    """Name a lane, with its version at the cursor and whether something saved is stale."""
    view = layout.view
    rank = letter(view.timeline.index.ranks[lane.storage])
    name, look = layout.name(lane)
    if lane.tensor is not None:
        beside = say(LaneTexts.beside, layout.language, letter=rank)
        told = say(LaneTexts.life, layout.language, name=beside)
        return Span(name, look), Span(f" {told}", Style.DIM)
    name = f"{lanes.GRADIENT if layout.is_gradient(lane) else ''}{name}"
    version, state, stale = lanes.version_at_cursor(layout, lane)
    now = [Span(f"  {version}", state)] if version else []
    if stale:
        now.append(Span(" !", Style.STALE))
    life = Span(say(LaneTexts.life, layout.language, name=""))
    return Span(f"{rank}  ", Style.STRONG), Span(name, look), *now, life


def _events(layout: lanes.LaneLayout, lane: LifetimeRow) -> Sequence[int]:
    """Return the steps at which something happened to a lane, as far as they may be shown."""
    index = layout.view.timeline.index
    whole = index.lives[lane.storage]
    begins = whole.born if lane.tensor is None else lane.begins
    found = {begins}
    if not layout.hidden(lane) and not layout.view.mask.saves:
        ends = whole.freed if lane.tensor is None else lane.ends
        last = layout.until if ends is None else ends
        found.add(last)
        if lane.tensor is None:
            stale = () if layout.view.mask.outcome else whole.stale
            found |= {step for step, _ in (*whole.writes, *whole.held, *stale)}
        else:
            found |= {s for s in index.written.get(lane.tensor, ()) if begins <= s <= last}
    return sorted(step for step in found if step < layout.until)


def _event_text(layout: lanes.LaneLayout, lane: LifetimeRow, step: int) -> str:
    language = layout.language
    text = lanes.describe(layout, lane, step)
    if layout.hidden(lane) or layout.view.mask.saves:
        text = f"{say(LaneTexts.made, language)}, {HIDDEN}"
    when = lanes.moment(layout, step)
    if step > layout.view.cursor:
        when = say(LaneTexts.ahead, language, when=when)
    return say(LaneTexts.happened, language, when=when, event=text)
