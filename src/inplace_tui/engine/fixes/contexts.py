"""What a custom Function keeps on its `ctx`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.editing import Edit, EditError
from inplace_tui.engine.fixes.expressions import last_name
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene


def plain_values(scene: Scene) -> Iterator[Candidate]:
    """Keep as attributes of `ctx` what is no tensor, and so can't be saved."""
    if scene.blame is None or scene.blame.verdict is not Verdict.CTX_NEEDS_TENSORS:
        return
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.ClassDef) and any(last_name(b) == "Function" for b in node.bases):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            for method in methods:
                yield from _saving(scene, method, methods)


def _saving(
    scene: Scene, method: ast.FunctionDef, methods: list[ast.FunctionDef]
) -> Iterator[Candidate]:
    for statement in method.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner)), keywords=[]) as call
            ) if last_name(call.func) == "save_for_backward":
                plain = [
                    at
                    for at, each in enumerate(call.args)
                    if isinstance(each, ast.Name) and scene.tensor(each.id, statement) is None
                ]
                names = [scene.text.of(call.args[at]) for at in plain]
                edits = partial(_apart, scene, call, owner, plain, methods)
                if plain:
                    yield from propose(
                        scene, "ctx_attribute", statement, edits, name=", ".join(names)
                    )
            case _:
                continue


def _apart(
    scene: Scene, call: ast.Call, owner: str, plain: list[int], methods: list[ast.FunctionDef]
) -> list[Edit]:
    """Return the edits where values are kept, and where they are taken out again."""
    text, statement = scene.text, scene.statement_of(call)
    names = [text.of(call.args[at]) for at in plain]
    saved = [text.of(each) for at, each in enumerate(call.args) if at not in plain]
    kept = "; ".join(f"{owner}.{name} = {name}" for name in names)
    instead = f"{text.of(call.func)}({', '.join(saved)})"
    edits = [text.replace(call, instead), *text.after(statement, kept)]
    unpacked = [pair for each in methods for pair in _unpackings(each)]
    if not unpacked and any("saved_tensors" in text.of(each) for each in methods):
        raise EditError("what was saved is taken out in another way")
    for assignment, targets in unpacked:
        if len(targets) != len(call.args):
            raise EditError("what was saved is taken out in another way")
        source = text.of(assignment.value)
        rest = [text.of(each) for at, each in enumerate(targets) if at not in plain]
        left = f"({rest[0]},)" if len(rest) == 1 else ", ".join(rest)
        context = source.partition(".")[0]
        taken = "; ".join(
            f"{text.of(targets[at])} = {context}.{name}"
            for at, name in zip(plain, names, strict=True)
        )
        if rest:
            edits += [
                text.replace(assignment, f"{left} = {source}"),
                *text.after(assignment, taken),
            ]
        else:
            edits.append(text.replace(assignment, taken))
    return edits


def _unpackings(method: ast.FunctionDef) -> Iterator[tuple[ast.Assign, list[ast.expr]]]:
    """Yield the statements that take apart what was saved, and into what."""
    for node in ast.walk(method):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Attribute(attr="saved_tensors")
            ):
                yield node, targets
            case _:
                continue
