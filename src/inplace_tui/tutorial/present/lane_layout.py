"""The layout of the storage lanes: columns of steps, labels, a row a storage."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.cells import clean, width
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.elements import FORMATS
from inplace_tui.common.run.snapshot import Tensor, letter, sharing
from inplace_tui.common.run.values import run_format, spell
from inplace_tui.common.texts import say
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.masking import asked_step, hides
from inplace_tui.tutorial.present.masking import shown as visible
from inplace_tui.tutorial.state.lifetimes import (
    LifetimeRow,
    LifetimeRows,
    StepWindow,
    covered_slice,
    owner,
    window,
)
from inplace_tui.tutorial.state.watch import related_storages

READOUT_FROM = 7
"""Rows of the panel from which one describes a column in words."""


ROOM_BESIDE, ROOM_OF_SLICE = 2, 9
"""Cells beside a name in its column: for the mark of a gradient and a space, or for a slice."""


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

    pointed: tuple[int, int] | None = None
    """(row of a lane, step) that is described; None for what is under the cursors."""


AT_FIRST = LaneOptions()


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
        most = max(6, min(24, room // 2 + 1))
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
            only=followed_storages(view),
        )
        self.beneath = {lane.tensor for lane in self.lanes.near if lane.tensor is not None}
        """Tensors with a row of their own, under that of their storage."""

        self.head = 3 if options.height >= READOUT_FROM else 2

        self.drawn: dict[tuple[LifetimeRow, bool], list[tuple[Span, ...]]] = {}
        """By lane, and whether its versions are hidden: its columns, the cursor apart."""

    def take_over(self, before: LaneLayout) -> None:
        """Take the columns over that the layout of the step before drew, if they are the same."""
        if self._columns_depend_on == before._columns_depend_on:
            self.drawn = before.drawn

    @property
    def _columns_depend_on(self) -> object:
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


def followed_storages(view: View) -> frozenset[int] | None:
    """Return the storages of the followed tensor; None where all are shown."""
    followed = view.watched.followed
    return None if followed is None else related_storages(view.timeline, view.snapshot, followed)


def visible_until(view: View) -> int:
    """Return the first step that is not to be seen."""
    asked = asked_step(view)
    until = max(view.reachable, view.cursor) + 1
    if asked is not None and view.mask.outcome:
        return min(until, asked)
    return until
