"""What is asked of a tensor: a gradient, keeping it, another dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.lookup import raising_step
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.aliases import binding
from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import (
    is_in_place,
    is_place,
    keyword,
    last_name,
    name_of,
    set_argument,
    tensor_part,
)
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene, nbytes

CREATORS = frozenset(
    [
        "tensor",
        "zeros",
        "ones",
        "full",
        "empty",
        "rand",
        "randn",
        "arange",
        "linspace",
        "eye",
        "zeros_like",
        "ones_like",
        "full_like",
        "rand_like",
        "randn_like",
        "empty_like",
    ]
)
"""Functions that take `requires_grad`."""


def retain_grad(scene: Scene) -> Iterator[Candidate]:
    """Ask a tensor inside the graph to keep its gradient."""
    verdict = None if scene.blame is None else scene.blame.verdict
    if verdict is not Verdict.NON_LEAF_GRAD_READ or scene.reader is None:
        return
    for node in scene.parts(scene.reader):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and is_place(node.value):
            name = scene.text.of(node.value)
            made = binding(scene, name, scene.reader)
            if made is not None:
                yield from propose(
                    scene,
                    "retain_grad",
                    made,
                    partial(scene.text.after, made, f"{name}.retain_grad()"),
                    name=name,
                )


def create_graph(scene: Scene) -> Iterator[Candidate]:
    """Record the first backward, where a second one goes back through its gradient."""
    if scene.blame is None or scene.blame.verdict is not Verdict.NO_GRAD_FN:
        return
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.Call) and last_name(node.func) in {"grad", "backward"}:
            statement = scene.statement_of(node)
            if statement is not scene.reader:
                edits = set_argument(scene, node, "create_graph", "True")
                yield from propose(scene, "create_graph", statement, edits)


def ask_for_gradient(scene: Scene) -> Iterator[Candidate]:
    """Let what the loss is computed from require grad.

    Where something requires it already, a new leaf would only make the error go away.
    """
    if scene.blame is None or scene.blame.verdict is not Verdict.NO_GRAD_FN:
        return
    asks = not _has_leaf(scene)
    for node in ast.walk(scene.tree):
        if asks:
            yield from _asked(scene, node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
                yield from _attached(scene, node, value)
            case _:
                continue


def _asked(scene: Scene, node: ast.AST) -> Iterator[Candidate]:
    """Ask for the gradient of a new tensor that has a name, or of what was frozen."""
    match node:
        case ast.Assign(targets=[target], value=ast.Call(func=function) as call) if (
            is_place(target) and last_name(function) in CREATORS
        ):
            edits = set_argument(scene, call, "requires_grad", "True")
            yield from propose(scene, "ask", node, edits, name=scene.text.of(target))
        case (
            ast.Assign(
                targets=[ast.Attribute(value=frozen, attr="requires_grad")],
                value=ast.Constant(value=False) as flag,
            )
            | ast.Call(
                func=ast.Attribute(value=frozen, attr="requires_grad_"),
                args=[ast.Constant(value=False) as flag],
            )
        ):
            edits = [scene.text.replace(flag, "True")]
            statement = scene.statement_of(flag)
            yield from propose(scene, "ask", statement, edits, name=scene.text.of(frozen))
        case _:
            return


def _has_leaf(scene: Scene) -> bool:
    """Whether the program has a leaf that requires grad when it fails."""
    raising = raising_step(scene.timeline)
    before = scene.timeline.at((len(scene.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    return any(each.requires_grad and each.is_leaf is True for each in tensors)


def _attached(scene: Scene, call: ast.Call, value: ast.expr) -> Iterator[Candidate]:
    kept = partial(_dropped, scene, call, ".detach()")
    name = scene.text.of(value)
    yield from propose(scene, "attached", scene.statement_of(call), kept, name=name)


def _dropped(scene: Scene, call: ast.Call, ending: str) -> list[Edit]:
    return [scene.text.drop(call, ending)]


def _target(scene: Scene, node: ast.expr) -> str:
    statement = scene.statement_of(node)
    if isinstance(statement, ast.Assign):
        return name_of(statement.targets[0]) or scene.text.of(node)
    return scene.text.of(node)


def floating(scene: Scene) -> Iterator[Candidate]:
    """Make a tensor of floats where gradients are asked of integers."""
    if scene.blame is None or scene.blame.verdict is not Verdict.INTEGER_GRADIENT:
        return
    for node in () if scene.raised is None else scene.parts(scene.raised):
        match node:
            case ast.Call(func=function) if last_name(function) in CREATORS:
                yield from propose(
                    scene,
                    "floats",
                    scene.statement_of(node),
                    set_argument(scene, node, "dtype", "torch.float32"),
                    name=_target(scene, node),
                )
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")):
                yield from _as_floats(scene, value)
            case ast.Attribute(value=value, attr="requires_grad", ctx=ast.Store()):
                yield from _as_floats(scene, value)
            case _:
                continue


def _as_floats(scene: Scene, value: ast.expr) -> Iterator[Candidate]:
    statement = scene.statement_of(value)
    name = scene.text.of(value)
    if is_place(value):
        yield from propose(
            scene,
            "floats",
            statement,
            partial(scene.text.before, statement, f"{name} = {name}.float()"),
            cost=4 * nbytes(scene.tensor(ast.unparse(value), statement)) // 8,
            name=name,
        )


def cast_arguments(scene: Scene) -> Iterator[Candidate]:
    """Give the values that are written the dtype of what they are written to."""
    statement = scene.raised
    for node in () if statement is None else scene.parts(statement):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if statement is None or not is_in_place(node.func.attr) or not node.args:
            continue
        part = tensor_part(scene, node.func.value, statement)
        if part is not None and not isinstance(node.args[-1], ast.Constant):
            last, name = node.args[-1], scene.text.of(part)
            yield from propose(
                scene,
                "cast",
                statement,
                scene.text.append(last, f".to({name}.dtype)"),
                name=scene.text.of(last),
            )


def one_value_each(scene: Scene) -> Iterator[Candidate]:
    """Give each masked element a value of its own, where a tensor of values was given."""
    statement = scene.raised
    for node in () if statement is None else scene.parts(statement):
        if isinstance(node, ast.Call) and last_name(node.func) in {"masked_fill_", "masked_fill"}:
            _, end = scene.text.span(node.func)
            start = end - len(last_name(node.func)) + len("masked_")
            edit = Edit(start, start + len("fill"), "scatter")
            yield from propose(scene, "scatter", scene.statement_of(node), [edit])


def said_explicitly(scene: Scene) -> Iterator[Candidate]:
    """Say what torch wants to be told: how a map treats random numbers, that a tensor is merged."""
    raised = [] if scene.raised is None else [scene.raised, *scene.callers(scene.raised)]
    calls = [node for each in raised for node in scene.parts(each) if isinstance(node, ast.Call)]
    for call in calls:
        if last_name(call.func) == "vmap" and keyword(call, "randomness") is None:
            yield from propose(
                scene,
                "randomness",
                scene.statement_of(call),
                set_argument(scene, call, "randomness", "'different'"),
            )
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"values", "indices"}:
            statement, name = scene.statement_of(call), scene.text.of(call.func.value)
            first = partial(scene.text.before, statement, f"{name} = {name}.coalesce()")
            yield from propose(scene, "coalesce", statement, first, name=name)
    for node in ast.walk(scene.tree) if calls else ():
        if isinstance(node, ast.Call) and (flag := keyword(node, "sparse")) is not None:
            edit = scene.text.replace(flag.value, "False")
            yield from propose(scene, "dense", scene.statement_of(node), [edit])
