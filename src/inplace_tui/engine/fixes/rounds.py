"""Loops whose rounds share a graph that was made before the first of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene
from inplace_tui.engine.fixes.states import uses_again


def made_before(scene: Scene) -> Iterator[Candidate]:
    """Make anew in every round what was made before the loop, or cut it off."""
    if scene.reader is None or not uses_again(scene):
        return
    for loop in scene.around(scene.reader):
        if isinstance(loop, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if isinstance(loop, ast.For | ast.While):
            yield from _emptied(scene, loop)
            for name, statement in _shared(scene, loop):
                yield from _anew(scene, loop, name, statement)
                yield from propose(
                    scene,
                    "detach_before",
                    statement,
                    partial(scene.text.append, statement.value, ".detach()"),
                    cuts=True,
                    own_truth=True,
                    name=name,
                )


def _shared(scene: Scene, loop: ast.For | ast.While) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the names with a graph that a loop only reads, and where each is made."""
    inside = [node for each in loop.body for node in ast.walk(each) if isinstance(node, ast.Name)]
    stored = {node.id for node in inside if not isinstance(node.ctx, ast.Load)}
    read = {node.id for node in inside} - stored
    for statement in scene.block(loop):
        if statement is loop:
            return
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in read:
                tensor = scene.made(name, statement)
                if tensor is not None and tensor.grad_fn is not None:
                    yield name, statement
            case _:
                continue


def _anew(
    scene: Scene, loop: ast.For | ast.While, name: str, statement: ast.Assign
) -> Iterator[Candidate]:
    moved = partial(scene.text.moved, statement, statement, before=loop.body[0], after=None)
    # From the second round on the gradient is another one, and should be.
    yield from propose(scene, "anew_each_round", statement, moved, own_truth=True, name=name)


def _emptied(scene: Scene, loop: ast.For | ast.While) -> Iterator[Candidate]:
    """Begin with empty lists in every round, where those of the round before are used again."""
    appends = {
        node.func.value.id: scene.statement_of(node)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and isinstance(node.func.value, ast.Name)
    }
    last = loop.body[-1]
    graphs = [
        statement
        for name, statement in appends.items()
        if any(isinstance(each.grad_fn, int) for each in scene.names_under(name, last))
    ]
    # What is collected beside them has to fit them: rewards, and the steps that earned them.
    beside = [each for statement in graphs for each in scene.block(statement)]
    wanted = {name for name, statement in appends.items() if statement in beside}
    made = [
        each
        for each in scene.block(loop)
        if isinstance(each, ast.Assign) and each.lineno < loop.lineno and _lists(each) & wanted
    ]
    if made:
        yield from propose(
            scene,
            "empty_each_round",
            made[0],
            lambda: [
                edit
                for each in made
                for edit in scene.text.moved(each, each, before=loop.body[0], after=None)
            ],
            own_truth=True,
            name=", ".join(sorted(set[str]().union(*map(_lists, made)))),
        )


def _lists(statement: ast.Assign) -> set[str]:
    """Return the names that a statement makes empty lists, if it makes nothing else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
            return {name}
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            empty = all(isinstance(each, ast.List) and not each.elts for each in values)
            plain = [each.id for each in names if isinstance(each, ast.Name)]
            return set(plain) if empty and len(plain) == len(names) else set()
        case _:
            return set()
