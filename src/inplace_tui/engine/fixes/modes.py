"""Grad mode: writes that are not recorded, tensors that have no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import (
    is_place,
    is_pure_write,
    last_name,
    tensor_part,
    written_parts,
)
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene
from inplace_tui.model.snapshot import Tensor, Unreadable


def under_no_grad(scene: Scene) -> Iterator[Candidate]:
    """Put a refused write under `torch.no_grad()`."""
    refused = scene.blame is None or scene.blame.verdict.is_refused_write
    for statement in scene.culprits:
        if not (refused and statement is scene.raised and is_pure_write(statement)):
            continue
        # A write into the middle of a graph has to be recorded: gradients must go through it.
        targets = [
            scene.tensor(ast.unparse(part), statement) for part in written_parts(scene, statement)
        ]
        if all(_may_be_unrecorded(scene, each) for each in targets if each is not None):
            yield from propose(
                scene,
                "under_no_grad",
                statement,
                partial(
                    scene.text.wrapped,
                    statement,
                    _last_refused(scene, statement),
                    "with torch.no_grad():",
                ),
                cuts=True,
            )


def _last_refused(scene: Scene, statement: ast.stmt) -> ast.stmt:
    """Return the last of the writes from a refused one on that would be refused alike.

    `w -= …` and `b -= …` one after the other: the second has not had its turn to raise.
    """
    block, last = scene.block(statement), statement
    for behind in block[block.index(statement) + 1 :]:
        target = _target(behind)
        part = None if target is None else tensor_part(scene, target, statement)
        if part is None:
            break
        if isinstance(part, ast.Attribute) and part.attr == "grad":
            continue  # it may stand between two such writes
        tensor = scene.tensor(ast.unparse(part), statement)
        if tensor is None or not (tensor.requires_grad and tensor.is_leaf is True):
            break
        last = behind
    return last


def _target(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement writes, or sets the gradient of, and does nothing else."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
            return target
        case ast.Assign(targets=[ast.Attribute(attr="grad") as target]):
            return target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))) if is_pure_write(statement):
            return target
        case _:
            return None


def _may_be_unrecorded(scene: Scene, tensor: Tensor) -> bool:
    verdict = None if scene.blame is None else scene.blame.verdict
    readable = not isinstance(tensor.values, Unreadable)
    return readable and (tensor.grad_fn is None or verdict is Verdict.LEAF_VIEW_MODIFIED)


def reference(scene: Scene) -> str | None:
    """Return the program with the refused write let through: it shows what would be written."""
    if scene.blame is None or not scene.blame.verdict.is_refused_write:
        return None
    mode = "inference_mode" if scene.blame.verdict is Verdict.INFERENCE_MODIFIED else "no_grad"
    for statement in scene.culprits[:1]:
        for found in propose(
            scene,
            "under_no_grad",
            statement,
            partial(
                scene.text.wrapped,
                statement,
                _last_refused(scene, statement),
                f"with torch.{mode}():",
            ),
        ):
            return found.source
    return None


def in_other_mode(scene: Scene) -> Iterator[Candidate]:
    """Make tensors under `no_grad` instead of inference mode, or with a graph instead of none."""
    modes = {"inference_mode": "no_grad"}
    if scene.blame is not None and scene.blame.verdict is Verdict.NO_GRAD_FN:
        modes["no_grad"] = "enable_grad"
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.Attribute | ast.Name) and last_name(node) in modes:
            yield from _other_mode(scene, node, modes[last_name(node)])


def _other_mode(scene: Scene, node: ast.expr, other: str) -> Iterator[Candidate]:
    _, end = scene.text.span(node)
    old = last_name(node)
    yield from propose(
        scene,
        "other_mode",
        scene.statement_of(node),
        [Edit(end - len(old), end, other)],
        old=old,
        new=other,
    )


BANS = frozenset({"disable_saved_tensors_hooks", "allow_mutation_on_saved_tensors"})
"""Contexts in which another one is refused."""


def without_context(scene: Scene) -> Iterator[Candidate]:
    """Leave out the context around a block in which what the block does is refused."""
    refused = {Verdict.SAVED_HOOKS_DISABLED, Verdict.MUTATION_CONTEXT_NESTED}
    if scene.blame is None or scene.blame.verdict not in refused or scene.raised is None:
        return
    for above in scene.around(scene.raised):
        if isinstance(above, ast.With) and len(above.items) == 1:
            call = above.items[0].context_expr
            name = last_name(call.func) if isinstance(call, ast.Call) else ""
            if name in BANS:
                yield from propose(
                    scene,
                    "without_context",
                    above,
                    partial(scene.text.unwrapped, above),
                    name=name,
                )


def detached(scene: Scene) -> Iterator[Candidate]:
    """Detach where the program asks for less gradient in a way that is refused."""
    statement, text = scene.raised, scene.text
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=target, attr="requires_grad")],
            value=ast.Constant(value=False),
        ) if is_place(target):
            yield from _replaced(
                scene, statement, f"{text.of(target)} = {text.of(target)}.detach()"
            )
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=target, attr="requires_grad_"),
                args=[ast.Constant(value=False)],
            )
        ) if is_place(target):
            name = text.of(target)
            yield from _replaced(scene, statement, f"{name} = {name}.detach()")
        case _:
            pass
    if statement is None:
        return
    for node in scene.parts(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="numpy" | "tolist")):
                yield from propose(
                    scene,
                    "detach",
                    statement,
                    text.append(value, ".detach()"),
                    cuts=True,
                    name=text.of(value),
                )
            case ast.Call(func=function, args=[value]) if last_name(function) == "deepcopy":
                yield from propose(
                    scene,
                    "clone_instead",
                    statement,
                    [text.replace(node, f"({text.of(value)}).clone()")],
                )
            case _:
                continue


def _replaced(scene: Scene, statement: ast.stmt, line: str) -> Iterator[Candidate]:
    yield from propose(
        scene,
        "detach",
        statement,
        [scene.text.replace(statement, line)],
        cuts=True,
        name=line.partition(" ")[0],
    )
