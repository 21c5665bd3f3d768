"""The blame where torch raised before backward: mostly the line that raised."""

from __future__ import annotations

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.lookup import name_when_written, raising_step, step_that_made
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.step import Mutation, Rebound, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import names_in, writes_on
from inplace_tui.common.verdicts import Subject, Verdict
from inplace_tui.diagnosis.blame.classify import lost_leaves
from inplace_tui.diagnosis.blame.hidden import hidden_savers, saver_of
from inplace_tui.diagnosis.blame.lost_graph import find_lost_graph, find_switch


def blame_refused_write(
    timeline: Timeline, outcome: Raised, verdict: Verdict, *, source: str
) -> Blame:
    """Return the blame for a refused write: the source shows what would have been written."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if (
        verdict.subject is Subject.VIEW
        and "or another view of its base has been modified" in outcome.message
    ):
        writes = _writes_to_base(timeline, snapshot, outcome, source)
        if writes:
            name = name_when_written(timeline, writes)
            return Blame(verdict=verdict, tensor=name, writes=writes, reader=outcome.line)
    line = outcome.line or 0
    parsed = writes_on(source, line)
    written = [(write, snapshot.named(write.target)) for write in parsed]
    refused_here = [
        pair for pair in written if pair[1] is not None and _would_be_refused(verdict, pair[1])
    ]
    if not refused_here:
        unread = Mutation(line=line, op=parsed[0].op if len(parsed) == 1 else None)
        name = parsed[0].target if len(parsed) == 1 else _only_leaf(snapshot, source, line, verdict)
        return Blame(verdict=verdict, tensor=name, writes=(unread,), reader=outcome.line)
    write, tensor = refused_here[0]
    assert tensor is not None
    refused = Mutation(
        line=line,
        op=write.op,
        tensor=tensor.id,
        storage=tensor.storage,
        before=tensor.version if isinstance(tensor.version, int) else None,
    )
    origin = _line_that_made(timeline, tensor) if verdict.subject is Subject.INFERENCE else None
    return Blame(
        verdict=verdict, tensor=write.target, writes=(refused,), reader=outcome.line, origin=origin
    )


def _only_leaf(snapshot: Snapshot, source: str, line: int, verdict: Verdict) -> str | None:
    """Return the leaf that a line passes to a function that writes it, if it names only one."""
    if verdict is not Verdict.LEAF_MODIFIED:
        return None
    named = [(name, snapshot.named(name)) for name in names_in(source, line)]
    leaves = [
        name for name, tensor in named if tensor is not None and _would_be_refused(verdict, tensor)
    ]
    return leaves[0] if len(leaves) == 1 else None


def _writes_to_base(
    timeline: Timeline, snapshot: Snapshot, outcome: Raised, source: str
) -> tuple[Mutation, ...]:
    """Return the last write to the base of a view, which makes the view raise when it is used."""
    named = [snapshot.named(name) for name in names_in(source, outcome.line)]
    storages = {each.storage for each in named if each is not None and each.is_view}
    found = [event for step in timeline for event in step.mutations if event.storage in storages]
    return tuple(found[-1:])


def blame_request(timeline: Timeline, outcome: Raised, verdict: Verdict, *, source: str) -> Blame:
    """Return the blame for a line that asked for something impossible."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if verdict is Verdict.MUTATION_CONTEXT_LEFT:
        hidden = hidden_savers(snapshot)
        saver = saver_of(hidden[0]) if hidden else None
        return Blame(verdict=verdict, saver=saver, reader=outcome.line)
    if verdict is Verdict.TUPLE_ITEM_WRITTEN and raising is not None:
        writes = tuple(raising.mutations)
        name = name_when_written(timeline, writes)
        return Blame(verdict=verdict, tensor=name, writes=writes, reader=outcome.line)
    lost = _lost_leaf(timeline) if verdict is Verdict.NO_GRAD_FN else None
    if lost is not None:
        step, event = lost
        return Blame(verdict=verdict, tensor=event.name, reader=outcome.line, cut=step.line)
    named = [(name, snapshot.named(name)) for name in names_in(source, outcome.line)]
    tensors = {name: tensor for name, tensor in named if tensor is not None}
    if verdict.subject is Subject.INFERENCE:
        tensors = {name: tensor for name, tensor in tensors.items() if tensor.is_inference}
    elif verdict.subject is not Subject.NAMED:
        return Blame(verdict=verdict, reader=outcome.line)
    if len(tensors) != 1:
        return Blame(verdict=verdict, reader=outcome.line)
    [(name, tensor)] = tensors.items()
    origin = switch = None
    if verdict.subject is Subject.INFERENCE:
        origin = _line_that_made(timeline, tensor)
    elif verdict is Verdict.NO_GRAD_FN:
        lost_in = find_lost_graph(timeline, tensor, source)
        if lost_in is not None:
            origin, switch = lost_in.line, find_switch(timeline, lost_in, source)
    return Blame(verdict=verdict, tensor=name, reader=outcome.line, origin=origin, switch=switch)


def _lost_leaf(timeline: Timeline) -> tuple[Step, Rebound] | None:
    """Return where the name of a leaf was bound to a tensor that does not require grad."""
    for step, event in lost_leaves(timeline):
        new = timeline.at(step.index).tensors.get(event.after)
        if new is not None and not new.requires_grad:
            return step, event
    return None


def _line_that_made(timeline: Timeline, tensor: Tensor) -> int | None:
    step = step_that_made(timeline, tensor)
    return None if step is None else step.line


def _would_be_refused(verdict: Verdict, tensor: Tensor) -> bool:
    """Whether torch would refuse a write to `tensor` with this verdict."""
    leaf = tensor.requires_grad and tensor.is_leaf is True
    match verdict:
        case Verdict.LEAF_MODIFIED:
            return leaf
        case Verdict.LEAF_VIEW_MODIFIED:
            return leaf or tensor.is_view
        case _:
            return True
