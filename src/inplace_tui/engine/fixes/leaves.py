"""Updates that give the name of a leaf to something computed from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import is_place, last_name, name_of
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import Edits, propose
from inplace_tui.engine.fixes.scene import Scene


def leaf_kept(scene: Scene) -> Iterator[Candidate]:
    """Update leaves under `no_grad` instead of giving their names to something computed."""
    if scene.blame is None or scene.blame.cut is None:
        return
    statement = scene.statement(scene.blame.cut)
    if not isinstance(statement, ast.Assign) or not is_place(statement.targets[0]):
        return
    text, updates = scene.text, _updates(scene, statement)
    names = [text.of(each.targets[0]) for each in updates]
    name, them = ", ".join(names), partial(propose, scene, statement=statement)
    yield from them(
        "new_leaf",
        edits=[e for each in updates for e in text.append(each.value, _LEAF)],
        name=name,
    )
    lines = list(map(partial(_in_place, scene), updates))
    if _unrecorded(scene, statement):
        edits = [text.replace(each, line) for each, line in zip(updates, lines, strict=True)]
        yield from them("leaf_updated", edits=edits, name=name)
        return

    def updated() -> Edits:
        start, end = text.block(statement, updates[-1])
        indent, line = text.indent(statement), text.newline
        writes = "".join(f"{indent}{text.unit}{each}{line}" for each in lines)
        clears = "".join(f"{indent}{each}.grad = None{line}" for each in names)
        yield Edit(start, end, f"{indent}with torch.no_grad():{line}{writes}{clears}")

    yield from them("leaf_kept", edits=updated, name=name)


def _updates(scene: Scene, first: ast.Assign) -> list[ast.Assign]:
    """Return the statement that loses a leaf, and those behind it that lose theirs alike."""
    block, found = scene.block(first), [first]
    for behind in block[block.index(first) + 1 :]:
        match behind:
            case ast.Assign(targets=[target]) if is_place(target):
                gradient = f"{ast.unparse(target)}.grad"
                if not any(ast.unparse(each) == gradient for each in _attributes(behind.value)):
                    break
                found.append(behind)
            case _:
                break
    return found


def _attributes(value: ast.expr) -> Iterator[ast.Attribute]:
    return (each for each in ast.walk(value) if isinstance(each, ast.Attribute))


def _in_place(scene: Scene, statement: ast.Assign) -> str:
    """Return an assignment as a write to what its name meant before."""
    text, target = scene.text, statement.targets[0]
    match statement.value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if ast.unparse(left) == ast.unparse(target):
                sign = "+" if isinstance(op, ast.Add) else "-"
                return f"{text.of(target)} {sign}= {text.of(right)}"
        case _:
            pass
    return f"{text.of(target)}.copy_({text.of(statement.value)})"


def _unrecorded(scene: Scene, statement: ast.stmt) -> bool:
    """Whether a statement stands in a block that autograd does not record."""
    return any(
        isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) == "no_grad"
        for above in scene.around(statement)
        if isinstance(above, ast.With)
        for item in above.items
    )


def leaf_for_optimizer(scene: Scene) -> Iterator[Candidate]:
    """Make leaves of what an optimizer is given, where they were made."""
    kind = None if scene.blame is None else scene.blame.verdict
    if kind is not Verdict.OPTIMIZER_NEEDS_LEAF or scene.raised is None:
        return
    text, raised = scene.text, scene.raised
    named = [each.id for each in scene.parts(raised) if isinstance(each, ast.Name)]
    computed = {
        name
        for name in named
        if (tensor := scene.tensor(name, raised)) is not None and tensor.is_leaf is False
    }
    made = {
        name_of(statement.targets[0]): statement
        for statement in scene.block(raised)
        if isinstance(statement, ast.Assign) and statement.lineno < raised.lineno
    }
    found = {name: made[name] for name in named if name in computed and name in made}
    if found:
        yield from propose(
            scene,
            "new_leaf",
            next(iter(found.values())),
            [e for each in found.values() for e in text.append(each.value, _LEAF)],
            name=", ".join(found),
        )


_LEAF = ".detach().requires_grad_()"
