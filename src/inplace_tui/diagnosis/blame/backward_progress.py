"""How far a backward came before it failed, as far as that is certain.

Backward takes, of the nodes whose users are done, the one made last. So where
it entered the graph tells what it came to; what it left behind (slots that it
freed, gradients that arrived) must agree, or else it alone is believed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush

from inplace_tui.common.run.snapshot import Saved, SlotState, Snapshot
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import names_in
from inplace_tui.common.version_error import version_error
from inplace_tui.diagnosis.blame.graph import below, inputs_of, reached_from
from inplace_tui.diagnosis.blame.slots import stale_slots

_SECOND_TIME = "backward through the graph a second time"


@dataclass(frozen=True)
class BackwardProgress:
    """The nodes of one backward that failed. What is in none of these is not known."""

    ran: frozenset[int] = frozenset()
    raised: int | None = None
    unreached: frozenset[int] = frozenset()
    path: tuple[int, ...] = ()
    """From where backward entered the graph to the node that raised, both included."""


NO_PROGRESS = BackwardProgress()


class LastBackward:
    """The backward that failed last: how far it came is worked out once."""

    def __init__(self) -> None:
        self.step: Step | None = None
        self.progress = NO_PROGRESS

    def of(self, timeline: Timeline, step: Step, *, source: str) -> BackwardProgress:
        if self.step is not step:
            self.step, self.progress = step, backward_progress(timeline, step, source=source)
        return self.progress


def backward_progress(timeline: Timeline, step: Step, *, source: str) -> BackwardProgress:
    before, after = timeline.at(step.began - 1), timeline.at(step.index)
    names = names_in(source, step.line)
    within = reached_from(before, names)
    unusable = _unusable(before, step.raised or "", within)
    left = _must_have_run(before, after)
    entered = [each.grad_fn for name in names if (each := before.named(name)) is not None]
    roots = [root for root in dict.fromkeys(entered) if isinstance(root, int) and root in within]
    ran, raised = _run(before, roots, within, unusable)
    # Slots are freed one and all, or not one of them (`retain_graph`): else it went another way.
    held = {slot.node for slot in before.saved.values() if _holds(slot) and slot.node in ran}
    freed = {slot.node for slot in after.saved.values() if slot.state is SlotState.FREED} & held
    if raised is not None and left <= ran and freed in (set(), held):
        unreached, path = within - ran - {raised}, _path(before, roots, raised)
        return BackwardProgress(frozenset(ran), raised, unreached, path)
    only = next(iter(unusable)) if len(unusable) == 1 else None
    unreached = frozenset() if only is None else below(before, only) - left
    return BackwardProgress(ran=left, raised=only, unreached=unreached)


def _unusable(before: Snapshot, raised: str, within: frozenset[int]) -> set[int]:
    error = version_error(raised)
    if error is not None:
        return {slot.node for slot in stale_slots(before, error, within=within)}
    if _SECOND_TIME in raised:
        freed = (slot for slot in before.saved.values() if slot.state is SlotState.FREED)
        return {slot.node for slot in freed if slot.node in within}
    return set()


def _must_have_run(before: Snapshot, after: Snapshot) -> frozenset[int]:
    """Return the nodes that must have run: their slots were freed, their gradient came."""
    emptied = (key for key, slot in after.saved.items() if slot.state is SlotState.FREED)
    freed = {key[0] for key in emptied if _holds(before.saved.get(key))}
    return frozenset(freed | {key for key in after.nodes if _got_gradient(before, after, key)})


def _holds(slot: Saved | None) -> bool:
    return slot is not None and slot.state is not SlotState.FREED


def _got_gradient(before: Snapshot, after: Snapshot, key: int) -> bool:
    leaf = after.nodes[key].leaf
    now = None if leaf is None else after.tensors.get(leaf)
    old = None if leaf is None else before.tensors.get(leaf)
    if now is None or old is None or now.grad is None:
        return False
    return now.grad != old.grad or after.tensors.get(now.grad) is not before.tensors.get(now.grad)


def _run(
    snapshot: Snapshot, roots: list[int], within: frozenset[int], unusable: set[int]
) -> tuple[set[int], int | None]:
    """Go as the engine does; return what ran, and the node at which it stopped."""
    nodes = snapshot.nodes
    waiting = dict.fromkeys(within, 0)
    for key in within:
        for target in inputs_of(snapshot, key):
            waiting[target] += 1
    ready: list[tuple[tuple[bool, int], int]] = []
    for root in roots:
        if not waiting[root]:
            heappush(ready, (nodes[root].priority, root))
    ran: set[int] = set()
    while ready:
        key = heappop(ready)[1]
        if key in unusable:
            return ran, key
        ran.add(key)
        for target in inputs_of(snapshot, key):
            waiting[target] -= 1
            if not waiting[target]:
                heappush(ready, (nodes[target].priority, target))
    return ran, None


def _path(snapshot: Snapshot, roots: list[int], goal: int) -> tuple[int, ...]:
    came: dict[int, int | None] = dict.fromkeys(roots)
    ahead = deque(roots)
    while ahead and goal not in came:
        key = ahead.popleft()
        for target in sorted(inputs_of(snapshot, key) - came.keys()):
            came[target] = key
            ahead.append(target)
    path: list[int] = []
    at: int | None = goal if goal in came else None
    while at is not None:
        path.append(at)
        at = came[at]
    return tuple(reversed(path))
