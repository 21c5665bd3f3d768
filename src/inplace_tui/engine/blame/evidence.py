"""What a timeline shows about one saved tensor: its slot, its writes, its graph."""

from __future__ import annotations

import ast

from inplace_tui.engine.blame.version_error import VersionError
from inplace_tui.model.event import Mutation
from inplace_tui.model.outcome import Raised
from inplace_tui.model.snapshot import Saved, SlotState, Snapshot, Tensor
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline


def raising_step(timeline: Timeline) -> Step | None:
    """Return the innermost line that the last exception left; None if no line raised.

    A `finally` runs after it, and an `except` that raises again: those are lines too.
    """
    steps = timeline.steps
    index = len(steps) - 1
    while index >= 0 and not _ended_the_run(timeline, steps[index]):
        index -= 1
    if index < 0:
        return None
    while index and steps[index - 1].raised == steps[index].raised:
        if steps[index - 1].depth <= steps[index].depth:
            break
        index -= 1
    return steps[index]


def _ended_the_run(timeline: Timeline, step: Step) -> bool:
    """Whether it raised what left the program, as far as the two can be compared."""
    outcome = timeline.outcome
    if step.raised is None or not isinstance(outcome, Raised) or outcome.line is None:
        return step.raised is not None
    return step.line <= outcome.line <= step.end_line


def names_in(source: str, line: int | None) -> list[str]:
    """Return the dotted names that the statement on `line` reads."""
    statement = statement_on(source, line)
    if statement is None:
        return []
    found = [
        ast.unparse(part)
        for part in ast.walk(statement)
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
    ]
    return list(dict.fromkeys(found))


def statement_on(source: str, line: int | None) -> ast.stmt | None:
    """Return the innermost statement that `line` belongs to; None if there is none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    around = [
        part
        for part in ast.walk(tree)
        if isinstance(part, ast.stmt) and part.lineno <= (line or 0) <= (part.end_lineno or 0)
    ]
    return max(around, key=lambda part: (part.lineno, part.col_offset), default=None)


def tensor_named(snapshot: Snapshot, name: str) -> Tensor | None:
    """Return the tensor that `name` means in the frame that is running."""
    return next((each for each in snapshot.tensors.values() if name in each.names), None)


def reached_from(snapshot: Snapshot, names: list[str]) -> frozenset[int]:
    """Return the nodes through which a backward from any of these tensors would come."""
    tensors = [tensor_named(snapshot, name) for name in names]
    ahead = [each.grad_fn for each in tensors if each is not None and isinstance(each.grad_fn, int)]
    seen: set[int] = set()
    while ahead:
        key = ahead.pop()
        if key not in seen and key in snapshot.nodes:
            seen.add(key)
            ahead += [edge.node for edge in snapshot.nodes[key].inputs if edge is not None]
    return frozenset(seen)


def delivering_to(snapshot: Snapshot, leaf: Tensor) -> frozenset[int]:
    """Return the nodes through which a gradient comes to a leaf."""
    users: dict[int, list[int]] = {}
    for node in snapshot.nodes.values():
        for edge in node.inputs:
            if edge is not None:
                users.setdefault(edge.node, []).append(node.id)
    seen: set[int] = set()
    ahead = [node.id for node in snapshot.nodes.values() if node.leaf == leaf.id]
    while ahead:
        key = ahead.pop()
        if key not in seen:
            seen.add(key)
            ahead += users.get(key, ())
    return frozenset(seen)


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
    return in_engine_order(snapshot, _narrowed(alike, within))


def freed_slots(snapshot: Snapshot, *, within: frozenset[int]) -> list[Saved]:
    """Return the slots that an earlier backward emptied, first met first."""
    emptied = [slot for slot in snapshot.saved.values() if slot.state is SlotState.FREED]
    return in_engine_order(snapshot, _narrowed(emptied, within))


def _narrowed(slots: list[Saved], within: frozenset[int]) -> list[Saved]:
    """Keep those in the graph of this backward, as far as that graph is known."""
    return [slot for slot in slots if slot.node in within] or slots


def in_engine_order(snapshot: Snapshot, slots: list[Saved]) -> list[Saved]:
    """Sort by when backward comes to the node of each."""
    nodes = in_order_of_engine(snapshot, [slot.node for slot in slots])
    order = {node: place for place, node in enumerate(nodes)}
    return sorted(slots, key=lambda slot: order[slot.node])


def in_order_of_engine(snapshot: Snapshot, nodes: list[int]) -> list[int]:
    """Return nodes in the order in which backward comes to them: the one made last first.

    Of the nodes that the last line made, those that need others come before them.
    """

    def made(node: int) -> int:
        step = snapshot.nodes[node].step
        return -1 if step is None else step

    last = max(map(made, nodes), default=-1)
    below = {node: len(_below(snapshot, node)) for node in nodes if made(node) == last}
    return sorted(
        dict.fromkeys(nodes), key=lambda node: (made(node), below.get(node, 0)), reverse=True
    )


def _below(snapshot: Snapshot, node: int) -> set[int]:
    seen: set[int] = set()
    ahead = [node]
    while ahead:
        for edge in snapshot.nodes[ahead.pop()].inputs:
            if edge is not None and edge.node not in seen and edge.node in snapshot.nodes:
                seen.add(edge.node)
                ahead.append(edge.node)
    return seen


def freeing_step(timeline: Timeline, slot: Saved) -> Step | None:
    """Return the step that emptied the slot."""
    key = (slot.node, slot.slot)
    for step in timeline:
        if any(
            (each.node, each.slot) == key and each.state is SlotState.FREED for each in step.saved
        ):
            return step
    return None


def writes_seen(
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
        for event in step.events
        if isinstance(event, Mutation)
        and event.storage == slot.storage
        and event.before is not None
        and event.before >= (slot.version or 0)
    )
    return seen or _by_version(steps, slot)


def _by_version(steps: list[Step], slot: Saved) -> tuple[Mutation, ...]:
    for step in steps:
        for each in step.saved:
            if (each.node, each.slot) == (slot.node, slot.slot) and each.now != each.version:
                return (unexplained(step, slot, before=slot.version, after=each.now),)
    return ()


def unexplained(
    step: Step, slot: Saved, *, before: int | None = None, after: int | None = None
) -> Mutation:
    """Return a write of which only the line is known."""
    return Mutation(
        line=step.line, tensor=slot.tensor, storage=slot.storage, before=before, after=after
    )


def without_versions(event: Mutation) -> bool:
    """Whether no version counter saw the write."""
    return event.before is None or event.before == event.after
