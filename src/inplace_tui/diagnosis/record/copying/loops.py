"""What is left of a loop, as code that a copy of the program runs in its place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, TypeAlias

from inplace_tui.common.syntax import Function, Loop, loop_at
from inplace_tui.diagnosis.record.compat import variables

_RESUMED = 0x20 | 0x80 | 0x100 | 0x200
"""Flags of the code of generators and coroutines."""


class NotCopiedError(Exception):
    """No copy of the program can go on from here, or not with this edit."""


def asking(loop: Loop, name: str) -> None:
    """Have a loop call a function before each round: of a `for`, with what it goes through."""
    called = ast.Name(name, ast.Load())
    if isinstance(loop, ast.For):
        loop.iter = _at(loop.iter, ast.Call(called, [loop.iter], []))
    else:
        asked = _at(loop.test, ast.Call(called, [], []))
        loop.test = _at(loop.test, ast.BoolOp(ast.And(), [asked, loop.test]))


def rest_of_loop(
    tree: ast.Module, line: int, frame: FrameType, name: str, path: str
) -> Callable[[], object] | CodeType:
    """Return what runs the rest of a loop: a function, or at the top level the code.

    A `for` goes through what has this name, a `while` asks it before each round.

    Raises:
        NotCopiedError: there is no such loop, or nothing but the frame itself can go on.
    """
    loop = loop_at(tree, line)
    if loop is None:
        raise NotCopiedError("no loop there")
    if isinstance(loop, ast.For):
        loop.iter = _at(loop.iter, ast.Name(name, ast.Load()))
    else:
        asking(loop, name)
    loop.orelse = []
    function = _function_of(tree, loop)
    if function is None:
        if frame.f_code.co_name != "<module>":
            raise NotCopiedError("it is in the body of a class")
        future = [each for each in tree.body if isinstance(each, ast.ImportFrom)]
        future = [each for each in future if each.module == "__future__"]
        return compile(ast.Module([*future, loop], []), path, "exec", dont_inherit=True)
    return _function(tree, function, loop, frame, path)


def _function(
    tree: ast.Module, function: Function, loop: Loop, frame: FrameType, path: str
) -> Callable[[], object]:
    """Return a function that has the variables of a frame, and runs the rest of its loop."""
    held, code = variables(frame), frame.f_code
    if code.co_flags & _RESUMED or any(isinstance(e, ast.Nonlocal) for e in ast.walk(function)):
        raise NotCopiedError("its frame alone can go on")
    stored = {e.id for e in ast.walk(loop) if isinstance(e, ast.Name) and _is_stored(e)}
    if not stored.isdisjoint(code.co_cellvars):
        raise NotCopiedError("a function made before has this very variable")
    own = [each for each in dict.fromkeys((*code.co_varnames, *code.co_cellvars)) if each in held]
    function.args = ast.arguments([], [ast.arg(each) for each in own], None, [], [], None, [])
    function.body = [*_globals(function), loop]
    function.decorator_list, function.returns = [], None
    ast.fix_missing_locations(function)
    made = compile(tree, path, "exec", dont_inherit=True)
    found = next(e for e in codes_in(made) if _is_of(e, function))
    if not all(each in held for each in found.co_freevars):
        raise NotCopiedError("a variable of a function around it is new")
    cells = tuple(CellType(held[each]) for each in found.co_freevars)
    rest = FunctionType(found, frame.f_globals, function.name, None, cells)
    values = {each: held[each] for each in own}
    return lambda: rest(**values)


def _globals(function: Function) -> list[ast.stmt]:
    names = [name for e in ast.walk(function) if isinstance(e, ast.Global) for name in e.names]
    return [ast.Global(list(dict.fromkeys(names)))] if names else []


def _function_of(tree: ast.Module, loop: Loop) -> Function | None:
    """Return the innermost function around a loop."""
    around = [each for each in ast.walk(tree) if isinstance(each, Function)]
    around = [each for each in around if any(inner is loop for inner in ast.walk(each))]
    return max(around, key=lambda each: each.lineno, default=None)


def _is_of(code: CodeType, function: Function) -> bool:
    return (code.co_name, code.co_firstlineno) == (function.name, function.lineno)


def _is_stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _at(place: ast.expr, new: ast.expr) -> Any:
    for each in ast.walk(new):
        if isinstance(each, ast.expr) and not hasattr(each, "lineno"):
            ast.copy_location(each, place)
    return new


# The functions that there are.


def codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes_in(each)


Key: TypeAlias = tuple[tuple[str, int], ...]


def by_place(code: CodeType, key: Key = ()) -> Iterator[tuple[Key, CodeType]]:
    """Yield all code in a file's, by the names of what it is in and their order there."""
    yield key, code
    seen: dict[str, int] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            number = seen[each.co_name] = seen.get(each.co_name, 0) + 1
            yield from by_place(each, (*key, (each.co_name, number)))


def replacements(before: CodeType, after: CodeType) -> list[tuple[CodeType, CodeType | None]]:
    """Return each code of a file, with what takes its place."""
    now = dict(by_place(after))
    return [(each, now.get(key)) for key, each in by_place(before)]


def does_the_same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes differ in their lines alone, if at all."""
    parts = [
        [each if not isinstance(each, CodeType) else None for each in code.co_consts]
        for code in (one, other)
    ]
    same = one.co_code == other.co_code and one.co_names == other.co_names
    return same and repr(parts[0]) == repr(parts[1])
