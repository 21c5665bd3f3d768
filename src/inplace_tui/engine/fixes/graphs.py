"""Backwards that need a graph which is used up, and losses that have none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import (
    is_place,
    keyword,
    last_name,
    set_argument,
)
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene, nbytes

BACKWARDS = frozenset({"backward", "grad"})

MOST_RECOMPUTED = 12
"""Statements that a second forward may have."""


def _is_freed(scene: Scene) -> bool:
    return scene.blame is not None and scene.blame.verdict is Verdict.GRAPH_FREED


def _backward(scene: Scene, statement: ast.stmt | None) -> ast.Call | None:
    """Return the call on a statement that runs a backward."""
    for node in () if statement is None else scene.parts(statement):
        if isinstance(node, ast.Call) and last_name(node.func) in BACKWARDS:
            return node
    return None


def retain_graph(scene: Scene) -> Iterator[Candidate]:
    """Keep the graph for the backward that comes through it again."""
    if not _is_freed(scene):
        return
    for statement in scene.culprits:
        call = _backward(scene, statement)
        if call is None:
            continue
        yield from propose(
            scene,
            "retain_graph",
            statement,
            set_argument(scene, call, "retain_graph", "True"),
            cost=_held(scene),
        )


def _held(scene: Scene) -> int:
    """Return how many bytes nodes held when the graph was freed: what retaining keeps."""
    steps = [index for each in scene.culprits for index in scene.steps(each)]
    if not steps:
        return 0
    before = scene.timeline.at(scene.timeline.steps[steps[0]].began - 1)
    held = {each.storage for each in before.saved.values() if each.storage is not None}
    return sum(before.storages[each].nbytes for each in held if each in before.storages)


def one_backward(scene: Scene) -> Iterator[Candidate]:
    """Run one backward from the sum of two losses."""
    first = scene.culprits[0] if scene.culprits else None
    reader = scene.reader
    if not _is_freed(scene) or first is None or reader is None or first is reader:
        return
    losses = [_plain(first), _plain(reader)]
    if None in losses or reader not in scene.block(first):
        return
    one, other = (scene.text.of(loss) for loss in losses if loss is not None)
    if one == other:
        return
    together = scene.text.replace(reader, f"({one} + {other}).backward()")
    yield from propose(
        scene,
        "one_backward",
        reader,
        lambda: [Edit(*scene.text.block(first, first), ""), together],
        own_truth=True,
        one=one,
        other=other,
    )


def _plain(statement: ast.stmt) -> ast.expr | None:
    """Return the loss of a statement that is nothing but its backward."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=loss, attr="backward"), args=[], keywords=[])
        ):
            return loss
        case _:
            return None


def recompute(scene: Scene) -> Iterator[Candidate]:
    """Compute the loss again before the second backward."""
    reader = scene.reader
    if not _is_freed(scene) or reader is None:
        return
    above = [each for each in scene.block(reader) if each.lineno < reader.lineno]
    needed = {node.id for node in ast.walk(reader) if isinstance(node, ast.Name)}
    again: list[ast.stmt] = []
    for statement in reversed(above):
        if not isinstance(statement, ast.Assign) or not scene.text.alone(statement):
            continue
        bound = {
            node.id
            for target in statement.targets
            for node in ast.walk(target)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        if bound & needed and _has_graph(scene, statement, bound):
            again.insert(0, statement)
            needed |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    if 0 < len(again) <= MOST_RECOMPUTED:
        yield from propose(scene, "recompute", reader, partial(_again, scene, again, reader))


def _again(scene: Scene, statements: list[ast.stmt], reader: ast.stmt) -> list[Edit]:
    """Write statements once more before another one."""
    blocks = [scene.text.block(each, each) for each in statements]
    start, _ = scene.text.block(reader, reader)
    lines = "".join(scene.text.indented(*block, old="", new="") for block in blocks)
    return [Edit(start, start, lines)]


def _has_graph(scene: Scene, statement: ast.stmt, names: set[str]) -> bool:
    tensors = (scene.tensor(name, statement) for name in names)
    return any(each is not None and each.grad_fn is not None for each in tensors)


def scalar_loss(scene: Scene) -> Iterator[Candidate]:
    """Make a number of the loss, or say how its elements count."""
    if scene.blame is None or scene.blame.verdict is not Verdict.NOT_A_SCALAR:
        return
    call = _backward(scene, scene.reader)
    if call is None or scene.reader is None or not isinstance(call.func, ast.Attribute):
        return
    loss, reader = call.func.value, scene.reader
    if last_name(loss) == "autograd" and call.args:
        loss = call.args[0]
    elif keyword(call, "gradient") is None and not call.args and is_place(loss):
        weights = f"torch.ones_like({scene.text.of(loss)})"
        yield from propose(
            scene,
            "weights",
            reader,
            set_argument(scene, call, "gradient", weights),
            cost=nbytes(scene.tensor(ast.unparse(loss), reader)),
        )
    yield from propose(
        scene,
        "sum",
        reader,
        lambda: scene.text.append(loss, ".sum()"),
        name=scene.text.of(loss),
    )
