"""Storage lanes: a row a storage, time from left to right, the cursor across them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from inplace_tui.common.cells import clean, clip, clip_spans, flow, merged, pad, shorten, width
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.elements import FORMATS
from inplace_tui.common.run.files import line_name, place_of
from inplace_tui.common.run.histories import Life, latest, value_at
from inplace_tui.common.run.snapshot import Tensor, letter, sharing
from inplace_tui.common.run.values import run_format, spell
from inplace_tui.common.texts import say
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.activity.session.view import (
    HIDDEN,
    Gate,
    View,
    asked_step,
    hides,
    is_stale,
)
from inplace_tui.tutorial.activity.session.view import shown as visible
from inplace_tui.tutorial.state.lifetimes import (
    LifetimeCell,
    LifetimeEvent,
    LifetimeRow,
    LifetimeRows,
    StepWindow,
    count_in,
    covered_slice,
    owner,
    storage_cell,
    tensor_cell,
    window,
)


@dataclass(frozen=True)
class LaneOptions:
    """What part of the lanes is shown, and what is marked."""

    scale: int | None = None
    """As `window` has it; None shows the whole run."""

    start: int = 0
    """The first step of the window before."""

    versions: int = 0
    """Cells that versions had before: they get more, never less, so that columns stay."""

    height: int = 24
    selected: int | None = None
    """The tensor that is marked, here and in the table."""

    only: int | None = None
    """The only storage that has lanes; None where all have."""


AT_FIRST = LaneOptions()
STRIDES = [n * 10**power for power in range(4) for n in (1, 2, 5)]

HERE, CURSOR = "▼", "◉"
FAILED, ASKED, BACKWARD = "✗", "?", "◂"
SELECTED, GRADIENT, FREED = "▸", "∂", "∅"


def _label(layout: LaneLayout, text: str) -> Span:
    return Span(pad(clip(f" {text}", layout.label), layout.label), Style.DIM)


def overview(layout: LaneLayout) -> list[Span]:
    view, track, known = layout.view, layout.track, layout.until
    index = view.timeline.index
    asked = {step for step, gate in view.gates.items() if gate is not Gate.DONE}
    marked: dict[int, tuple[str, Style]] = {}
    backwards = set()
    for place in range(track):
        start, stop = place * known // track, max((place + 1) * known // track, 1)
        stop = min(stop, layout.shown)
        if count_in(index.backwards, start, stop):
            backwards.add(place)
        if count_in(index.failed, start, stop) and not view.mask.outcome:
            marked[place] = (FAILED, Style.ERROR)
        elif any(start < step <= stop for step in asked):
            marked[place] = (ASKED, Style.MASKED)
    if 3 * len(backwards) <= track:
        marked = dict.fromkeys(backwards, (BACKWARD, Style.LEAF)) | marked
    if view.cursor >= 0:
        marked[min(track - 1, view.cursor * track // max(1, known))] = (CURSOR, Style.CHANGED)
    low = layout.window.start * track // max(1, known)
    high = min(layout.window.stop, known) * track // max(1, known)
    inside, outside = Span("━", Style.NEXT), Span("┄", Style.DIM)
    pieces = [outside] * low + [inside] * (max(low + 1, high) - low) + [outside] * (track - high)
    for place, (text, style) in marked.items():
        pieces[place] = Span(text, style)
    label = _label(layout, f"1:{layout.window.each}" if layout.window.each > 1 else "1:1")
    return merged([label, *pieces[:track]])


def ruler_of_steps(layout: LaneLayout) -> list[Span]:
    window, cursor = layout.window, layout.view.cursor
    labels = {n: f"{window.steps(n).start + 1:,}" for n in range(window.columns)}
    here = window.column(cursor) if cursor >= 0 else None
    label = _label(layout, say(LaneTexts.step, layout.language))
    return [label, *_ruled(layout, labels, here, f"{HERE}{cursor + 1:,}")]


def ruler_of_lines(layout: LaneLayout) -> list[Span]:
    """Write the line of each step, with what may be known of how it went."""
    view, window = layout.view, layout.window
    index = view.timeline.index
    labels = {}
    here = window.column(view.cursor) if view.cursor >= 0 else None
    for place in range(window.columns):
        step = window.start + place
        if step >= layout.shown:
            break
        mark = BACKWARD if count_in(index.backwards, step, step + 1) else ""
        if count_in(index.failed, step, step + 1) and not view.mask.outcome:
            mark = FAILED
        labels[place] = f"{mark}{place_of(view.source, view.timeline.steps[step].line).brief}"
    shown = "" if here is None else labels.get(here, "")
    label = _label(layout, say(LaneTexts.line, layout.language))
    spans = [label, *_ruled(layout, labels, here, shown)]
    waiting = (step for step, gate in view.gates.items() if gate is not Gate.DONE)
    if layout.shown == layout.until and layout.until in waiting:
        spans.append(Span(f" {ASKED}", Style.MASKED))
    return spans


def _ruled(layout: LaneLayout, labels: dict[int, str], here: int | None, shown: str) -> list[Span]:
    """Lay out labels so that none touches another; the one of the cursor has its place."""
    window, room = layout.window, layout.track
    text, taken = [" "] * room, [False] * (room + 2)

    def put(at: int, label: str) -> bool:
        if at + len(label) > room or any(taken[max(0, at - 1) : at + len(label) + 1]):
            return False
        text[at : at + len(label)] = label
        taken[at : at + len(label)] = [True] * len(label)
        return True

    marked = range(0)
    if here is not None and shown:
        at = min(here * window.cells, max(0, room - len(shown)))
        if put(at, shown):
            marked = range(at, at + len(shown))
    longest = max(map(len, labels.values()), default=1)
    stride = next(n for n in STRIDES if n * window.cells > longest)
    for place, label in labels.items():
        if (place + 1) % stride == 0 or stride == 1 or place == 0:
            put(place * window.cells, label)
    line = "".join(text).rstrip()
    return [
        Span(line[: marked.start], Style.DIM),
        Span(line[marked.start : marked.stop], Style.CHANGED),
        Span(line[marked.stop :], Style.DIM),
    ]


class LaneRows(LazyRows):
    """The rulers, a lane for every storage in the window, and the legend."""

    def __init__(self, layout: LaneLayout) -> None:
        self.layout = layout
        if layout.is_empty:
            nothing = Row((Span(say(LaneTexts.none, layout.language), Style.DIM),))
            super().__init__(1, lambda _: nothing)
            return
        short = layout.is_whole and layout.window.each == 1
        heads = [ruler_of_lines(layout) if short else overview(layout), ruler_of_steps(layout)]
        heads += [readout(layout)] if layout.head > 2 else []
        legend = [Row(), *_legend(layout.room, layout.language)]
        count = len(layout.lanes)

        def row(place: int) -> Row:
            if place < layout.head:
                return Row(clip_spans(heads[place], layout.room))
            if place - layout.head < count:
                return _lane(layout, layout.lanes[place - layout.head])
            return legend[place - layout.head - count]

        super().__init__(layout.head + count + len(legend), row)


def rows(
    view: View,
    room: int,
    language: str,
    options: LaneOptions = AT_FIRST,
    *,
    before: LaneLayout | None = None,
) -> LaneRows:
    """Return the rows; what was drawn for the layout `before` is not drawn again."""
    layout = LaneLayout(view, room, options, language)
    if before is not None and layout.columns_depend_on == before.columns_depend_on:
        layout.drawn = before.drawn
    return LaneRows(layout)


def _lane(layout: LaneLayout, lane: LifetimeRow) -> Row:
    view, tensor = layout.view, layout.tensor(lane)
    hidden = layout.hidden(lane)
    name, style = layout.name(lane)
    mark = SELECTED if tensor is not None and tensor == layout.options.selected else " "
    if lane.tensor is None:
        rank = letter(view.timeline.index.ranks[lane.storage])
        head = pad(clip(rank, layout.letter_room), layout.letter_room)
        title = f"{GRADIENT if layout.is_gradient(lane) else ''}{name}"
    else:
        head, title = " " * (layout.letter_room - 1) + "└", name
    spans = [
        Span(mark, Style.NEXT),
        Span(head, Style.STRONG if lane.tensor is None else Style.DIM),
        Span(pad(shorten(title, layout.name_room - 1), layout.name_room), style),
        *_now(layout, lane),
        *track(layout, lane, hidden=hidden),
    ]
    return Row(clip_spans(spans, layout.room), Target(tensor=tensor))


def version_at_cursor(layout: LaneLayout, lane: LifetimeRow) -> tuple[str, Style, bool]:
    """Return a lane's version at the cursor, and whether something saved would be refused."""
    view = layout.view
    life = view.timeline.index.lives[lane.storage]
    if layout.hidden(lane):
        return HIDDEN, Style.MASKED, False
    tensors = layout.on.get(lane.storage, ())
    if lane.tensor is not None:
        tensors = tuple(each for each in tensors if each.id == lane.tensor)
    else:
        tensors = tuple(t for t in tensors if t.id not in layout.beneath) or tensors
    versions = sorted({each.version for each in tensors if isinstance(each.version, int)})
    text = f"v{versions[-1]}" if versions else ""
    if life.born > view.cursor or (lane.tensor is not None and not tensors):
        text = ""
    elif life.freed is not None and life.freed <= view.cursor:
        return FREED, Style.FREED, False
    elif not versions and lane.tensor is None:
        place = bisect_right(life.writes, view.cursor, key=lambda write: write[0])
        last = _last_version(life, 0, place)
        text = "" if last is None else f"v{last}"
    stale = lane.tensor is None and is_stale(view, lane.storage)
    return text, Style.PLAIN, stale


def _last_version(life: Life, start: int, stop: int) -> int | None:
    """Return the version after the last of these writes; None if the last few have none."""
    near = reversed(life.writes[max(start, stop - 8) : stop])
    return next((version for _, version in near if version is not None), None)


def _now(layout: LaneLayout, lane: LifetimeRow) -> list[Span]:
    text, style, stale = version_at_cursor(layout, lane)
    room = layout.version_room
    if style is not Style.PLAIN:
        return [Span(pad(text, room + 1), style)]
    return [
        Span(pad(clip(text, room - 1), room - 1 if stale else room), style),
        *([Span("!", Style.STALE)] if stale else []),
        Span(" "),
    ]


def legend_parts(language: str) -> list[str]:
    """Return each mark with what it means."""
    return say(LaneTexts.legend, language).split("  ")


@lru_cache(maxsize=8)
def _legend(room: int, language: str) -> tuple[Row, ...]:
    """Explain the marks, as many to a line as fit."""
    lines = flow(legend_parts(language), room, "  ")
    return tuple(Row((Span(line, Style.DIM),)) for line in lines)


def readout(layout: LaneLayout) -> list[Span]:
    """Describe in words what happened at the cursor to the tensor that is marked."""
    view, chosen = layout.view, layout.options.selected
    if view.cursor < 0 or layout.window.column(view.cursor) is None:
        return [Span(f" {say(LaneTexts.before, layout.language)}", Style.DIM)]
    near = () if chosen is None else layout.lanes.near
    lane = next((each for each in near if layout.tensor(each) == chosen), None)
    spans = [Span(f" {moment(layout, view.cursor)}")]
    if lane is not None:
        name, style = layout.name(lane)
        rank = letter(view.timeline.index.ranks[lane.storage])
        spans += [Span("  "), Span(f"{rank} ", Style.STRONG), Span(name, style), Span("  ")]
        spans.append(Span(describe(layout, lane, view.cursor)))
    return spans


def moment(layout: LaneLayout, step: int) -> str:
    line = line_name(layout.view.source, layout.view.timeline.steps[step].line)
    return say(LaneTexts.at, layout.language, step=f"{step + 1:,}", line=line)


def describe(layout: LaneLayout, lane: LifetimeRow, step: int) -> str:
    view, language = layout.view, layout.language
    stop = min(step + 1, layout.until)
    now = column(layout, lane, step, stop)
    if layout.hidden(lane) or view.mask.saves:
        return HIDDEN
    if not now.alive and now.event is LifetimeEvent.NONE:
        return say(LaneTexts.absent, language)
    life = view.timeline.index.lives[lane.storage]
    phrase = []
    begins = life.born if lane.tensor is None else lane.begins
    if begins in range(step, stop):
        phrase.append(say(LaneTexts.made, language))
    if lane.tensor is None:
        phrase += _writes(layout, lane, step, stop)
        held = value_at(life.held, stop - 1)
        if held:
            phrase.append(say(LaneTexts.held, language, count=held))
            stale = value_at(life.stale, stop - 1)
            if stale and not view.mask.outcome:
                phrase.append(say(LaneTexts.stale, language, count=stale))
        elif value_at(life.held, step - 1):
            phrase.append(say(LaneTexts.released, language))
    elif now.event is LifetimeEvent.WRITTEN:
        phrase.append(say(LaneTexts.write, language))
    ends = lane.ends if lane.tensor is not None else life.freed
    if ends in range(step, stop):
        phrase.append(say(LaneTexts.freed, language))
    return say(LaneTexts.and_, language).join(phrase) or say(LaneTexts.nothing, language)


def _writes(layout: LaneLayout, lane: LifetimeRow, start: int, stop: int) -> list[str]:
    life, language = layout.view.timeline.index.lives[lane.storage], layout.language
    low = bisect_left(life.writes, start, key=lambda write: write[0])
    high = bisect_left(life.writes, stop, key=lambda write: write[0])
    if high == low:
        return []
    count = high - low
    key = LaneTexts.write if count == 1 else LaneTexts.writes
    text = say(key, language, count=f"{count:,}")
    before, after = _last_version(life, 0, low), _last_version(life, low, high)
    if after is not None:
        text += " " + say(LaneTexts.versions, language, before=before or 0, after=after)
    uncounted = count_in(life.uncounted, start, stop)
    return [text, *([say(LaneTexts.kept, language, count=uncounted)] if uncounted else [])]


READOUT_FROM = 7
"""Rows of the panel from which one describes a column in words."""


ROOM_BESIDE, ROOM_OF_SLICE = 2, 9
"""Cells beside a name in its column: for the mark of a gradient and a space, or for a slice."""

CURSOR_LINE = "│"

MAX_DRAWN = 200
"""Lanes whose columns are cached for the next step."""


class LaneLayout:
    """The layout of one view in so many cells."""

    def __init__(self, view: View, room: int, options: LaneOptions, language: str) -> None:
        self.view, self.room, self.options, self.language = view, room, options, language
        self.until = visible_until(view)
        self.shown = min(self.until, view.last_shown + 1)
        """The first step of which nothing is drawn: the learner has not come there yet."""

        steps = max(0, min(self.until, len(view.timeline)))
        seen = {tensor.id for tensor in visible(view)}
        self.on = {
            storage: tuple(tensor for tensor in tensors if tensor.id in seen)
            for storage, tensors in sharing(view.snapshot).items()
        }
        self.seen = seen
        cursor = min(view.cursor, steps - 1)
        # Who is listed does not depend on the label's width, but the window does.
        narrow = room < 60
        most = max(6, min(max(24, room // 3), room // 2 + 1))
        written = run_format(view.timeline)
        beside = ROOM_OF_SLICE if written.has_views else ROOM_BESIDE
        self.name_room = min(most, max(6, written.longest_name + beside))
        version_widths = (len(f"v{t.version}") for t in view.snapshot.tensors.values())
        self.version_room = min(
            8, max(4 if narrow else 5, options.versions, 1 + max(version_widths, default=0))
        )
        self.letter_room = 1 + len(letter(max(0, len(view.timeline.index.ranks) - 1)))
        self.label = 1 + self.letter_room + self.name_room + self.version_room + 1
        self.track = max(4, room - self.label - 1)
        self.window: StepWindow = window(
            steps, self.track, cursor=cursor, scale=options.scale, start=options.start
        )
        self.lanes = LifetimeRows(
            view.timeline,
            view.snapshot,
            self.window,
            cursor=view.cursor,
            until=self.shown,
            few=max(8, options.height - 4),
            only=options.only,
        )
        self.beneath = {lane.tensor for lane in self.lanes.near if lane.tensor is not None}
        """Tensors with a row of their own, under that of their storage."""

        self.head = 3 if options.height >= READOUT_FROM else 2

        self.drawn: dict[tuple[LifetimeRow, bool], list[tuple[Span, ...]]] = {}
        """By lane, and whether its versions are hidden: its columns, the cursor apart."""

    @property
    def columns_depend_on(self) -> object:
        view = self.view
        return view.timeline, len(view.timeline), view.mask, self.window, self.shown

    def place(self, row: int) -> int | None:
        place = row - self.head
        return place if 0 <= place < len(self.lanes) else None

    def step(self, x: int, row: int) -> int | None:
        if x < self.label or not self.window.columns:
            return None
        if row == 0 and not self.is_whole:
            place = min(x - self.label, self.track - 1)
            return min(self.until - 1, (place + 1) * self.until // self.track)
        column = min((x - self.label) // self.window.cells, self.window.columns - 1)
        return min(self.window.steps(column)[-1], self.until - 1)

    @property
    def is_empty(self) -> bool:
        """Whether there was no storage yet, as far as may be seen."""
        index = self.view.timeline.index
        return not index.births or index.lives[index.births[0]].born >= self.shown

    @property
    def is_whole(self) -> bool:
        return self.window.start == 0 and self.window.stop >= self.until

    def tensor(self, lane: LifetimeRow) -> int | None:
        if lane.tensor is not None:
            return lane.tensor
        tensors = self.on.get(lane.storage, ())
        return tensors[0].id if tensors else self.view.timeline.index.lives[lane.storage].owner

    def hidden(self, lane: LifetimeRow) -> bool:
        return any(hides(self.view, each, "version") for each in self.on.get(lane.storage, ()))

    def is_gradient(self, lane: LifetimeRow) -> bool:
        """Whether a `.grad` lies there, as far as that may be known."""
        first = self.view.timeline.histories.grads.get(lane.storage)
        return first is not None and first < self.shown and not self.view.mask.cells

    def name(self, lane: LifetimeRow) -> tuple[str, Style]:
        """Return what to call a lane; dim where no name reaches it at the cursor."""
        tensors = self.on.get(lane.storage, ())
        if lane.tensor is not None:
            return self._name_of_other(lane, tensors)
        names = [clean(each.names[0]) for each in tensors if each.names]
        if names:
            own = [clean(t.names[0]) for t in tensors if t.names and t.id not in self.beneath]
            return self._listed([self._spelled(each) for each in own or names]), Style.NAME
        life = self.view.timeline.index.lives[lane.storage]
        before = owner(self.view.timeline, life, self.view.cursor)
        masked = bool(self.view.mask.cells)
        if before is None or not before.names or (masked and before.id not in self.seen):
            return self._nameless()
        return self._spelled(clean(before.names[0])), Style.DIM

    def _listed(self, names: list[str]) -> str:
        """Return the names; where not all have room, the first, and how many there are besides."""
        listed = ", ".join(names)
        fits = len(names) == 1 or width(listed) <= self.name_room - ROOM_BESIDE
        return listed if fits else f"{names[0]} +{len(names) - 1}"

    def _spelled(self, name: str) -> str:
        return spell(self.view.timeline, name, max(6, self.name_room - ROOM_BESIDE))

    def _nameless(self) -> tuple[str, Style]:
        phrase = say(LaneTexts.unnamed, self.language)
        return (phrase if width(phrase) < self.name_room else "–"), Style.DIM

    def _name_of_other(self, lane: LifetimeRow, tensors: tuple[Tensor, ...]) -> tuple[str, Style]:
        assert lane.tensor is not None
        now = next((each for each in tensors if each.id == lane.tensor), None)
        row = now or self.view.timeline.histories.row_at(
            lane.tensor, max(lane.begins, self.view.cursor)
        )
        if row is None or not row.names or (self.view.mask.cells and lane.tensor not in self.seen):
            return self._nameless()
        form = FORMATS.get(row.dtype)
        nbytes = self.view.timeline.index.lives[lane.storage].nbytes
        count = nbytes // form.size if form else -1
        covered = covered_slice(row, count)
        room = max(3, self.name_room - ROOM_BESIDE - width(covered))
        name = spell(self.view.timeline, clean(row.names[0]), room)
        return f"{name}{covered}", Style.NAME if now else Style.DIM


def visible_until(view: View) -> int:
    """Return the first step that is not to be seen."""
    asked = asked_step(view)
    until = max(view.reachable, view.cursor) + 1
    if asked is not None and view.mask.outcome:
        return min(until, asked)
    return until


HELD, STALE, ALIVE, NOTHING = _LINES = ("━", "╍", "─", " ")


_MARKS = {
    LifetimeEvent.BORN: ("○", Style.NEW),
    LifetimeEvent.WRITTEN: ("●", Style.CHANGED),
    LifetimeEvent.UNCOUNTED: ("◆", Style.STALE),
    LifetimeEvent.SPOILED: ("!", Style.STALE),
    LifetimeEvent.FREED: ("∅", Style.FREED),
}
_WRITES = (LifetimeEvent.WRITTEN, LifetimeEvent.UNCOUNTED, LifetimeEvent.SPOILED)


def column(layout: LaneLayout, lane: LifetimeRow, start: int, stop: int) -> LifetimeCell:
    index = layout.view.timeline.index
    stop = min(stop, layout.shown)
    if start >= stop:
        return LifetimeCell()
    if lane.tensor is None:
        return storage_cell(index.lives[lane.storage], start, stop)
    writes = index.written.get(lane.tensor, ())
    return tensor_cell(lane.begins, lane.ends, writes, start, stop)


def track(layout: LaneLayout, lane: LifetimeRow, *, hidden: bool) -> list[Span]:
    """Return the columns; they are cached, so that a step only moves the cursor over them."""
    window, cursor = layout.window, layout.view.cursor
    columns = layout.drawn.get((lane, hidden))
    if columns is None:
        if len(layout.drawn) >= MAX_DRAWN:
            layout.drawn.clear()
        columns = layout.drawn[lane, hidden] = _columns(layout, lane, hidden=hidden)
    passed = min(max(0, (cursor - window.start) // window.each + 1), len(columns))
    pieces = [piece for column in columns[:passed] for piece in column]
    here = window.column(cursor) if cursor >= 0 else None
    if here is not None and columns[here][0].text in _LINES:
        before = sum(map(len, columns[:here]))
        pieces[before] = Span(CURSOR_LINE, Style.NEXT)
    ahead = "".join(piece.text for column in columns[passed:] for piece in column)
    return merged([*pieces, Span(ahead, Style.DIM)])


def _columns(layout: LaneLayout, lane: LifetimeRow, *, hidden: bool) -> list[tuple[Span, ...]]:
    """Return what each column shows once the cursor has come to it."""
    window, view = layout.window, layout.view
    cells = [
        column(layout, lane, steps.start, steps.stop)
        for steps in map(window.steps, range(window.columns))
    ]
    beyond = LifetimeCell() if window.stop >= layout.shown else cells[-1]
    found: list[tuple[Span, ...]] = []
    for place, now in enumerate(cells):
        following = cells[place + 1] if place + 1 < len(cells) else beyond
        line, style = _line(view, now)
        mark, mark_style = _mark(view, now, hidden=hidden)
        first = Span(mark, mark_style) if mark else Span(line, style)
        note = _note(layout, lane, now, place) if mark and window.cells > 1 else ""
        continues = now.alive and (following.alive or following.event is not LifetimeEvent.NONE)
        if now.event is LifetimeEvent.FREED and not hidden and not view.mask.saves:
            continues = False
        rest = (line if continues else " ") * (window.cells - 1 - len(note))
        found.append((first, Span(note, mark_style), Span(rest, style)))
    return found


def _line(view: View, now: LifetimeCell) -> tuple[str, Style]:
    if now.held:
        stale = now.stale and not view.mask.outcome
        return (STALE, Style.STALE) if stale else (HELD, Style.SAVED)
    return (ALIVE if now.alive else NOTHING), Style.DIM


def _mark(view: View, now: LifetimeCell, *, hidden: bool) -> tuple[str, Style]:
    event = now.event
    if view.mask.saves and event is LifetimeEvent.FREED:
        return "", Style.MASKED
    if hidden and event in _WRITES:
        return "", Style.MASKED
    if view.mask.outcome and event is LifetimeEvent.SPOILED:
        event = LifetimeEvent.WRITTEN
    return _MARKS.get(event, ("", Style.PLAIN))


def _note(layout: LaneLayout, lane: LifetimeRow, now: LifetimeCell, place: int) -> str:
    """Return the version after a write, or how many events a column is for."""
    room = layout.window.cells - 1
    if layout.window.each > 1:
        return "" if now.count < 2 else f"{now.count}" if now.count < 10 else "+"
    if now.event not in _WRITES or lane.tensor is not None:
        return ""
    life = layout.view.timeline.index.lives[lane.storage]
    version = latest(life.writes, layout.window.steps(place)[-1])
    text = "" if version is None else f"{version}"
    return text if len(text) <= room else ""
