"""Storage lanes: a row a storage, time from left to right, the cursor across them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.aliasing import letter, sharing
from inplace_tui.engine.state.elements import FORMATS
from inplace_tui.engine.state.lanes import Window, window
from inplace_tui.engine.state.lineup import Lane, Lineup, owner, part
from inplace_tui.engine.state.watch import lives_of
from inplace_tui.model.snapshot import Tensor
from inplace_tui.present import lane_track
from inplace_tui.present.cells import clean, clip, clip_spans, flow, pad, shorten, width
from inplace_tui.present.lane_rulers import overview, ruler_of_lines, ruler_of_steps
from inplace_tui.present.lane_words import readout
from inplace_tui.present.masking import HIDDEN, asked_step, hides, is_stale
from inplace_tui.present.masking import shown as visible
from inplace_tui.present.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.lanes import LaneTexts

READOUT_FROM = 7
"""Rows of the panel from which one tells in words what is in a column."""

SELECTED, GRADIENT, FREED = "▸", "∂", "x"


@dataclass(frozen=True)
class Camera:
    """How the lanes are looked at."""

    scale: int | None = None
    """As `window` has it; None shows the whole run."""

    start: int = 0
    """The first step of the window before."""

    names: int = 0
    """Cells that names had before: they get more, never less, so that columns stay."""

    versions: int = 0
    """Likewise for versions."""

    height: int = 24
    selected: int | None = None
    """The tensor that is marked, here and in the table."""

    pointed: tuple[int, int] | None = None
    """(row of a lane, step) that is told in words; None for what is under the cursors."""


class Scene:
    """Where what stands, for one view in so many cells."""

    def __init__(self, view: View, room: int, camera: Camera, language: str) -> None:
        self.view, self.room, self.camera, self.language = view, room, camera, language
        self.until = horizon(view)
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
        most = max(6, min(24, room // 4))
        self.name_room = min(most, max(6, camera.names, _longest(self.on.values())))
        told = (len(f"v{t.version}") for t in view.snapshot.tensors.values())
        self.version_room = min(
            8, max(4 if narrow else 5, camera.versions, 1 + max(told, default=0))
        )
        self.letter_room = 1 + len(letter(max(0, len(view.timeline.index.ranks) - 1)))
        self.label = 1 + self.letter_room + self.name_room + self.version_room + 1
        self.track = max(4, room - self.label - 1)
        self.sight: Window = window(
            steps, self.track, cursor=cursor, scale=camera.scale, start=camera.start
        )
        self.lineup = Lineup(
            view.timeline,
            view.snapshot,
            self.sight,
            cursor=view.cursor,
            until=self.until,
            few=max(8, camera.height - 4),
            only=followed_storages(view),
        )
        near = (self.lineup[place] for place in range(self.lineup.there))
        self.beneath = {lane.tensor for lane in near if lane.tensor is not None}
        """Tensors with a row of their own, under that of their storage."""

        self.head = 3 if camera.height >= READOUT_FROM else 2

    def place(self, row: int) -> int | None:
        """Return the lane in a row; None where that is something else."""
        place = row - self.head
        return place if 0 <= place < len(self.lineup) else None

    def step(self, x: int, row: int) -> int | None:
        """Return the step that a cell stands for, None left of the track."""
        if x < self.label or not self.sight.columns:
            return None
        if row == 0 and not self.is_whole:
            place = min(x - self.label, self.track - 1)
            return min(self.until - 1, (place + 1) * self.until // self.track)
        column = min((x - self.label) // self.sight.cells, self.sight.columns - 1)
        return min(self.sight.steps(column)[-1], self.until - 1)

    @property
    def is_empty(self) -> bool:
        """Whether there was no storage yet, as far as may be seen."""
        index = self.view.timeline.index
        return not index.births or index.lives[index.births[0]].born >= self.until

    @property
    def is_whole(self) -> bool:
        """Whether all steps are in sight."""
        return self.sight.start == 0 and self.sight.stop >= self.until

    def tensor(self, lane: Lane) -> int | None:
        """Return the tensor that stands for a lane."""
        if lane.tensor is not None:
            return lane.tensor
        tensors = self.on.get(lane.storage, ())
        return tensors[0].id if tensors else self.view.timeline.index.lives[lane.storage].owner

    def hidden(self, lane: Lane) -> bool:
        """Whether what was written to a lane would answer a question."""
        return any(hides(self.view, each, "version") for each in self.on.get(lane.storage, ()))

    def is_gradient(self, lane: Lane) -> bool:
        """Whether a `.grad` lies there, as far as that may be known."""
        first = self.view.timeline.past.gradients.get(lane.storage)
        return first is not None and first < self.until and not self.view.mask.cells

    def name(self, lane: Lane) -> tuple[str, Style]:
        """Return what to call a lane; dim where no name reaches it at the cursor."""
        tensors = self.on.get(lane.storage, ())
        if lane.tensor is not None:
            return self._name_of_other(lane, tensors)
        names = [clean(each.names[0]) for each in tensors if each.names]
        if names:
            own = [clean(t.names[0]) for t in tensors if t.names and t.id not in self.beneath]
            return ", ".join(own or names), Style.NAME
        life = self.view.timeline.index.lives[lane.storage]
        before = owner(self.view.timeline, life, self.view.cursor)
        masked = bool(self.view.mask.cells)
        if before is None or not before.names or (masked and before.id not in self.seen):
            return self._nameless()
        return clean(before.names[0]), Style.DIM

    def _nameless(self) -> tuple[str, Style]:
        said = say(LaneTexts.unnamed, self.language)
        return (said if width(said) < self.name_room else "–"), Style.DIM

    def _name_of_other(self, lane: Lane, tensors: tuple[Tensor, ...]) -> tuple[str, Style]:
        assert lane.tensor is not None
        now = next((each for each in tensors if each.id == lane.tensor), None)
        row = now or self.view.timeline.past.row_at(lane.tensor, max(lane.begins, self.view.cursor))
        if row is None or not row.names or (self.view.mask.cells and lane.tensor not in self.seen):
            return self._nameless()
        form = FORMATS.get(row.dtype)
        nbytes = self.view.timeline.index.lives[lane.storage].nbytes
        count = nbytes // form.size if form else -1
        covered = part(row, count)
        name = shorten(clean(row.names[0]), max(3, self.name_room - 2 - width(covered)))
        return f"{name}{covered}", Style.NAME if now else Style.DIM


def followed_storages(view: View) -> frozenset[int] | None:
    """Return the storages of the tensor that is followed; None where all are told of."""
    followed = view.watched.followed
    return None if followed is None else lives_of(view.timeline, view.snapshot, followed)


def _longest(shared: Iterable[tuple[Tensor, ...]]) -> int:
    """Return the cells that the names of tensors want, with what may stand beside them."""
    beside = {True: 3, False: 9}
    return max(
        (
            width(clean(each.names[0])) + beside[len(tensors) == 1]
            for tensors in shared
            for each in tensors
            if each.names
        ),
        default=0,
    )


def horizon(view: View) -> int:
    """Return the first step that is not to be seen."""
    asked = asked_step(view)
    until = max(view.reachable, view.cursor) + 1
    if asked is not None and view.mask.outcome:
        return min(until, asked)
    return until


class LaneRows(LazyRows):
    """The rulers, a lane for every storage in the window, and the legend."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        """Where what stands."""

        if scene.is_empty:
            nothing = Row((Span(say(LaneTexts.none, scene.language), Style.DIM),))
            super().__init__(1, lambda _: nothing)
            return
        heads = _heads(scene)
        legend = [Row(), *_legend(scene.room, scene.language)]
        count = len(scene.lineup)

        def row(place: int) -> Row:
            if place < scene.head:
                return Row(clip_spans(heads[place], scene.room))
            if place - scene.head < count:
                return _lane(scene, scene.lineup[place - scene.head])
            return legend[place - scene.head - count]

        super().__init__(scene.head + count + len(legend), row)


def rows(view: View, room: int, language: str, camera: Camera = Camera()) -> LaneRows:
    """Return the lanes of a view, in so many cells."""
    return LaneRows(Scene(view, room, camera, language))


def _heads(scene: Scene) -> list[list[Span]]:
    """Return the rows that stay on top."""
    short = scene.is_whole and scene.sight.each == 1
    found = [ruler_of_lines(scene) if short else overview(scene), ruler_of_steps(scene)]
    return [*found, readout(scene)] if scene.head > 2 else found


def _lane(scene: Scene, lane: Lane) -> Row:
    view, tensor = scene.view, scene.tensor(lane)
    hidden = scene.hidden(lane)
    name, look = scene.name(lane)
    mark = SELECTED if tensor is not None and tensor == scene.camera.selected else " "
    if lane.tensor is None:
        head = pad(
            clip(letter(view.timeline.index.ranks[lane.storage]), scene.letter_room),
            scene.letter_room,
        )
        gradient = GRADIENT if scene.is_gradient(lane) else ""
        title = f"{gradient}{name}"
    else:
        head, title = " " * (scene.letter_room - 1) + "└", name
    spans = [
        Span(mark, Style.NEXT),
        Span(head, Style.STRONG if lane.tensor is None else Style.DIM),
        Span(pad(shorten(title, scene.name_room - 1), scene.name_room), look),
        *_now(scene, lane),
        *lane_track.track(scene, lane, hidden=hidden),
    ]
    return Row(clip_spans(spans, scene.room), Target(tensor=tensor))


def standing(scene: Scene, lane: Lane) -> tuple[str, Style, bool]:
    """Return a lane's version at the cursor, and whether something saved would be refused."""
    view = scene.view
    life = view.timeline.index.lives[lane.storage]
    if scene.hidden(lane):
        return HIDDEN, Style.MASKED, False
    tensors = scene.on.get(lane.storage, ())
    if lane.tensor is not None:
        tensors = tuple(each for each in tensors if each.id == lane.tensor)
    else:
        tensors = tuple(t for t in tensors if t.id not in scene.beneath) or tensors
    versions = sorted({each.version for each in tensors if isinstance(each.version, int)})
    text = f"v{versions[-1]}" if versions else ""
    if life.born > view.cursor or (lane.tensor is not None and not tensors):
        text = ""
    elif life.freed is not None and life.freed <= view.cursor:
        return FREED, Style.FREED, False
    elif not versions and lane.tensor is None:
        place = bisect_right(life.writes, view.cursor, key=lambda write: write[0])
        near = reversed(life.writes[max(0, place - 8) : place])
        last = next((version for _, version in near if version is not None), None)
        text = "" if last is None else f"v{last}"
    stale = lane.tensor is None and is_stale(view, lane.storage)
    return text, Style.PLAIN, stale


def _now(scene: Scene, lane: Lane) -> list[Span]:
    text, look, stale = standing(scene, lane)
    room = scene.version_room
    if look is not Style.PLAIN:
        return [Span(pad(text, room + 1), look)]
    return [
        Span(pad(clip(text, room - 1), room - 1 if stale else room), look),
        *([Span("!", Style.STALE)] if stale else []),
        Span(" "),
    ]


def _legend(room: int, language: str) -> list[Row]:
    """Explain the marks, as many to a line as fit."""
    parts = say(LaneTexts.legend, language).split("  ")
    return [Row((Span(line, Style.DIM),)) for line in flow(parts, room, "  ")]
