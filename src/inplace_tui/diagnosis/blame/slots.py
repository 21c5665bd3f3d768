"""Saved tensors that a failed or wrong backward can be about, and the writes to them."""

from __future__ import annotations

from collections import defaultdict

from inplace_tui.common.run import values
from inplace_tui.common.run.snapshot import Saved, SlotState, Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.version_error import VersionError
from inplace_tui.diagnosis.blame.graph import delivering_to, slots_in_engine_order


def stale_slots(snapshot: Snapshot, error: VersionError, *, within: frozenset[int]) -> list[Saved]:
    """Return the slots that the message can speak of, the one the engine meets first, first."""
    stale = (slot for slot in snapshot.saved.values() if slot.state is SlotState.STALE)
    said = error.expected, error.now, error.dtype
    fitting = [slot for slot in stale if (slot.version, slot.now, slot.dtype) == said]
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


def writes_to_slot(
    timeline: Timeline, snapshot: Snapshot, slot: Saved, *, until: int
) -> tuple[Mutation, ...]:
    """Return the writes that moved the version of what the slot holds, first first.

    A write that left no event shows by the version alone: then the line at
    which it was first seen to have moved is all that is known.
    """
    start = snapshot.nodes[slot.node].step or 0
    # A hook that the saving line called wrote before that line was finished.
    began = timeline.steps[start].began
    on_it = (e for e in timeline.mutations(began, until + 1) if e.storage == slot.storage)
    seen = tuple(e for e in on_it if e.before is not None and e.before >= (slot.version or 0))
    # Tensors on one storage may count their versions apart (after `.data =`).
    own = {event.before for event in seen if event.tensor == slot.tensor is not None}
    if seen := tuple(e for e in seen if e.tensor == slot.tensor or e.before not in own):
        return seen
    for step in timeline.steps[began : until + 1]:
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


def find_changed_slot(
    timeline: Timeline, backward: Step, *, leaf: Tensor | None
) -> tuple[Saved, tuple[Mutation, ...]] | None:
    """Return the changed slot that a backward meets first, and the writes to it; None if none is.

    Its memory changed without its version: a wrong gradient, and no error.

    One that the wrong gradient of `leaf` depends on is preferred.
    """
    before = timeline.at(backward.began - 1)
    history = _steps_of_writes(timeline, until=backward.began)
    moved = _steps_of_moves(timeline, before, until=backward.began)
    found: dict[tuple[int, str], int] = {}
    for key, slot in before.saved.items():
        # A stale slot would have raised; a hooked one is not checked at all.
        if slot.state not in {SlotState.FRESH, SlotState.HOOKED}:
            continue
        first = moved.get(key)
        if first is None and slot.storage in history:
            first = _first_change(timeline, before, slot, history[slot.storage])
        if first is not None:
            found[key] = first
    slots = slots_in_engine_order(before, [before.saved[key] for key in found])
    if leaf is not None:
        through = delivering_to(before, leaf)
        slots = [slot for slot in slots if slot.node in through] or slots
    if not slots:
        return None
    slot, first = slots[0], found[slots[0].node, slots[0].slot]
    step, later = timeline.steps[first], timeline.mutations(first, backward.index + 1)
    events = [e for e in later if e.storage == slot.storage or e.tensor == slot.tensor is not None]
    explained = any(event in step.events for event in events)
    return slot, tuple(events) if explained else (unattributed_write(step, slot), *events)


def _steps_of_moves(
    timeline: Timeline, before: Snapshot, *, until: int
) -> dict[tuple[int, str], int]:
    """Return for each saved input the first step at which it lay on another storage.

    `w.data = t` puts other memory under a tensor, and the node that saved it
    has that very tensor. A saved result is a tensor of the node's own.
    """
    steps: dict[tuple[int, str], int] = {}
    for key, slot in before.saved.items():
        held = before.tensors.get(-1 if slot.tensor is None else slot.tensor)
        if held is None or slot.is_output or held.storage == slot.storage:
            continue
        for step in timeline.steps[(before.nodes[slot.node].step or 0) + 1 : until]:
            if any(each.id == held.id and each.storage != slot.storage for each in step.tensors):
                steps[key] = step.index
                break
    return steps


def _steps_of_writes(timeline: Timeline, *, until: int) -> dict[int | None, list[int]]:
    """Return for each storage the steps at which its bytes differ from before, or were written."""
    steps: dict[int | None, list[int]] = defaultdict(list)
    for step in timeline.steps[:until]:
        touched = {storage.id for storage in step.storages}
        touched |= {event.storage for event in step.mutations if event.storage is not None}
        for storage in touched:
            steps[storage].append(step.index)
    return steps


def _first_change(
    timeline: Timeline, before: Snapshot, slot: Saved, steps: list[int]
) -> int | None:
    """Return the first step after the save that left the slot with other elements."""
    saved = before.nodes[slot.node].step
    if saved is None:
        return None
    then = _elements(timeline.at(saved), before, slot)
    for index in (each for each in steps if each > saved):
        if then is None:
            # Too large to be recorded whole: then a write that no version saw is evidence.
            on_it = (e for e in timeline.steps[index].mutations if e.storage == slot.storage)
            if any(map(is_uncounted, on_it)):
                return index
        elif _elements(timeline.at(index), before, slot) != then:
            return index
    return None


def _elements(snapshot: Snapshot, before: Snapshot, slot: Saved) -> str | bytes | None:
    """Return the slot's elements, as something that compares NaN equal to itself."""
    storage = snapshot.storages.get(-1 if slot.storage is None else slot.storage)
    if storage is None or storage.data is None:
        return None
    held = before.tensors.get(-1 if slot.tensor is None else slot.tensor)
    if held is not None:
        read = values.flat(held, snapshot)
        if not isinstance(read, Unreadable) and read[1]:
            return repr(read[0])
    return storage.data
