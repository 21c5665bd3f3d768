"""Who saved the tensor, who changed it, who needed it."""

from __future__ import annotations

import msgspec

from inplace_tui.engine.evidence import (
    freed_slots,
    freeing_step,
    names_in,
    raising_step,
    reached_from,
    stale_slots,
    tensor_named,
    writes_seen,
)
from inplace_tui.engine.silent import Changed, changed_slots
from inplace_tui.engine.verdict import (
    Verdict,
    VersionError,
    lost_leaves,
    verdict,
    version_error,
    warned_lines,
)
from inplace_tui.engine.writes import gradients_read_on, writes_on
from inplace_tui.model.event import Mutation
from inplace_tui.model.outcome import Raised, Truth, Wrong
from inplace_tui.model.snapshot import Saved, Snapshot, Tensor
from inplace_tui.model.timeline import Step, Timeline

REFUSED_WRITES = frozenset(
    {
        Verdict.LEAF_MODIFIED,
        Verdict.LEAF_VIEW_MODIFIED,
        Verdict.MULTI_VIEW_MODIFIED,
        Verdict.NO_GRAD_VIEW_MODIFIED,
        Verdict.INFERENCE_VIEW_MODIFIED,
        Verdict.CUSTOM_VIEW_MODIFIED,
        Verdict.VIEW_DETACHED,
        Verdict.INFERENCE_MODIFIED,
        Verdict.DTYPE_NOT_WRITABLE,
        Verdict.SHAPE_NOT_WRITABLE,
        Verdict.MEMORY_OVERLAPS,
    }
)
"""Torch refused the write itself, so the line that raised is the line at fault."""

ABOUT_THE_NAMED = frozenset({Verdict.NO_GRAD_FN, Verdict.NOT_A_SCALAR, Verdict.INTEGER_GRADIENT})
"""The message speaks of the very tensor that the raising line asks something of."""


class Saver(msgspec.Struct, frozen=True, kw_only=True):
    """The line that saved a tensor, with the version that it had then."""

    line: int | None
    node: str
    slot: str
    version: int | None
    is_output: bool = False
    """The node saved its own result, not an input."""


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """What a failure, or a gradient that is wrong, comes from."""

    verdict: Verdict
    tensor: str | None = None
    """Shortest name of the tensor concerned."""

    saver: Saver | None = None
    writes: tuple[Mutation, ...] = ()
    """Every write after the save, in order of time; the first is at fault."""

    reader: int | None = None
    """The line that needed it: where the error was raised, or backward was run."""

    cut: int | None = None
    """The line that bound a leaf's name to something else."""


def blame(timeline: Timeline, truth: Truth, *, source: str = "") -> Blame | None:
    """Return what the outcome of a run comes from; None where nothing went wrong.

    Args:
        timeline: a run that has ended.
        truth: what its replays showed.
        source: its program. A refused write leaves no event, so only the text
            can tell what was written to.
    """
    kind = verdict(timeline, truth)
    if kind is None:
        return None
    outcome = timeline.outcome
    if isinstance(truth, Wrong) and kind is Verdict.SILENTLY_WRONG:
        return _silent(timeline, truth)
    if not isinstance(outcome, Raised) or kind is Verdict.LEAF_LOST:
        return _gradient_read(timeline, kind, source)
    if kind is Verdict.SAVED_TENSOR_MODIFIED:
        found = _stale(timeline, outcome, source)
    elif kind is Verdict.GRAPH_FREED:
        found = _freed(timeline, outcome, source)
    elif kind in REFUSED_WRITES:
        found = _refused(timeline, outcome, kind, source=source)
    else:
        tensor = _only_name(timeline, outcome, source) if kind in ABOUT_THE_NAMED else None
        found = Blame(verdict=kind, tensor=tensor, reader=outcome.line)
    return found


def _stale(timeline: Timeline, outcome: Raised, source: str) -> Blame:
    """A version check failed: find the slot that it speaks of."""
    kind = Verdict.SAVED_TENSOR_MODIFIED
    error = version_error(outcome.message)
    raising = raising_step(timeline)
    if error is None or raising is None:
        return Blame(verdict=kind, reader=outcome.line)
    for index in (raising.began - 1, raising.index):
        snapshot = timeline.at(index)
        within = reached_from(snapshot, names_in(source, outcome.line))
        slots = stale_slots(snapshot, error, within=within)
        if slots:
            slot = slots[0]
            return Blame(
                verdict=kind,
                tensor=_name(snapshot, slot),
                saver=_saver(snapshot, slot),
                writes=writes_seen(timeline, snapshot, slot, until=raising.index),
                reader=outcome.line,
            )
    return _unseen(timeline, outcome, error, raising)


def _unseen(timeline: Timeline, outcome: Raised, error: VersionError, raising: Step) -> Blame:
    """The slot is hidden in a node that does not show it: go by the versions alone."""
    snapshot = timeline.at(raising.index)
    chains: dict[int, list[Mutation]] = {}
    for step in timeline.steps[: raising.index + 1]:
        for event in step.events:
            if not isinstance(event, Mutation) or event.storage is None or event.before is None:
                continue
            if event.before >= error.expected:
                chains.setdefault(event.storage, []).append(event)
    fitting = [
        chain
        for chain in chains.values()
        if chain[0].before == error.expected and chain[-1].after == error.now
    ]
    if len(fitting) != 1:
        return Blame(verdict=Verdict.SAVED_TENSOR_MODIFIED, reader=outcome.line)
    written = snapshot.tensors.get(-1 if fitting[0][0].tensor is None else fitting[0][0].tensor)
    return Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED,
        tensor=written.names[0] if written is not None and written.names else None,
        writes=tuple(fitting[0]),
        reader=outcome.line,
    )


def _freed(timeline: Timeline, outcome: Raised, source: str) -> Blame:
    """The graph was used up: the first backward through it is at fault."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    within = reached_from(snapshot, names_in(source, outcome.line))
    slots = freed_slots(snapshot, within=within)
    if not slots:
        return Blame(verdict=Verdict.GRAPH_FREED, reader=outcome.line)
    step = freeing_step(timeline, slots[0])
    first = Mutation(
        line=outcome.line or 0 if step is None else step.line,
        op="Tensor.backward",
        tensor=slots[0].tensor,
        storage=slots[0].storage,
    )
    return Blame(
        verdict=Verdict.GRAPH_FREED,
        tensor=_name(snapshot, slots[0]),
        saver=_saver(snapshot, slots[0]),
        writes=() if step is None else (first,),
        reader=outcome.line,
    )


def _silent(timeline: Timeline, truth: Wrong) -> Blame:
    """No check failed: find the slot whose memory is not what was saved."""
    difference = truth.differences[0]
    for step in timeline:
        if not step.line <= (difference.line or 0) <= step.end_line:
            continue
        before = timeline.at(step.began - 1)
        leaf = tensor_named(before, difference.tensor)
        found: Changed | None = changed_slots(timeline, step, leaf=leaf)
        if found is not None:
            return Blame(
                verdict=Verdict.SILENTLY_WRONG,
                tensor=_name(before, found.slot),
                saver=_saver(before, found.slot),
                writes=found.writes,
                reader=difference.line,
            )
    return Blame(verdict=Verdict.SILENTLY_WRONG, tensor=difference.tensor, reader=difference.line)


def _gradient_read(timeline: Timeline, kind: Verdict, source: str) -> Blame:
    """A gradient was looked for where none arrives, or a warning is all there is."""
    outcome = timeline.outcome
    lost = kind is Verdict.LEAF_LOST
    reads = warned_lines(timeline, Verdict.NON_LEAF_GRAD_READ if lost else kind)
    reader = outcome.line if isinstance(outcome, Raised) else next(iter(reads), None)
    if lost:
        step, event = next(lost_leaves(timeline))
        return Blame(verdict=kind, tensor=event.name, reader=reader, cut=step.line)
    read = gradients_read_on(source, reader or 0) if kind is Verdict.NON_LEAF_GRAD_READ else []
    return Blame(verdict=kind, tensor=read[0] if len(read) == 1 else None, reader=reader)


def _refused(timeline: Timeline, outcome: Raised, kind: Verdict, *, source: str) -> Blame:
    """Torch refused the write: nothing was changed, and the text tells what would have been."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    line = outcome.line or 0
    spelled = writes_on(source, line)
    written = [(write, tensor_named(snapshot, write.target)) for write in spelled]
    fitting = [pair for pair in written if pair[1] is not None and _fits(kind, pair[1])]
    if not fitting:
        unread = Mutation(line=line, op=spelled[0].op if len(spelled) == 1 else None)
        name = spelled[0].target if len(spelled) == 1 else None
        return Blame(verdict=kind, tensor=name, writes=(unread,), reader=outcome.line)
    write, tensor = fitting[0]
    assert tensor is not None
    refused = Mutation(
        line=line,
        op=write.op,
        tensor=tensor.id,
        storage=tensor.storage,
        before=tensor.version if isinstance(tensor.version, int) else None,
    )
    return Blame(verdict=kind, tensor=write.target, writes=(refused,), reader=outcome.line)


def _fits(kind: Verdict, tensor: Tensor) -> bool:
    """Whether torch would refuse to write `tensor` for this reason; several may be on the line."""
    leaf = tensor.requires_grad and tensor.is_leaf is True
    match kind:
        case Verdict.LEAF_MODIFIED:
            return leaf
        case Verdict.LEAF_VIEW_MODIFIED:
            return leaf or tensor.is_view
        case _:
            return True


def _only_name(timeline: Timeline, outcome: Raised, source: str) -> str | None:
    """Return the tensor named on the raising line, if it is the only one."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    named = [(name, tensor_named(snapshot, name)) for name in names_in(source, outcome.line)]
    found = [name for name, tensor in named if tensor is not None]
    return found[0] if len(found) == 1 else None


def _saver(snapshot: Snapshot, slot: Saved) -> Saver:
    node = snapshot.nodes[slot.node]
    return Saver(
        line=node.line,
        node=node.name,
        slot=slot.slot,
        version=slot.version,
        is_output=slot.is_output,
    )


def _name(snapshot: Snapshot, slot: Saved) -> str | None:
    """Return the shortest name of what the slot holds."""
    held = None if slot.tensor is None else snapshot.tensors.get(slot.tensor)
    if held is not None and held.names:
        return held.names[0]
    sharing = [
        tensor
        for tensor in snapshot.tensors.values()
        if tensor.names and tensor.storage == slot.storage is not None
    ]
    same = [tensor for tensor in sharing if tensor.shape == slot.shape] or sharing
    return min((tensor.names[0] for tensor in same), key=len, default=None)
