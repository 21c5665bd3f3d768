"""All snapshots of one run, kept as what changed from line to line."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from inplace_tui.model.event import Event
from inplace_tui.model.index import Index
from inplace_tui.model.outcome import Outcome
from inplace_tui.model.past import Past
from inplace_tui.model.pool import Pool
from inplace_tui.model.snapshot import EMPTY, Node, Saved, Snapshot, Storage, Tensor

KEYFRAME_EVERY = 64
"""A whole snapshot is kept this often, so that any step costs at most this many deltas."""


class Step(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line that finished, with what it left behind.

    Steps are in the order in which lines *finished*: the lines of a function
    come before the line that called it.
    """

    index: int
    line: int
    """First line of the statement, or of a compound statement's header."""

    end_line: int
    """Last line of the statement or header."""

    visit: int = 1
    """How many times this line has been begun, this one included."""

    began: int
    """How many steps had finished when this line began; equals `index` unless
    it called functions of the same file."""

    then: int | None = None
    """The line that goes on: the next one begun, or the caller's after a return;
    None after the last. A run that dies says by it where it was."""

    depth: int = 0
    """0 at module level, one more for each call of the same file on the stack."""

    function: str = "<module>"
    raised: str | None = None
    """`Type: message` of the exception that left this line, caught later or not."""

    in_backward: bool = False
    """The exception was raised with a backward on the stack."""

    grad_enabled: bool = True
    inference_mode: bool = False
    unpredictable: bool = False
    """From here backward would do more than follow the graph: a hook was registered
    by now, anomaly mode or a mode of the program's own is on, or it runs already."""

    hides: bool = False
    """It ran something that may write memory without anybody's notice."""

    events: tuple[Event, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    """New ones and changed ones."""

    gone: tuple[int, ...] = ()
    """Tensors that no name reaches any more."""

    storages: tuple[Storage, ...] = ()
    freed: tuple[int, ...] = ()
    """Storages that no living tensor or node is known to hold."""

    nodes: tuple[Node, ...] = ()
    lost: tuple[int, ...] = ()
    """Nodes that nothing reaches any more, with what they saved."""

    saved: tuple[Saved, ...] = ()


class Timeline:
    """An append-only list of steps that can be asked for any snapshot.

    Stepping back never runs anything again: the past is here.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.outcome: Outcome | None = None
        """None while the run goes on."""

        self.faults: tuple[str, ...] = ()
        """Failures of the recorder itself: steps may be missing something."""

        self.index = Index()
        """Where things happened, kept as the steps arrive."""

        self.past = Past()
        """What became of each thing, likewise."""

        self._pool = Pool()
        self._keyframes: list[Snapshot] = [EMPTY]
        self._last: Snapshot = EMPTY
        self._shown: tuple[tuple[int, Snapshot], ...] = ()
        """The last two that were asked for: a view shows a moment beside the one before."""

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def append(self, step: Step) -> None:
        """Add the next step.

        Raises:
            ValueError: `step.index` is not the next one.
        """
        if step.index != len(self.steps):
            raise ValueError(f"step {step.index} after {len(self.steps)} steps")
        self._pool.share(step)
        self.steps.append(step)
        self.index.add(step)
        self.past.add(step)
        self._last = apply(self._last, step)
        if len(self.steps) % KEYFRAME_EVERY == 0:
            self._keyframes.append(self._last)

    def at(self, index: int) -> Snapshot:
        """Return what was there after step `index`; -1 is before the first line.

        Raises:
            IndexError: there is no such step.
        """
        if not -1 <= index < len(self.steps):
            raise IndexError(f"no step {index} in {len(self.steps)}")
        nearest = (index + 1) // KEYFRAME_EVERY
        shown, snapshot = nearest * KEYFRAME_EVERY - 1, self._keyframes[nearest]
        for at, known in self._shown:
            if shown <= at <= index:
                shown, snapshot = at, known
        for step in self.steps[shown + 1 : index + 1]:
            snapshot = apply(snapshot, step)
        self._shown = (*(each for each in self._shown if each[0] != index), (index, snapshot))[-2:]
        return snapshot

    def excerpt(self, steps: list[Step]) -> Timeline:
        """Return the beginning of this timeline as `steps` tells it.

        What a mask hides is left out of the copies; snapshots are shared.

        Args:
            steps: the first steps of this timeline, or copies that leave behind
                the very same tensors, storages and nodes.
        """
        part = Timeline()
        part._keyframes = self._keyframes
        for step in steps:
            part.extend(step)
        return part

    def extend(self, step: Step) -> None:
        """Let an excerpt go one step further; its snapshots are those of the whole."""
        self.steps.append(step)
        self.index.add(step)
        self.past.add(step)


def apply(snapshot: Snapshot, step: Step) -> Snapshot:
    """Return `snapshot` with the changes of `step`; what did not change is shared."""
    tensors = snapshot.tensors
    if step.tensors or step.gone:
        tensors = {k: v for k, v in tensors.items() if k not in step.gone}
        tensors |= {tensor.id: tensor for tensor in step.tensors}
    storages = snapshot.storages
    if step.storages or step.freed:
        storages = {k: v for k, v in storages.items() if k not in step.freed}
        storages |= {storage.id: storage for storage in step.storages}
    nodes, saved = snapshot.nodes, snapshot.saved
    if step.lost:
        lost = frozenset(step.lost)
        nodes = {k: v for k, v in nodes.items() if k not in lost}
        saved = {k: v for k, v in saved.items() if k[0] not in lost}
    if step.nodes:
        nodes = nodes | {node.id: node for node in step.nodes}
    if step.saved:
        saved = saved | {(slot.node, slot.slot): slot for slot in step.saved}
    return Snapshot(tensors=tensors, storages=storages, nodes=nodes, saved=saved)
