"""Saved tensors that a failed backward can be about, and the writes to them."""

from __future__ import annotations

from inplace_tui.engine.blame.graph import slots_in_engine_order
from inplace_tui.engine.blame.version_error import VersionError
from inplace_tui.model.event import Mutation
from inplace_tui.model.snapshot import Saved, SlotState, Snapshot
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline


def stale_slots(snapshot: Snapshot, error: VersionError, *, within: frozenset[int]) -> list[Saved]:
    """Return the slots that the message can speak of, the one the engine meets first, first."""
    fitting = [
        slot
        for slot in snapshot.saved.values()
        if slot.state is SlotState.STALE
        and (slot.version, slot.now) == (error.expected, error.now)
        and slot.dtype == error.dtype
    ]
    # `resize_` changes the shape with the version, and the message has the new one.
    alike = [slot for slot in fitting if slot.shape == error.shape] or fitting
    return slots_in_engine_order(snapshot, _narrowed(alike, within))


def freed_slots(snapshot: Snapshot, *, within: frozenset[int]) -> list[Saved]:
    """Return the slots that an earlier backward emptied, first met first."""
    emptied = [slot for slot in snapshot.saved.values() if slot.state is SlotState.FREED]
    return slots_in_engine_order(snapshot, _narrowed(emptied, within))


def _narrowed(slots: list[Saved], within: frozenset[int]) -> list[Saved]:
    """Keep those in the graph of this backward, as far as that graph is known."""
    return [slot for slot in slots if slot.node in within] or slots


def freeing_step(timeline: Timeline, slot: Saved) -> Step | None:
    key = (slot.node, slot.slot)
    for step in timeline:
        if any(
            (each.node, each.slot) == key and each.state is SlotState.FREED for each in step.saved
        ):
            return step
    return None


def writes_to_slot(
    timeline: Timeline, snapshot: Snapshot, slot: Saved, *, until: int
) -> tuple[Mutation, ...]:
    """Return the writes that moved the version of what the slot holds, first first.

    A write that left no event shows by the version alone: then the line at
    which it was first seen to have moved is all that is known.
    """
    start = snapshot.nodes[slot.node].step or 0
    # A hook that the saving line called wrote before that line was finished.
    steps = timeline.steps[timeline.steps[start].began : until + 1]
    seen = tuple(
        event
        for step in steps
        for event in step.mutations
        if event.storage == slot.storage
        and event.before is not None
        and event.before >= (slot.version or 0)
    )
    # Tensors on one storage may count their versions apart (after `.data =`).
    own = {event.before for event in seen if event.tensor == slot.tensor is not None}
    seen = tuple(e for e in seen if e.tensor == slot.tensor or e.before not in own)
    return seen or _by_version(steps, slot)


def _by_version(steps: list[Step], slot: Saved) -> tuple[Mutation, ...]:
    for step in steps:
        for each in step.saved:
            if (each.node, each.slot) == (slot.node, slot.slot) and each.now != each.version:
                return (unattributed_write(step, slot, before=slot.version, after=each.now),)
    return ()


def unattributed_write(
    step: Step, slot: Saved, *, before: int | None = None, after: int | None = None
) -> Mutation:
    return Mutation(
        line=step.line, tensor=slot.tensor, storage=slot.storage, before=before, after=after
    )


def is_uncounted(event: Mutation) -> bool:
    """Whether no version counter saw the write."""
    return event.before is None or event.before == event.after
