"""Who saved the tensor, who changed it, who needed it."""

from __future__ import annotations

from inplace_tui.engine.blame.blamed import Blame, Saver, hidden_saver
from inplace_tui.engine.blame.classify import lost_leaves, verdict_of_run, warned_lines
from inplace_tui.engine.blame.evidence import (
    freed_slots,
    freeing_step,
    names_in,
    raising_step,
    reached_from,
    stale_slots,
    tensor_named,
    writes_seen,
)
from inplace_tui.engine.blame.naming import name_of, name_when_saved, name_when_written, step_of
from inplace_tui.engine.blame.refusals import asked, refused
from inplace_tui.engine.blame.silent import changed_slots
from inplace_tui.engine.blame.unseen import (
    INSIDE,
    ON_CTX,
    Keeper,
    Way,
    behind,
    keepers,
    near,
    wrapped,
)
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.blame.version_error import VersionError, version_error
from inplace_tui.engine.blame.writes import gradients_read_on
from inplace_tui.model.event import Mutation
from inplace_tui.model.outcome import Raised, Truth, Wrong
from inplace_tui.model.snapshot import Saved, Snapshot
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline

__all__ = ["Blame", "Saver", "blame"]


def blame(timeline: Timeline, truth: Truth, *, source: str = "") -> Blame | None:
    """Return what the outcome of a run comes from; None where nothing went wrong.

    Args:
        timeline: a run that has ended.
        truth: what its replays showed.
        source: its program. A refused write leaves no event, so only the text
            can tell what was written to.
    """
    kind = verdict_of_run(timeline, truth)
    if kind is None:
        return None
    outcome = timeline.outcome
    if isinstance(truth, Wrong) and kind is Verdict.SILENTLY_WRONG:
        return _silent(timeline, truth, source)
    if not isinstance(outcome, Raised) or kind is Verdict.LEAF_LOST:
        return _gradient_read(timeline, kind, source)
    if kind is Verdict.SAVED_TENSOR_MODIFIED:
        found = _stale(timeline, outcome, source)
    elif kind is Verdict.GRAPH_FREED:
        found = _freed(timeline, outcome, source)
    elif kind is Verdict.SHAPE_NOT_WRITABLE and (changed := _misfit(timeline, outcome)):
        found = changed
    elif kind.is_refused_write:
        found = refused(timeline, outcome, kind, source=source)
    else:
        found = asked(timeline, outcome, kind, source=source)
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
            writes = writes_seen(timeline, snapshot, slot, until=raising.index)
            return Blame(
                verdict=kind,
                tensor=name_when_written(timeline, writes) or name_of(snapshot, slot),
                saver=_saver(timeline, snapshot, slot),
                writes=writes,
                reader=outcome.line,
            )
    return _unseen(timeline, outcome, error, raising, source=source)


def _misfit(timeline: Timeline, outcome: Raised) -> Blame | None:
    """Backward itself met a shape that did not fit: a saved mask may have changed unseen."""
    raising = raising_step(timeline)
    if raising is None or not outcome.in_backward:
        return None
    changed = changed_slots(timeline, raising, leaf=None)
    if changed is None:
        return None
    before = timeline.at(raising.began - 1)
    return Blame(
        verdict=Verdict.SHAPE_NOT_WRITABLE,
        tensor=name_when_written(timeline, changed.writes) or name_of(before, changed.slot),
        saver=_saver(timeline, before, changed.slot),
        writes=changed.writes,
        reader=outcome.line,
        way=Way.UNSEEN,
    )


def _unseen(
    timeline: Timeline, outcome: Raised, error: VersionError, raising: Step, *, source: str
) -> Blame:
    """The slot is hidden in a node that does not show it: go by the versions alone."""
    chains: dict[int, list[Mutation]] = {}
    for step in timeline.steps[: raising.index + 1]:
        for event in step.events:
            if not isinstance(event, Mutation) or event.storage is None or event.before is None:
                continue
            if event.before >= error.expected:
                chains.setdefault(event.storage, []).append(event)
    fitting = {
        storage: tuple(chain)
        for storage, chain in chains.items()
        if chain[0].before == error.expected and chain[-1].after == error.now
    }
    keeper, storage = _keeper(timeline, raising, fitting, error.expected, source)
    writes = fitting.get(storage, ())
    return Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED,
        tensor=name_when_written(timeline, writes),
        saver=None if keeper is None else hidden_saver(keeper, error.expected),
        writes=writes,
        reader=outcome.line,
    )


def _keeper(
    timeline: Timeline,
    raising: Step,
    chains: dict[int, tuple[Mutation, ...]],
    version: int,
    source: str,
) -> tuple[Keeper | None, int]:
    """Return the node that is likeliest to keep one of these storages, and which; -1 if unknown."""
    only = next(iter(chains)) if len(chains) == 1 else -1
    # Of what hangs on ctx no version is ever checked.
    hidden = [k for k in keepers(timeline.at(raising.began - 1)) if k.slot != ON_CTX]
    for keeper in hidden:
        wraps = keeper.slot == INSIDE
        likely = (
            wrapped(timeline, source, keeper, version) if wraps else near(timeline, source, keeper)
        )
        for near_it in likely:
            for storage in sorted(near_it & chains.keys()):
                if _was_made_before(timeline, keeper, chains[storage][0]):
                    return keeper, storage
    hooked = [keeper for keeper in hidden if keeper.slot != INSIDE]
    return (hooked[0] if hooked and only >= 0 else None), only


def _was_made_before(timeline: Timeline, keeper: Keeper, write: Mutation) -> bool:
    step = step_of(timeline, write)
    return step is None or (keeper.node.step or 0) <= step.index


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
        tensor=name_of(snapshot, slots[0]),
        saver=_saver(timeline, snapshot, slots[0]),
        writes=() if step is None else (first,),
        reader=outcome.line,
    )


def _silent(timeline: Timeline, truth: Wrong, source: str) -> Blame:
    """No check failed: find what backward used that was not what was saved."""
    difference = truth.differences[0]
    kind, reader = Verdict.SILENTLY_WRONG, difference.line
    on_line = [step for step in timeline if step.line <= (reader or 0) <= step.end_line]
    # The very visit first: one before it may have used what was changed without harm.
    steps = [*on_line[truth.visit - 1 : truth.visit], *on_line]
    for step in steps:
        before = timeline.at(step.began - 1)
        leaf = tensor_named(before, difference.tensor)
        if changed := changed_slots(timeline, step, leaf=leaf):
            return Blame(
                verdict=kind,
                tensor=name_when_written(timeline, changed.writes) or name_of(before, changed.slot),
                saver=_saver(timeline, before, changed.slot),
                writes=changed.writes,
                reader=reader,
                way=Way.UNSEEN,
            )
        if found := behind(timeline, step, truth, source=source, leaf=leaf):
            return Blame(
                verdict=kind,
                tensor=name_when_written(timeline, found.writes),
                saver=None if found.keeper is None else hidden_saver(found.keeper),
                writes=found.writes,
                reader=reader,
                way=found.way,
            )
    return Blame(verdict=kind, tensor=difference.tensor, reader=reader)


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


def _saver(timeline: Timeline, snapshot: Snapshot, slot: Saved) -> Saver:
    node = snapshot.nodes[slot.node]
    return Saver(
        line=node.line,
        node=node.name,
        slot=slot.slot,
        version=slot.version,
        is_output=slot.is_output,
        tensor=name_when_saved(timeline, slot, now=snapshot),
    )
