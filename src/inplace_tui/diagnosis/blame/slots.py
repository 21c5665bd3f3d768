"""Saved tensors that a failed or wrong backward can be about, and the writes to them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inplace_tui.common.blame import Blame, Saver, SilentCause
from inplace_tui.common.run import values
from inplace_tui.common.run.lookup import name_when_written
from inplace_tui.common.run.outcome import Wrong
from inplace_tui.common.run.program import GIVEN_BACK
from inplace_tui.common.run.snapshot import Node, Saved, SlotState, Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import context_in_backward, names_in
from inplace_tui.common.verdicts import Verdict
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


# Wrong gradients of which no saved tensor that can be read tells. A node may keep a tensor where no
# version check looks: behind hooks, on `ctx`, in what a checkpoint closes over. Its storage is
# found by what led to the node.

ON_CTX = "ctx"


INSIDE = "inside"
"""Names for what is not a slot: an attribute of a custom Function, and what a node wraps."""

HOOKED = ""
"""One of several slots of a node whose tensors hooks keep: not known which."""


@dataclass(frozen=True)
class HiddenSaver:
    """A node that saved a tensor without showing it."""

    node: Node
    slot: str
    is_output: bool = False


def hidden_savers(snapshot: Snapshot, *, leaf: Tensor | None = None) -> list[HiddenSaver]:
    """Return the nodes that hide what they keep, the one backward meets first, first.

    Only those that deliver to `leaf`, if there are such.
    """
    hooked = [slot for slot in snapshot.saved.values() if slot.state is SlotState.HOOKED]
    of_node, nodes = Counter(slot.node for slot in hooked), snapshot.nodes
    found = [
        HiddenSaver(
            nodes[slot.node], slot.slot if of_node[slot.node] == 1 else HOOKED, slot.is_output
        )
        for slot in hooked
    ]
    for node in nodes.values():
        if node.name.endswith("Backward"):  # a class of the program's: torch numbers its own
            found.append(HiddenSaver(node, ON_CTX))
        elif node.opaque:
            found.append(HiddenSaver(node, INSIDE))
    if leaf is not None:
        through = delivering_to(snapshot, leaf)
        found = [hidden for hidden in found if hidden.node.id in through] or found
    return sorted(found, key=lambda hidden: hidden.node.priority)


def storages_near(timeline: Timeline, source: str, hidden: HiddenSaver) -> Iterator[frozenset[int]]:
    """Yield the storages that a node may keep, the likeliest first.

    Those of its inputs or its result, then those that its line names.
    """
    step = hidden.node.step
    if step is None:
        return
    snapshots = [timeline.at(timeline.steps[step].began - 1), timeline.at(step)]
    known = timeline.histories.nodes
    yield frozenset().union(*(_storages_beside(shot, hidden, known) for shot in snapshots))
    names = names_in(source, hidden.node.line)
    named = [snapshot.named(name) for snapshot in snapshots for name in names]
    inside = [
        tensor
        for snapshot in snapshots
        for tensor in snapshot.tensors.values()
        if any(each.startswith(f"{name}.") for name in names for each in tensor.names)
        and not any(each.endswith(".grad") for each in tensor.names)
    ]
    held = (tensor.storage for tensor in (*named, *inside) if tensor is not None)
    yield frozenset(each for each in held if each is not None)


def storages_inside(
    timeline: Timeline, source: str, hidden: HiddenSaver, version: int
) -> Iterator[frozenset[int]]:
    """Yield the storages that a node which wraps another one may keep, the likeliest first.

    Its op wrote the memory of its first input: that is kept as a result, with
    the version which that write left behind, or not at all.
    """
    step = hidden.node.step
    if step is None:
        return
    written = {event.storage: event.after for event in timeline.steps[step].mutations}
    results = {storage for storage, after in written.items() if after == version}
    for storages in storages_near(timeline, source, hidden):
        yield storages - written.keys()
        yield storages & results


def _storages_beside(
    snapshot: Snapshot, hidden: HiddenSaver, known: Mapping[int, Node]
) -> frozenset[int]:
    """Return the storages of the named tensors that went into a node, or came out of it."""
    ends = {edge.node for edge in hidden.node.inputs if edge is not None}
    nodes = {hidden.node.id} if hidden.is_output else ends
    leaves = {known[each].leaf for each in nodes & known.keys()}
    return frozenset(
        tensor.storage
        for tensor in snapshot.tensors.values()
        if tensor.storage is not None and (tensor.grad_fn in nodes or tensor.id in leaves)
    )


def find_hidden_write(
    timeline: Timeline, backward: Step, truth: Wrong, *, source: str, leaf: Tensor | None
) -> Blame | None:
    """Return what falsified a backward, where no saved tensor shows it; None if nothing does."""

    def blame(
        cause: SilentCause, writes: tuple[Mutation, ...], hidden: HiddenSaver | None = None
    ) -> Blame:
        return Blame(
            verdict=Verdict.SILENTLY_WRONG,
            tensor=name_when_written(timeline, writes),
            saver=None if hidden is None else saver_of(hidden),
            writes=writes,
            reader=truth.differences[0].line,
            switch=None if writes else truth.unrecorded[0].line,
            cause=cause,
        )

    known = hidden_savers(timeline.at(backward.began - 1), leaf=leaf)
    if any(each.op == GIVEN_BACK for each in truth.unrecorded):
        return blame(SilentCause.GIVEN_BACK, _writes_to_buffers(timeline, known, backward))
    if truth.unrecorded:
        return blame(SilentCause.UNRECORDED, _unrecorded_writes(timeline, truth))
    readable = [each for each in known if each.slot != INSIDE]
    for rank in range(2):
        for hidden in readable:
            later = timeline.mutations((hidden.node.step or 0) + 1, backward.index + 1)
            for storages in list(storages_near(timeline, source, hidden))[rank : rank + 1]:
                if writes := tuple(each for each in later if each.storage in storages):
                    return blame(SilentCause.UNCHECKED, writes, hidden)
    for hidden in readable:
        if hidden.slot == ON_CTX and (
            writes := _writes_to_context(timeline, source, hidden, backward)
        ):
            return blame(SilentCause.UNCHECKED, writes, hidden)
    # What hooks and backwards wrote to that was not there before: to gradients.
    during = timeline.mutations(backward.began, backward.index)
    before = timeline.at(backward.began - 1).storages
    written = tuple(each for each in during if each.storage not in before)
    return blame(SilentCause.GRADIENT, written) if written else None


def _unrecorded_writes(timeline: Timeline, truth: Wrong) -> tuple[Mutation, ...]:
    """Return the writes that the graph lacks, as the timeline saw them."""
    writes: list[Mutation] = []
    for lacking in truth.unrecorded:
        on_line = (step for step in timeline if step.line <= lacking.line <= step.end_line)
        seen = [e for step in on_line for e in timeline.mutations(step.began, step.index + 1)]
        op = None if lacking.in_function else lacking.op
        writes += seen or [Mutation(line=lacking.line, op=op)]
    return tuple(dict.fromkeys(writes))


def _writes_to_buffers(
    timeline: Timeline, known: list[HiddenSaver], backward: Step
) -> tuple[Mutation, ...]:
    """Return what was written over what pack hooks had written; of large memory, all but the first.

    A hook runs within the step of the line that saves.
    """
    saving = {hidden.node.step for hidden in known if hidden.node.step is not None}
    ranges = [range(timeline.steps[each].began, each) for each in saving]
    filled: dict[int | None, set[int]] = {}
    again: list[Mutation] = []
    for step in timeline.steps[: backward.index]:
        packs = any(step.index in each for each in ranges)
        for event in step.mutations:
            held = filled.get(event.storage)
            written = _bytes_written(timeline, step, event.storage)
            if held is not None and (written & held or not written):
                again.append(event)
            elif held is not None or packs:
                filled[event.storage] = (held or set()) | written
    return tuple(again)


def _bytes_written(timeline: Timeline, step: Step, storage: int | None) -> set[int]:
    """Return which bytes a step changed; none where they are not known."""
    snapshots = timeline.at(step.began - 1), timeline.at(step.index)
    held = [each.storages.get(-1 if storage is None else storage) for each in snapshots]
    before, after = ((each.data if each is not None else None) or b"" for each in held)
    pairs = zip(before, after, strict=False)
    return {place for place, (old, new) in enumerate(pairs) if old != new}


def _writes_to_context(
    timeline: Timeline, source: str, hidden: HiddenSaver, backward: Step
) -> tuple[Mutation, ...]:
    """Return what `backward` of a custom Function wrote to attributes of its context."""
    found = []
    for step in timeline.steps[(hidden.node.step or 0) + 1 : backward.index + 1]:
        for event in step.mutations:
            context = context_in_backward(source, event.line)
            if context is None:
                continue
            tensor = timeline.at(step.index).tensors.get(event.tensor or 0)
            if tensor and any(name.startswith(f"{context}.") for name in tensor.names):
                found.append(event)
    return tuple(found)


def saver_of(hidden: HiddenSaver, version: int | None = None) -> Saver:
    """Return what is known of a node that hides what it keeps."""
    line, node, slot = hidden.node.line, hidden.node.name, hidden.slot
    return Saver(line=line, node=node, slot=slot, version=version, is_output=hidden.is_output)
