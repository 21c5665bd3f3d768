"""Where a graph ends: the line whose result has no history, though what it read has one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.run.lookup import step_that_made
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.step import Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import DOTTED, names_stored, parsed

_UNTRACKED = "None of the inputs have requires_grad=True"
"""What torch warns of where a reentrant checkpoint is not recorded."""

_SWITCHES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


def find_lost_graph(timeline: Timeline, tensor: Tensor, source: str) -> Step | None:
    """Return the step that made something without a graph from what needs a gradient.

    Followed back from `tensor`, through numbers as well, as long as a line was
    made from one thing alone, and into the functions that such a line called.
    None where that leads nowhere.
    """
    step = step_that_made(timeline, tensor)
    seen: set[int] = set()
    while step is not None and step.index not in seen:
        seen.add(step.index)
        if (inside := _unrecorded_inside(timeline, step, source)) is not None:
            return inside
        before = timeline.at(step.began - 1)
        chains = list(_chains_read(source, step))
        if any(_needs_gradient(before, each) for each in chains):
            return step
        step = _previous_step(timeline, step, before, chains, source)
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
            before = timeline.at(step.began - 1)
            if inside is not None or any(
                _needs_gradient(before, each) for each in _chains_read(source, step)
            ):
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
    for inner in timeline.steps[step.began : step.index]:
        if not inner.grad_enabled:
            before = timeline.at(inner.began - 1)
            if any(_needs_gradient(before, each) for each in _chains_read(source, inner)):
                return inner
    return None


def _chains_read(source: str, step: Step) -> Iterator[ast.expr]:
    """Yield what a line reads, the longest of each chain: of `self.net.fc(x)` that and `x`."""
    statement = statement_on(source, step.line)
    if statement is None:
        return
    written = [statement.target] if isinstance(statement, ast.AugAssign) else []
    places = [
        node
        for node in ast.walk(statement)
        if isinstance(node, DOTTED)
        and node.lineno <= step.end_line
        and (isinstance(node.ctx, ast.Load) or node in written)
    ]
    inner = {id(each.value) for each in places if isinstance(each, ast.Attribute | ast.Subscript)}
    yield from (each for each in places if id(each) not in inner)


def _needs_gradient(snapshot: Snapshot, chain: ast.expr) -> bool:
    """Whether a chain names a tensor that requires grad, or something that holds one: a module."""
    tensor = _tensor(snapshot, chain)
    if tensor is not None:
        return tensor.requires_grad
    whole = ast.unparse(chain)
    held = (f"{whole}.", f"{whole}[")
    return any(
        each.requires_grad and any(name.startswith(held) for name in each.names)
        for each in snapshot.tensors.values()
    )


def _tensor(snapshot: Snapshot, chain: ast.expr) -> Tensor | None:
    """Return the tensor that a chain begins with: `y` of `y.data.sum`."""
    found: Tensor | None = None
    part: ast.expr | None = chain
    while part is not None:
        found = snapshot.named(ast.unparse(part)) or found
        part = part.value if isinstance(part, ast.Attribute | ast.Subscript) else None
    return found


def _previous_step(
    timeline: Timeline, step: Step, before: Snapshot, chains: list[ast.expr], source: str
) -> Step | None:
    """Return the step that made the one thing that a line was made from, if it was one."""
    tensors = {each.id: each for chain in chains if (each := _tensor(before, chain)) is not None}
    plain = {
        each.id for each in chains if isinstance(each, ast.Name) and before.named(each.id) is None
    }
    if len(tensors) == 1:
        return step_that_made(timeline, *tensors.values())
    given = (
        []
        if tensors
        else [_last_assignment(timeline, step, name, source) for name in sorted(plain)]
    )
    found = [each for each in given if each is not None]
    return found[0] if len(found) == 1 else None


def _last_assignment(timeline: Timeline, step: Step, name: str, source: str) -> Step | None:
    lines = {
        statement.lineno
        for statement in ast.walk(parsed(source))
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
        and name in names_stored(statement)
    }
    earlier = timeline.steps[: step.began]
    return next((each for each in reversed(earlier) if each.line in lines), None)
