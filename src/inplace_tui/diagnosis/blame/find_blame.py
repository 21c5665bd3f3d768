"""Finds who saved the tensor, who changed it, who needed it, and what brought a graph along."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import msgspec

from inplace_tui.common.blame import Blame, CarriedOver, Saver, SilentCause
from inplace_tui.common.run import lookup
from inplace_tui.common.run.outcome import Raised, Truth, Wrong
from inplace_tui.common.run.program import UNTRACKED
from inplace_tui.common.run.snapshot import Saved, SlotState, Snapshot, Tensor
from inplace_tui.common.run.step import Mutation, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import gradients_read_on, names_in, statement_on, writes_on
from inplace_tui.common.syntax import DOTTED, longest, names_stored, nodes, parsed
from inplace_tui.common.verdicts import Subject, Verdict
from inplace_tui.common.version_error import VersionError, version_error
from inplace_tui.diagnosis.blame.classify import lost_leaves, verdict_of_run, warned_lines
from inplace_tui.diagnosis.blame.graph import inputs_of, leading_to, reached_from
from inplace_tui.diagnosis.blame.slots import (
    INSIDE,
    ON_CTX,
    HiddenSaver,
    find_changed_slot,
    find_hidden_write,
    freed_slots,
    hidden_savers,
    saver_of,
    stale_slots,
    storages_inside,
    storages_near,
    writes_to_slot,
)


def find_blame(timeline: Timeline, truth: Truth, *, source: str = "") -> Blame | None:
    """Return what the outcome of a run comes from; None where nothing went wrong.

    A refused write leaves no event, so only `source` can tell what was written to.
    """
    verdict = verdict_of_run(timeline, truth)
    if verdict is None:
        return None
    outcome = timeline.outcome
    if isinstance(truth, Wrong) and verdict is Verdict.SILENTLY_WRONG:
        return _blame_silent(timeline, truth, source)
    if not isinstance(outcome, Raised) or verdict is Verdict.LEAF_LOST:
        return _blame_missing_gradient(timeline, verdict, source)
    if verdict is Verdict.SAVED_TENSOR_MODIFIED:
        found = _blame_stale(timeline, outcome, source)
    elif verdict is Verdict.GRAPH_FREED:
        found = _blame_second_backward(timeline, outcome, source)
    elif verdict.is_refused_write:
        found = blame_refused_write(timeline, outcome, verdict, source=source)
    elif verdict is Verdict.NO_GRAD_FN and (untracked := find_untracked(timeline, source)):
        (step, origin), line, cause = untracked, outcome.line, SilentCause.UNTRACKED
        found = Blame(verdict=verdict, reader=line, origin=origin, switch=step.line, cause=cause)
    else:
        found = blame_request(timeline, outcome, verdict, source=source)
    return found


def _blame_stale(timeline: Timeline, outcome: Raised, source: str) -> Blame:
    """A version check failed: find the slot that it speaks of."""
    verdict = Verdict.SAVED_TENSOR_MODIFIED
    error = version_error(outcome.message)
    raising = lookup.raising_step(timeline)
    if error is None or raising is None:
        return Blame(verdict=verdict, reader=outcome.line)
    for index in (raising.began - 1, raising.index):
        snapshot = timeline.at(index)
        within = reached_from(snapshot, names_in(source, outcome.line))
        slots = stale_slots(snapshot, error, within=within)
        if slots:
            writes = writes_to_slot(timeline, snapshot, slots[0], until=raising.index)
            blame = Blame(verdict=verdict, writes=writes, reader=outcome.line)
            return _with_slot(blame, timeline, snapshot, slots[0], source)
    return _blame_hidden(timeline, outcome, error, raising, source=source)


def _blame_changed(
    blame: Blame, timeline: Timeline, backward: Step, source: str, *, leaf: Tensor | None = None
) -> Blame | None:
    """Complete the blame for a backward that used what had changed unseen; None if it did not."""
    slot, writes = find_changed_slot(timeline, backward, leaf=leaf) or (None, ())
    if slot is None:
        return None
    found = msgspec.structs.replace(blame, writes=writes, cause=SilentCause.UNSEEN)
    return _with_slot(found, timeline, timeline.at(backward.began - 1), slot, source)


def _blame_hidden(
    timeline: Timeline, outcome: Raised, error: VersionError, raising: Step, *, source: str
) -> Blame:
    """The slot is hidden in a node that does not show it: go by the versions alone."""
    by_storage: dict[int, list[Mutation]] = {}
    for each in timeline.mutations(until=raising.index + 1):
        if each.storage is not None and each.before is not None and each.before >= error.expected:
            by_storage.setdefault(each.storage, []).append(each)
    said, chains = (error.expected, error.now), by_storage.items()
    fitting = {of: tuple(w) for of, w in chains if (w[0].before, w[-1].after) == said}
    hidden_saver, storage = _likeliest_saver(timeline, raising, fitting, error.expected, source)
    saver = None if hidden_saver is None else saver_of(hidden_saver, error.expected)
    writes, verdict = fitting.get(storage, ()), Verdict.SAVED_TENSOR_MODIFIED
    name = lookup.name_when_written(timeline, writes)
    return Blame(verdict=verdict, tensor=name, saver=saver, writes=writes, reader=outcome.line)


def _likeliest_saver(
    timeline: Timeline,
    raising: Step,
    writes_by_storage: dict[int, tuple[Mutation, ...]],
    version: int,
    source: str,
) -> tuple[HiddenSaver | None, int]:
    """Return the node that is likeliest to keep one of these storages, and which; -1 if unknown."""
    only = next(iter(writes_by_storage)) if len(writes_by_storage) == 1 else -1
    # Of what hangs on ctx no version is ever checked.
    hidden = [each for each in hidden_savers(timeline.at(raising.began - 1)) if each.slot != ON_CTX]
    for hidden_saver in hidden:
        likely = (
            storages_inside(timeline, source, hidden_saver, version)
            if hidden_saver.slot == INSIDE
            else storages_near(timeline, source, hidden_saver)
        )
        for storages in likely:
            for storage in sorted(storages & writes_by_storage.keys()):
                step = lookup.step_of(timeline, writes_by_storage[storage][0])
                if step is None or (hidden_saver.node.step or 0) <= step.index:
                    return hidden_saver, storage
    hooked = [hidden_saver for hidden_saver in hidden if hidden_saver.slot != INSIDE]
    return (hooked[0] if hooked and only >= 0 else None), only


def _blame_second_backward(timeline: Timeline, outcome: Raised, source: str) -> Blame:
    """The graph was used up: the first backward through it is at fault."""
    raising = lookup.raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    within = reached_from(snapshot, names_in(source, outcome.line))
    slots = freed_slots(snapshot, within=within)
    if not slots:
        return Blame(verdict=Verdict.GRAPH_FREED, reader=outcome.line)
    slot, writes = slots[0], tuple[Mutation, ...]()
    key = (slot.node, slot.slot, SlotState.FREED)
    freeing = (s for s in timeline if any((e.node, e.slot, e.state) == key for e in s.saved))
    step = next(freeing, None)
    carried: CarriedOver | None = None
    if step is not None:
        backward = "Tensor.backward"
        writes = (Mutation(line=step.line, op=backward, tensor=slot.tensor, storage=slot.storage),)
        carried = find_carried(timeline, slot, step, snapshot, source=source, within=within)
    blame = Blame(verdict=Verdict.GRAPH_FREED, writes=writes, carried=carried, reader=outcome.line)
    return _with_slot(blame, timeline, snapshot, slot, source)


def _blame_silent(timeline: Timeline, truth: Wrong, source: str) -> Blame:
    """No check failed: find what backward used that was not what was saved."""
    difference = truth.differences[0]
    reader = difference.line
    blame = Blame(verdict=Verdict.SILENTLY_WRONG, tensor=difference.tensor, reader=reader)
    for lacking in truth.unrecorded:
        if lacking.op == UNTRACKED and difference.got == "None":
            cause = SilentCause.UNTRACKED
            return msgspec.structs.replace(blame, switch=lacking.line, cause=cause)
    on_line = [step for step in timeline if step.line <= (reader or 0) <= step.end_line]
    # The very visit first: one before it may have used what was changed without harm.
    steps = [*on_line[truth.visit - 1 : truth.visit], *on_line]
    for step in steps:
        leaf = timeline.at(step.began - 1).named(difference.tensor)
        found = _blame_changed(blame, timeline, step, source, leaf=leaf)
        found = found or find_hidden_write(timeline, step, truth, source=source, leaf=leaf)
        if found is not None:
            return found
    return blame


def _blame_missing_gradient(timeline: Timeline, verdict: Verdict, source: str) -> Blame:
    """A gradient was looked for where none arrives, or a warning is all there is."""
    outcome = timeline.outcome
    lost = verdict is Verdict.LEAF_LOST
    reads = warned_lines(timeline, Verdict.NON_LEAF_GRAD_READ if lost else verdict)
    reader = outcome.line if isinstance(outcome, Raised) else next(iter(reads), None)
    if lost:
        step, event = next(lost_leaves(timeline))
        return Blame(verdict=verdict, tensor=event.name, reader=reader, cut=step.line)
    read = gradients_read_on(source, reader or 0) if verdict is Verdict.NON_LEAF_GRAD_READ else []
    return Blame(verdict=verdict, tensor=read[0] if len(read) == 1 else None, reader=reader)


def _with_slot(
    blame: Blame, timeline: Timeline, snapshot: Snapshot, slot: Saved, source: str
) -> Blame:
    """Return a blame with who saved what a slot holds, and what that is called."""
    node = snapshot.nodes[slot.node]
    saver = Saver(
        line=node.line,
        node=node.name,
        slot=slot.slot,
        version=slot.version,
        is_output=slot.is_output,
        tensor=lookup.name_when_saved(timeline, slot, now=snapshot, source=source),
    )
    name = lookup.name_when_written(timeline, blame.writes) or lookup.name_of_slot(snapshot, slot)
    return msgspec.structs.replace(blame, tensor=name, saver=saver)


_BASE_WRITTEN = "or another view of its base has been modified"


def blame_refused_write(
    timeline: Timeline, outcome: Raised, verdict: Verdict, *, source: str
) -> Blame:
    """Return the blame for a refused write: the source shows what would have been written."""
    raising = lookup.raising_step(timeline)
    if verdict is Verdict.SHAPE_NOT_WRITABLE and raising is not None and outcome.in_backward:
        # Backward itself met a shape that did not fit: a saved mask may have changed unseen.
        blame = Blame(verdict=verdict, reader=outcome.line)
        if found := _blame_changed(blame, timeline, raising, source):
            return found
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if verdict.subject is Subject.VIEW and _BASE_WRITTEN in outcome.message:
        views = [snapshot.named(name) for name in names_in(source, outcome.line)]
        storages = {each.storage for each in views if each is not None and each.is_view}
        # The last write to the base of a view makes the view raise when it is used.
        if writes := tuple(e for e in timeline.mutations() if e.storage in storages)[-1:]:
            name = lookup.name_when_written(timeline, writes)
            return Blame(verdict=verdict, tensor=name, writes=writes, reader=outcome.line)
    line = outcome.line or 0
    parsed = writes_on(source, line)
    written = [(write, snapshot.named(write.target)) for write in parsed]
    refused_here = [(w, t) for w, t in written if t is not None and _would_be_refused(verdict, t)]
    if not refused_here:
        unread = Mutation(line=line, op=parsed[0].op if len(parsed) == 1 else None)
        name = parsed[0].target if len(parsed) == 1 else _only_leaf(snapshot, source, line, verdict)
        return Blame(verdict=verdict, tensor=name, writes=(unread,), reader=outcome.line)
    write, tensor = refused_here[0]
    before = tensor.version if isinstance(tensor.version, int) else None
    refused = Mutation(
        line=line, op=write.op, tensor=tensor.id, storage=tensor.storage, before=before
    )
    origin = _line_that_made(timeline, tensor) if verdict.is_about_inference else None
    return Blame(
        verdict=verdict, tensor=write.target, writes=(refused,), reader=outcome.line, origin=origin
    )


def _only_leaf(snapshot: Snapshot, source: str, line: int, verdict: Verdict) -> str | None:
    """Return the leaf that a line passes to a function that writes it, if it names only one."""
    if verdict is not Verdict.LEAF_MODIFIED:
        return None
    named = [(name, snapshot.named(name)) for name in names_in(source, line)]
    leaves = [name for name, tensor in named if tensor is not None and tensor.takes_gradient]
    return leaves[0] if len(leaves) == 1 else None


def blame_request(timeline: Timeline, outcome: Raised, verdict: Verdict, *, source: str) -> Blame:
    """Return the blame for a line that asked for something impossible."""
    raising = lookup.raising_step(timeline)
    snapshot = timeline.at(-1 if raising is None else raising.began - 1)
    if verdict is Verdict.MUTATION_CONTEXT_LEFT:
        hidden = hidden_savers(snapshot)
        saver = saver_of(hidden[0]) if hidden else None
        return Blame(verdict=verdict, saver=saver, reader=outcome.line)
    if verdict is Verdict.TUPLE_ITEM_WRITTEN and raising is not None:
        writes = tuple(raising.mutations)
        name = lookup.name_when_written(timeline, writes)
        return Blame(verdict=verdict, tensor=name, writes=writes, reader=outcome.line)
    for step, event in lost_leaves(timeline) if verdict is Verdict.NO_GRAD_FN else ():
        new = timeline.at(step.index).tensors.get(event.after)
        if new is not None and not new.requires_grad:
            return Blame(verdict=verdict, tensor=event.name, reader=outcome.line, cut=step.line)
    named = [(name, snapshot.named(name)) for name in names_in(source, outcome.line)]
    tensors = {name: tensor for name, tensor in named if tensor is not None}
    if verdict.is_about_inference:
        tensors = {name: tensor for name, tensor in tensors.items() if tensor.is_inference}
    elif verdict.subject is not Subject.NAMED:
        tensors = {}
    if len(tensors) != 1:
        return Blame(verdict=verdict, reader=outcome.line)
    [(name, tensor)] = tensors.items()
    origin = switch = None
    if verdict.is_about_inference:
        origin = _line_that_made(timeline, tensor)
    elif verdict is Verdict.NO_GRAD_FN:
        lost_in = find_lost_graph(timeline, tensor, source)
        if lost_in is not None:
            origin, switch = lost_in.line, find_switch(timeline, lost_in, source)
    return Blame(verdict=verdict, tensor=name, reader=outcome.line, origin=origin, switch=switch)


def _line_that_made(timeline: Timeline, tensor: Tensor) -> int | None:
    step = lookup.step_that_made(timeline, tensor)
    return None if step is None else step.line


def _would_be_refused(verdict: Verdict, tensor: Tensor) -> bool:
    """Whether torch would refuse a write to `tensor` with this verdict."""
    leaf = tensor.takes_gradient
    if verdict is Verdict.LEAF_MODIFIED:
        return leaf
    return verdict is not Verdict.LEAF_VIEW_MODIFIED or leaf or tensor.is_view


_UNTRACKED = "None of the inputs have requires_grad=True"
"""What torch warns of where a reentrant checkpoint is not recorded."""

_SWITCHES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


def find_lost_graph(timeline: Timeline, tensor: Tensor, source: str) -> Step | None:
    """Return the step that made something without a graph from what needs a gradient.

    Followed back from `tensor`, through numbers as well, as long as a line was
    made from one thing alone, and into the functions that such a line called.
    None where that leads nowhere.
    """
    step = lookup.step_that_made(timeline, tensor)
    seen: set[int] = set()
    while step is not None and step.index not in seen:
        seen.add(step.index)
        if (inside := _unrecorded_inside(timeline, step, source)) is not None:
            return inside
        if _needs_gradient(timeline, step, source):
            return step
        step = _previous_step(timeline, step, source)
    return None


def find_untracked(timeline: Timeline, source: str) -> tuple[Step, int | None] | None:
    """Return the step of a checkpoint that recorded nothing, though weights in it need gradients.

    And the line inside that first read one. Torch warned of the call: of one around frozen
    weights as well, which is no fault.
    """
    warned = {
        event.line: index
        for index in timeline.index.output
        for event in timeline.steps[index].events
        if isinstance(event, Warned) and _UNTRACKED in event.message
    }
    for step in timeline:
        if step.began <= warned.get(step.line, -1) <= step.index:
            inside = _unrecorded_inside(timeline, step, source)
            if inside is not None or _needs_gradient(timeline, step, source):
                return step, None if inside is None else inside.line
    return None


def find_switch(timeline: Timeline, unrecorded: Step, source: str) -> int | None:
    """Return the line that switched gradients off before a step; None if that is not seen."""
    if unrecorded.grad_enabled:
        return None
    first = unrecorded
    for step in reversed(timeline.steps[: unrecorded.index]):
        if step.grad_enabled:
            break
        first = step
    if _switches(statement_on(source, first.line)):
        return first.line
    lines = (_switch_around(source, step.line) for step in (unrecorded, first))
    return next((line for line in lines if line is not None), None)


def _switch_around(source: str, line: int) -> int | None:
    """Return the line of the innermost `with` or decorator around a line that is a switch."""
    found: list[int] = []
    for node in ast.walk(parsed(source)):
        match node:
            case ast.With(items=items):
                contexts = [item.context_expr for item in items]
            case ast.FunctionDef(decorator_list=contexts):
                pass
            case _:
                continue
        if node.lineno <= line <= (node.end_lineno or 0):
            found += [each.lineno for each in contexts if _switches(each)]
    return max(found, default=None)


def _switches(node: ast.AST | None) -> bool:
    """Whether it names what switches gradients off, in its head if it is a block."""
    if isinstance(node, ast.With):
        return any(_switches(item.context_expr) for item in node.items)
    if node is None or (isinstance(node, ast.stmt) and not isinstance(node, ast.Expr)):
        return False
    names = (
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
        for each in ast.walk(node)
    )
    return not _SWITCHES.isdisjoint(names)


def _unrecorded_inside(timeline: Timeline, step: Step, source: str) -> Step | None:
    """Return the first step of a call on the line that read what needs a gradient, unrecorded."""
    inner = (each for each in timeline.steps[step.began : step.index] if not each.grad_enabled)
    return next((each for each in inner if _needs_gradient(timeline, each, source)), None)


def _needs_gradient(timeline: Timeline, step: Step, source: str) -> bool:
    """Whether a line reads a tensor that requires grad, or something that holds one: a module."""
    before = timeline.at(step.began - 1)
    for chain in longest(chains_on(source, step, ast.Load)):
        tensor = _tensor(before, chain)
        held = before.held_in(ast.unparse(chain)) if tensor is None else [tensor]
        if any(each.requires_grad for each in held):
            return True
    return False


def _tensor(snapshot: Snapshot, chain: ast.expr) -> Tensor | None:
    """Return the tensor that a chain begins with: `y` of `y.data.sum`."""
    found: Tensor | None = None
    part: ast.expr | None = chain
    while part is not None:
        found = snapshot.named(ast.unparse(part)) or found
        part = part.value if isinstance(part, ast.Attribute | ast.Subscript) else None
    return found


def _previous_step(timeline: Timeline, step: Step, source: str) -> Step | None:
    """Return the step that made the one thing that a line was made from, if it was one."""
    before, chains = timeline.at(step.began - 1), longest(chains_on(source, step, ast.Load))
    tensors = {each.id: each for chain in chains if (each := _tensor(before, chain)) is not None}
    if tensors:
        return lookup.step_that_made(timeline, *tensors.values()) if len(tensors) == 1 else None
    plain = {each.id for each in chains if isinstance(each, ast.Name)}
    given = [_last_assignment(timeline, step, name, source) for name in sorted(plain)]
    found = [each for each in given if each is not None]
    return found[0] if len(found) == 1 else None


def _last_assignment(timeline: Timeline, step: Step, name: str, source: str) -> Step | None:
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    assigning = (each for each in nodes(ast.stmt, parsed(source)) if isinstance(each, kinds))
    lines = {each.lineno for each in assigning if name in names_stored(each)}
    earlier = timeline.steps[: step.began]
    return next((each for each in reversed(earlier) if each.line in lines), None)


_SUBSCRIPTS = re.compile(r"(\[[^]]*\])+$")


def find_carried(
    timeline: Timeline,
    freed: Saved,
    freer: Step,
    snapshot: Snapshot,
    *,
    source: str,
    within: frozenset[int],
) -> CarriedOver | None:
    """Return what was made before a backward and used again after it; None if it has no name.

    `within` is the graph of the backward that failed, as far as it is known. Where several lines
    know the value, as a caller and the callee do, that of the caller counts; one that computes
    a value from the one before says more than two.
    """
    found: list[tuple[bool, bool, CarriedOver]] = []
    for user, used in _crossings(snapshot, freed, freer, within):
        uses = [each for each in _around(timeline, user) if each.began > freer.index]
        makers = _around(timeline, snapshot.nodes[used].step or 0)
        for made in (each for each in makers if each.index < freer.index):
            for name in _given(timeline, made, used, source):
                bare = _SUBSCRIPTS.sub("", name)
                read = ((use, map(ast.unparse, chains_on(source, use, ast.Load))) for use in uses)
                reads = [use for use, chains in read if any(_leads(bare, e) for e in chains)]
                use = (reads or uses[-1:])[0]
                carried = CarriedOver(tensor=name, made=made.line, used=use.line)
                found.append((not reads, made.line != use.line, carried))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _crossings(
    snapshot: Snapshot, freed: Saved, freer: Step, within: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """Yield steps after a backward that made a node, and the node from before it that this takes.

    Of those only that lead to what was freed, the first first.
    """
    leading = leading_to(snapshot, [freed.node])
    leading = leading & within or leading
    made = {each: snapshot.nodes[each].step for each in leading}
    for node, step in sorted(made.items(), key=lambda pair: pair[1] or 0):
        if step is not None and step > freer.index:
            old = inputs_of(snapshot, node) & leading
            yield from ((step, each) for each in sorted(old) if (made[each] or 0) <= freer.index)


def _around(timeline: Timeline, index: int) -> list[Step]:
    """Return a step and those of the lines whose calls led to it, the outermost first."""
    step = timeline.steps[index]
    return [*reversed(list(lookup.calls_to(timeline, step))), step]


def _given(timeline: Timeline, step: Step, node: int, source: str) -> Iterator[str]:
    """Yield the names that a line gave to the result of a node, or what it put it in."""
    tensors = timeline.at(step.index).tensors.values()
    known = [name for each in tensors if each.grad_fn == node for name in each.names]
    for target in map(ast.unparse, chains_on(source, step, ast.Store)):
        if any(_leads(_SUBSCRIPTS.sub("", target), name) for name in known):
            yield target
    for call in nodes(ast.Call, statement_on(source, step.line)):  # `seen.append(h)`, `h.add_(x)`
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, DOTTED):
            owner = ast.unparse(call.func.value)
            if any(_SUBSCRIPTS.sub("", name) == owner for name in known):
                yield owner


def _leads(name: str, chain: str) -> bool:
    """Whether a chain begins with a name: `h` leads to `h[0]` and `h.size`, not to `hs`."""
    return chain == name or chain.startswith((f"{name}.", f"{name}["))


def chains_on(source: str, step: Step, context: type[ast.expr_context]) -> list[ast.expr]:
    """Return what a line reads or stores: `net.fc`, `x[0]`; what it adds to, it does both with."""
    statement = statement_on(source, step.line)
    both = [statement.target] if isinstance(statement, ast.AugAssign) else []
    found = (each for each in nodes(ast.expr, statement) if each.lineno <= step.end_line)
    dotted = (each for each in found if isinstance(each, DOTTED))
    return [each for each in dotted if isinstance(each.ctx, context) or each in both]
