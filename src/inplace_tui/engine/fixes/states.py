"""What one round of a loop hands on to the next, with the graph behind it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.expressions import is_in_place
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import propose
from inplace_tui.engine.fixes.scene import Scene


def uses_again(scene: Scene) -> bool:
    """Whether a graph is gone through twice: it was freed, or an update wrote in between."""
    if scene.blame is None or not scene.blame.writes:
        return False
    if scene.blame.verdict is Verdict.GRAPH_FREED:
        return True
    updated = (scene.blame.writes[0].op or "").endswith(".step")
    return updated and scene.blame.verdict is Verdict.SAVED_TENSOR_MODIFIED


def detach_state(scene: Scene) -> Iterator[Candidate]:
    """Cut what one round hands on to the next out of the graph."""
    reader = scene.reader
    if reader is None or not uses_again(scene):
        return
    rounds = [each for each in scene.around(reader) if isinstance(each, ast.For | ast.While)]
    for loop in rounds:
        last = loop.body[-1]
        places = [*_carried(scene, loop), *_kept_in_attributes(scene, last)]
        yield from _detached_states(scene, last, places)
    if not rounds:  # it stands in a function that is called in every round
        yield from _detached_states(scene, reader, _kept_in_attributes(scene, reader))
    if scene.blame is not None and scene.blame.verdict is Verdict.GRAPH_FREED:
        yield from _detached_writes(scene)


def _detached_states(scene: Scene, last: ast.stmt, places: list[str]) -> Iterator[Candidate]:
    for place in places:
        yield from _detached_state(scene, last, [place])
    if len(places) > 1:
        yield from _detached_state(scene, last, places)


def _carried(scene: Scene, loop: ast.For | ast.While) -> list[str]:
    """Return the names that a loop reads before it gives them a value, and that have a graph."""
    read: list[str] = []
    given: set[str] = set()
    inside = (each for each in ast.walk(loop) if isinstance(each, ast.stmt) and each is not loop)
    for statement in sorted(inside, key=lambda each: (each.lineno, each.col_offset)):
        names = [each for each in scene.parts(statement) if isinstance(each, ast.Name)]
        changed = [each.id for each in names if isinstance(each.ctx, ast.Store)]
        loads = [each.id for each in names if isinstance(each.ctx, ast.Load)]
        loads += changed if isinstance(statement, ast.AugAssign) else []
        read += [each for each in loads if each not in given and each not in read]
        given |= set(changed)
    last = loop.body[-1]
    return [name for name in read if name in given and _graph_of(scene, name, last)]


def _kept_in_attributes(scene: Scene, last: ast.stmt) -> list[str]:
    """Return the attributes that the program sets and that have a graph when a round ends."""
    stored = {
        each.attr
        for each in ast.walk(scene.tree)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    places = (_ATTRIBUTE.fullmatch(name) for name in scene.names(last))
    found = dict.fromkeys(each[1] for each in places if each is not None and each[2] in stored)
    return [place for place in found if _graph_of(scene, place, last)]


_ATTRIBUTE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*\.(\w+))(?:\[\d+\])?")
"""`model.hidden`, or `model.hidden[0]` of a tuple in it."""


def _graph_of(scene: Scene, place: str, last: ast.stmt) -> bool:
    """Whether a tensor that a place holds, or one in a tuple there, was computed."""
    tensor = scene.made(place, last)
    held = scene.names_under(place, last) if tensor is None else [tensor]
    return any(isinstance(each.grad_fn, int) for each in held)


def _detached_state(scene: Scene, last: ast.stmt, places: list[str]) -> Iterator[Candidate]:
    name = ", ".join(places)
    plain = [
        f"tuple(each.detach() for each in {place})"
        if scene.made(place, last) is None
        else f"{place}.detach()"
        for place in places
    ]
    cut = f"{name} = {', '.join(plain)}"
    freed = scene.blame is not None and scene.blame.verdict is Verdict.GRAPH_FREED
    yield from propose(
        scene,
        "detach_state",
        last,
        partial(scene.text.after, last, cut),
        cuts=True,
        # The true gradient would go back through all rounds: that is what is given up.
        own_truth=not freed,
        name=name,
    )


def _detached_writes(scene: Scene) -> Iterator[Candidate]:
    """Detach what is written into a tensor that lives on from round to round."""
    for node in ast.walk(scene.tree):
        values: list[ast.expr] = []
        match node:
            case ast.Call(func=ast.Attribute(attr=method), args=args) if is_in_place(method):
                values = args
            case ast.AugAssign(value=value):
                values = [value]
            case _:
                continue
        for value in values:
            if not isinstance(value, ast.Constant):
                yield from _detached_write(scene, value)


def _detached_write(scene: Scene, value: ast.expr) -> Iterator[Candidate]:
    statement = scene.statement_of(value)
    yield from propose(
        scene,
        "detach_written",
        statement,
        lambda: scene.text.append(value, ".detach()"),
        cuts=True,
        name=scene.text.of(value),
    )
