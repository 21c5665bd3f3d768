"""Code that autograd calls: custom Functions, hooks, what packs saved tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import hook_names, is_in_place, last_name
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.in_place import rewritten
from inplace_tui.engine.fixes.proposing import Edits, propose
from inplace_tui.engine.fixes.scene import Scene, nbytes


def custom_functions(scene: Scene) -> Iterator[Candidate]:
    """Mend what a custom Function keeps, returns and writes."""
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.ClassDef) and any(last_name(b) == "Function" for b in node.bases):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name in {"forward", "backward"}:
                    yield from _method(scene, method)


def _method(scene: Scene, method: ast.FunctionDef) -> Iterator[Candidate]:
    names = [each.arg for each in method.args.args]
    context, inputs = names[:1], set(names[1:])
    for statement in method.body:
        yield from _kept(scene, statement, context)
        if isinstance(statement, ast.Return) and method.name == "forward":
            yield from _returned(scene, method, statement, inputs)
        yield from _written(scene, statement, inputs)


def _kept(scene: Scene, statement: ast.stmt, context: list[str]) -> Iterator[Candidate]:
    """Keep a copy on `ctx`: nothing checks the version of an attribute."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner))], value=ast.Name(id=name) as value
        ) if owner in context:
            yield from propose(
                scene,
                "keep_copy",
                statement,
                scene.text.append(value, ".clone()"),
                cost=nbytes(scene.tensor(name, statement)),
                name=name,
            )


def _returned(
    scene: Scene, method: ast.FunctionDef, statement: ast.Return, inputs: set[str]
) -> Iterator[Candidate]:
    text = scene.text
    match statement.value:
        case ast.Name(id=name) as value if name in inputs:
            yield from propose(
                scene,
                "return_copy",
                statement,
                text.append(value, ".clone()"),
                cost=nbytes(scene.tensor(name, statement)),
                name=name,
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clone")) if name in inputs:
            edit = text.replace(statement.value, name)
            context = method.args.args[0].arg
            mark = partial(text.before, statement, f"{context}.mark_dirty({name})")
            marked = "mark_dirty" in text.of(method)
            yield from propose(
                scene,
                "mark_dirty",
                statement,
                lambda: [edit] if marked else [edit, *mark()],
                name=name,
            )
        case _:
            return


def _written(scene: Scene, statement: ast.stmt, inputs: set[str]) -> Iterator[Candidate]:
    """Leave the arguments as they are."""
    text = scene.text
    for node in scene.parts(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as value, attr=method)) if (
                name in inputs and is_in_place(method)
            ):
                function = node.func
                _, end = text.span(function)
                binds = isinstance(statement, ast.Expr) and statement.value is node
                start, _ = text.span(value)
                edits = [Edit(end - 1, end, "")]
                if binds:
                    edits.append(Edit(start, start, f"{name} = "))
                yield from propose(
                    scene,
                    "out_of_place",
                    statement,
                    edits,
                    cost=nbytes(scene.tensor(name, statement)),
                    name=name,
                )
    yield from (rewritten(scene, statement) if isinstance(statement, ast.AugAssign) else ())


def hooks(scene: Scene) -> Iterator[Candidate]:
    """Return a new gradient or output from a hook, where it wrote the one it was given."""
    of_tensors, of_modules = hook_names(scene), _forward_hooks(scene)
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.FunctionDef) and node.args.args:
            if node.name in of_tensors:
                # What the original delivers is what the write made of it: no truth.
                yield from _hook(scene, node, "return_gradient", own_truth=True)
            elif node.name in of_modules:
                yield from _hook(scene, node, "return_output")


def _forward_hooks(scene: Scene) -> set[str]:
    """Return the functions that modules call with their output, those of factories too."""
    registered = [
        argument
        for node in ast.walk(scene.tree)
        if isinstance(node, ast.Call) and last_name(node.func) == "register_forward_hook"
        for argument in node.args
    ]
    makers = {last_name(each.func) for each in registered if isinstance(each, ast.Call)}
    made = {
        inner.value.id
        for node in ast.walk(scene.tree)
        if isinstance(node, ast.FunctionDef) and node.name in makers
        for inner in node.body
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name)
    }
    return made | {last_name(each) for each in registered if not isinstance(each, ast.Call)}


def _hook(
    scene: Scene, function: ast.FunctionDef, kind: str, *, own_truth: bool = False
) -> Iterator[Candidate]:
    given = function.args.args[-1].arg
    text = scene.text
    for statement in function.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call
            ) if name == given and is_in_place(method):
                start, _ = text.span(statement)
                _, end = text.span(call.func)

                def edits(start: int = start, end: int = end) -> Edits:
                    return [Edit(start, start, "return "), Edit(end - 1, end, "")]

                yield from propose(scene, kind, statement, edits, own_truth=own_truth, name=name)
                named = [Edit(start, start, f"{name} = "), Edit(end - 1, end, "")]
                yield from propose(
                    scene,
                    kind,
                    statement,
                    partial(_returned_last, scene, statement, named, name),
                    own_truth=own_truth,
                    name=name,
                )
            case ast.AugAssign(target=ast.Name(id=name)) if name == given:
                copied = f"{name} = {name}.clone()"
                yield from propose(
                    scene,
                    kind,
                    statement,
                    partial(_around, scene, statement, copied, f"return {given}"),
                    own_truth=own_truth,
                    name=name,
                )


def _returned_last(scene: Scene, statement: ast.stmt, edits: list[Edit], name: str) -> list[Edit]:
    """Return a name at the end of a statement's block, unless something is returned there."""
    end = scene.block(statement)[-1]
    if isinstance(end, ast.Return):
        return edits
    return [*edits, *scene.text.after(end, f"return {name}")]


def _around(scene: Scene, statement: ast.stmt, before: str, last: str) -> list[Edit]:
    """Write a line before a statement, and one at the end of its block."""
    end = scene.block(statement)[-1]
    return [*scene.text.before(statement, before), *scene.text.after(end, last)]


def pack_copies(scene: Scene) -> Iterator[Candidate]:
    """Let a pack hook keep a copy, where it keeps the tensor itself and the check is off."""
    for node in ast.walk(scene.tree):
        if not isinstance(node, ast.Call) or last_name(node.func) != "saved_tensors_hooks":
            continue
        if not node.args:
            continue
        match node.args[0]:
            case ast.Lambda(args=ast.arguments(args=[argument]), body=ast.Name(id=name) as body):
                if argument.arg == name:
                    yield from propose(
                        scene,
                        "pack_copy",
                        scene.statement_of(node),
                        scene.text.append(body, ".clone()"),
                    )
            case ast.Name(id=name):
                yield from _packing(scene, name)
            case _:
                continue


def _packing(scene: Scene, name: str) -> Iterator[Candidate]:
    for node in ast.walk(scene.tree):
        if isinstance(node, ast.FunctionDef) and node.name == name and node.args.args:
            argument = node.args.args[0].arg
            copied = f"{argument} = {argument}.clone()"
            yield from propose(
                scene,
                "pack_copy",
                node.body[0],
                partial(scene.text.before, node.body[0], copied),
            )
