"""Who is to blame where torch refused before backward: the line that raised, mostly."""

from __future__ import annotations

from inplace_tui.engine.blame.blamed import (
    Blame,
    hidden_saver,
)
from inplace_tui.engine.blame.evidence import names_in, raising_step, tensor_named
from inplace_tui.engine.blame.graphless import lost_graph
from inplace_tui.engine.blame.naming import name_when_written
from inplace_tui.engine.blame.unseen import keepers
from inplace_tui.engine.blame.verdicts import Subject, Verdict
from inplace_tui.engine.blame.writes import writes_on
from inplace_tui.model.event import Mutation
from inplace_tui.model.outcome import Raised
from inplace_tui.model.snapshot import Snapshot, Tensor
from inplace_tui.model.timeline import Timeline


def refused(timeline: Timeline, outcome: Raised, kind: Verdict, *, source: str) -> Blame:
    """Torch refused the write: nothing was changed, and the text tells what would have been."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if (
        kind.subject is Subject.VIEW
        and "or another view of its base has been modified" in outcome.message
    ):
        writes = _to_base(timeline, snapshot, outcome, source)
        if writes:
            name = name_when_written(timeline, writes)
            return Blame(verdict=kind, tensor=name, writes=writes, reader=outcome.line)
    line = outcome.line or 0
    spelled = writes_on(source, line)
    written = [(write, tensor_named(snapshot, write.target)) for write in spelled]
    fitting = [pair for pair in written if pair[1] is not None and _fits(kind, pair[1])]
    if not fitting:
        unread = Mutation(line=line, op=spelled[0].op if len(spelled) == 1 else None)
        name = spelled[0].target if len(spelled) == 1 else _only_leaf(snapshot, source, line, kind)
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
    origin = _made(timeline, tensor) if kind.subject is Subject.INFERENCE else None
    return Blame(
        verdict=kind, tensor=write.target, writes=(refused,), reader=outcome.line, origin=origin
    )


def _only_leaf(snapshot: Snapshot, source: str, line: int, kind: Verdict) -> str | None:
    """Return the leaf that a line hands to what writes it, if it names but one."""
    if kind is not Verdict.LEAF_MODIFIED:
        return None
    named = [(name, tensor_named(snapshot, name)) for name in names_in(source, line)]
    leaves = [name for name, tensor in named if tensor is not None and _fits(kind, tensor)]
    return leaves[0] if len(leaves) == 1 else None


def _to_base(
    timeline: Timeline, snapshot: Snapshot, outcome: Raised, source: str
) -> tuple[Mutation, ...]:
    """The view was only used; what made it useless was a write to what it is a view of."""
    named = [tensor_named(snapshot, name) for name in names_in(source, outcome.line)]
    storages = {each.storage for each in named if each is not None and each.is_view}
    found = [
        event
        for step in timeline
        for event in step.events
        if isinstance(event, Mutation) and event.storage in storages
    ]
    return tuple(found[-1:])


def asked(timeline: Timeline, outcome: Raised, kind: Verdict, *, source: str) -> Blame:
    """The line asked for what can't be had."""
    raising = raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if kind is Verdict.MUTATION_CONTEXT_LEFT:
        hidden = keepers(snapshot)
        saver = hidden_saver(hidden[0]) if hidden else None
        return Blame(verdict=kind, saver=saver, reader=outcome.line)
    if kind is Verdict.TUPLE_ITEM_WRITTEN and raising is not None:
        writes = tuple(event for event in raising.events if isinstance(event, Mutation))
        name = name_when_written(timeline, writes)
        return Blame(verdict=kind, tensor=name, writes=writes, reader=outcome.line)
    named = [(name, tensor_named(snapshot, name)) for name in names_in(source, outcome.line)]
    tensors = {name: tensor for name, tensor in named if tensor is not None}
    if kind.subject is Subject.INFERENCE:
        tensors = {name: tensor for name, tensor in tensors.items() if tensor.is_inference}
    elif kind.subject is not Subject.NAMED:
        return Blame(verdict=kind, reader=outcome.line)
    if len(tensors) != 1:
        return Blame(verdict=kind, reader=outcome.line)
    [(name, tensor)] = tensors.items()
    origin = None
    if kind.subject is Subject.INFERENCE:
        origin = _made(timeline, tensor)
    elif kind is Verdict.NO_GRAD_FN:
        origin = lost_graph(timeline, tensor, source)
    return Blame(verdict=kind, tensor=name, reader=outcome.line, origin=origin)


def _made(timeline: Timeline, tensor: Tensor) -> int | None:
    """Return the line after which a tensor was first there."""
    return next(
        (step.line for step in timeline if any(each.id == tensor.id for each in step.tensors)),
        None,
    )


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
