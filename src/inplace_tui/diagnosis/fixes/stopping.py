"""Where a program can stop before its fault, and which edits a copy of it can go on with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from inplace_tui.common.run.fix import counterparts
from inplace_tui.common.run.outcome import Raised, StackFrame, Witnessed
from inplace_tui.common.run.program import Program, Stop
from inplace_tui.common.syntax import Function, Loop, loop_at, parse, parsed
from inplace_tui.diagnosis.blame.truth import Evidence

MAX_BACKWARDS = 64
"""From what was saved to the one that failed; with more, a copy would save little time."""

_Frames: TypeAlias = list[tuple[Function | None, int]]
"""Of a stack, outermost first: the function, and the line in it."""


def stop_before(program: Program, first: Evidence) -> Stop | None:
    """Return where a program can stop before what leads to the error of its own run, if anywhere.

    What leads there was seen: who saved and who wrote, or the write that torch refused. A graph
    that was freed may be older than any loop.
    """
    raised, saved_after, reader = first.outcome, first.saved_after, None
    if not isinstance(raised, Raised) or _starts_otherwise(program):
        return None
    stacks = list(_stacks(raised, first.seen))
    if not raised.in_backward:
        reader = first.backwards[-1].line if first.backwards else None
    if len(stacks) == 1 or (reader is None and not raised.in_backward):
        return None
    line = _loop_around(program, stacks, reader)
    failed = first.begun if raised.in_backward else first.begun + 1
    before = failed - 1 if saved_after is None else saved_after
    if line is None or failed - before > MAX_BACKWARDS:
        return None
    return Stop(line=line, before=before, earlier=int(saved_after is None), until=failed + 1)


def _starts_otherwise(program: Program) -> bool:
    """Whether something else than Python itself reads or starts it."""
    return program.is_notebook or program.module is not None or program.is_imported


def _stacks(raised: Raised, seen: Sequence[Witnessed]) -> Iterator[Sequence[StackFrame]]:
    """Yield the stacks, outermost first, of all that takes part."""
    yield raised.chain
    last = seen[-1] if seen else None
    if last is not None and last.error.message == raised.message:
        for place in (last.saved, *last.writes, last.reader, last.writer):
            if place is not None and place.frames:
                yield place.frames[::-1]


def _loop_around(
    program: Program, stacks: list[Sequence[StackFrame]], reader: int | None
) -> int | None:
    """Return where the innermost loop begins of which all stacks are in a round."""
    tree = parsed(program.source)
    found = [_own(program, tree, each) for each in stacks]
    found = [each for each in found if each]
    if not found:
        return None
    depth = 0
    while all(len(each) > depth + 1 and each[depth] == found[0][depth] for each in found) and all(
        each[depth + 1][0] is found[0][depth + 1][0] for each in found
    ):
        depth += 1
    if any(each[0][0] is not found[0][0][0] for each in found):
        return None
    loops = [
        loop
        for level in range(depth, -1, -1)
        for loop in _around(tree, found[0][level][0], {each[level][1] for each in found})
    ]
    if reader is not None:
        # The backward of what is written comes in the same round.
        here = {function for each in found for function, _ in each}
        is_elsewhere = _function_at(tree, reader) not in here
        loops = [e for e in loops if _covers(e.body, reader)] or loops[-1:] * is_elsewhere
    return loops[0].lineno if loops else None


def _own(program: Program, tree: ast.Module, stack: Sequence[StackFrame]) -> _Frames:
    lines = (program.line_of(each.file, each.line) for each in stack)
    return [(_function_at(tree, line), line) for line in lines if line is not None]


def _function_at(tree: ast.Module, line: int) -> Function | None:
    around = [e for e in ast.walk(tree) if isinstance(e, Function) and _covers([e], line)]
    return max(around, key=lambda each: each.lineno, default=None)


def _around(tree: ast.Module, function: Function | None, lines: set[int]) -> list[Loop]:
    """Return the loops of a function of which all lines are in a round, the innermost first."""
    loops = [
        each
        for each in ast.walk(tree if function is None else function)
        if isinstance(each, Loop)
        and all(_covers(each.body, line) for line in lines)
        and _function_at(tree, each.lineno) is function
    ]
    return sorted(loops, key=lambda each: -each.lineno)


def _covers(statements: Sequence[ast.stmt], line: int) -> bool:
    return statements[0].lineno <= line <= (statements[-1].end_lineno or 0)


def line_in_edited(original: str, edited: str, line: int) -> int | None:
    """Return where a loop begins in an edited program, if only functions and its rounds differ.

    That is what a copy can go on with: all else has run when it is made. The functions around
    the loop are running themselves.
    """
    if original == edited:
        return line
    before, after = parse(original), parse(edited)
    loop = loop_at(before, line)
    if loop is None:
        return None
    wanted, head = _rest(before, loop), ast.dump(_head(loop))
    for each in (e for e in ast.walk(after) if isinstance(e, Loop)):
        if ast.dump(_head(each)) == head and _rest(after, each) == wanted:
            return each.lineno
    return None


def line_after_edit(original: str, edited: str, line: int) -> int | None:
    """Return the line of an edited program that one stands for; None if it is not there."""
    found = counterparts(original, edited, {line}) - counterparts(original, edited, set())
    return min(found, default=None)


def _head(loop: Loop) -> ast.AST:
    if isinstance(loop, ast.While):
        return loop.test
    return ast.Tuple([loop.target, loop.iter], ast.Load())


def _rest(tree: ast.Module, loop: Loop) -> str:
    """Return a program without the bodies of its functions and of a loop, as text."""
    around = {e for e in ast.walk(tree) if isinstance(e, Function) and loop in ast.walk(e)}
    emptied = [e for e in ast.walk(tree) if isinstance(e, Function) and e not in around]
    bodies = [(each, each.body) for each in (*emptied, loop)]
    try:
        for each, _ in bodies:
            each.body = []
        return ast.dump(tree)
    finally:
        for each, body in bodies:
            each.body = body
