"""Looks up tensors, their names and steps in a timeline."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.snapshot import Saved, Snapshot, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import names_in


def raising_step(timeline: Timeline) -> Step | None:
    """Return the innermost line that the last exception left; None if no line raised.

    A `finally` runs after it, and an `except` that raises again: those are lines too.
    """
    found: Step | None = None
    for step in reversed(timeline.steps):
        if found is None:
            found = step if _ended_the_run(timeline, step) else None
        elif step.raised == found.raised and step.depth > found.depth:
            found = step
        else:
            break
    return found


def calls_to(timeline: Timeline, step: Step) -> Iterator[Step]:
    """Yield the steps of the lines whose calls led to one, the nearest first: they ended later."""
    depth = step.depth
    for later in timeline.steps[step.index + 1 :]:
        if depth == 0:
            break
        if later.depth < depth and later.began <= step.index:
            depth = later.depth
            yield later


def _ended_the_run(timeline: Timeline, step: Step) -> bool:
    """Whether it raised what left the program, as far as the two can be compared."""
    outcome = timeline.outcome
    if step.raised is None or not isinstance(outcome, Raised) or outcome.line is None:
        return step.raised is not None
    return step.line <= outcome.line <= step.end_line


def plain_name(tensor: Tensor | None) -> str | None:
    """Return its shortest name in the frame that was running, else its shortest in any.

    >>> plain_name(Tensor(id=1, names=("train:h", "<module>:out"), shape=(), dtype="float32"))
    'train:h'
    """
    return next(iter(_names(tensor)), None)


def _names(tensor: Tensor | None) -> list[str]:
    """Return all names in the frame that runs, else the first of any."""
    names = () if tensor is None else tensor.names
    return [name for name in names if ":" not in name.partition("[")[0]] or list(names[:1])


def name_when_written(timeline: Timeline, writes: tuple[Mutation, ...]) -> str | None:
    if not writes:
        return None
    write = writes[0]
    step = step_of(timeline, write)
    if step is None or write.tensor is None:
        return None
    return plain_name(timeline.at(step.index).tensors.get(write.tensor))


def name_when_saved(timeline: Timeline, slot: Saved, *, now: Snapshot, source: str) -> str | None:
    """Return what a saved tensor was called on the line that saved it, else its name `now`.

    A name that stands on that line comes first: before the line ran, or after it.
    """
    made = now.nodes[slot.node]
    if made.step is None:
        return name_of_slot(now, slot)
    moments = [timeline.at(made.step), timeline.at(timeline.steps[made.step].began - 1)]
    key = (slot.node, slot.slot)
    known = [name for at in moments for name in _names_of_slot(at, at.saved.get(key, slot))]
    here = (name for name in known if stands_on(source, made.line, name))
    return next(here, next(iter(known), name_of_slot(now, slot)))


def stands_on(source: str, line: int | None, name: str) -> bool:
    """Whether a line spells the variable through which a name leads."""
    head = re.split(r"[.\[]", name, maxsplit=1)[0]
    return any(each.partition(".")[0] == head for each in names_in(source, line))


def name_of_slot(snapshot: Snapshot, slot: Saved) -> str | None:
    """Return the name of what a slot holds, or of the likeliest that shares its memory."""
    return next(iter(_names_of_slot(snapshot, slot)), None)


def _names_of_slot(snapshot: Snapshot, slot: Saved) -> list[str]:
    if names := _names(None if slot.tensor is None else snapshot.tensors.get(slot.tensor)):
        return names
    named = [tensor for tensor in snapshot.tensors.values() if tensor.names]
    sharing = [tensor for tensor in named if tensor.storage == slot.storage is not None]
    same = [tensor for tensor in sharing if tensor.shape == slot.shape] or sharing
    return sorted([name for tensor in same if (name := plain_name(tensor)) is not None], key=len)


def step_that_made(timeline: Timeline, tensor: Tensor) -> Step | None:
    """Return the step after which a tensor was first there."""
    found = (step for step in timeline if any(each.id == tensor.id for each in step.tensors))
    return next(found, None)


def step_of(timeline: Timeline, write: Mutation) -> Step | None:
    """Return the step in which a write happened; None for one that left no event."""
    return next((step for step in timeline if any(e is write for e in step.events)), None)
