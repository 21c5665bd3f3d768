"""Which ops a line of code calls."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from inplace_tui.common.ops.survey import installed_survey
from inplace_tui.common.source_text import AUGMENTED, statement_on
from inplace_tui.common.syntax import names, nodes, parsed

Place: TypeAlias = tuple[int, int | None, int | None, int | None]
"""First line and column of an expression, and its last ones."""

_OF_NUMBERS = (
    ast.BinOp, ast.Constant, ast.Name, ast.Slice, ast.Tuple, ast.UnaryOp, ast.expr_context,
    ast.keyword, ast.operator, ast.unaryop,
)  # fmt: skip


_FUNCTION = re.compile(r"(?:(?:functools\.)?partial\()?([\w.]+\.\w+)(?:\)|, .*\))?")
"""A function by its path, or a partial call of it."""


def called(node: ast.AST) -> Iterator[str]:
    """Yield the names of what a statement calls, as `Survey.find` takes them, the outermost first.

    >>> [*called(ast.parse("z = F.relu(x.exp() * 2)"))]
    ['F.relu', 'torch.mul', 'x.exp']
    """
    match node:
        case ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.Call(func=ast.Attribute(attr=name) as function):
            yield ast.unparse(function) if _is_path(function) else f"x.{name}"
        case ast.AugAssign(op=operator):
            yield f"Tensor.{AUGMENTED[type(operator)][1]}"
        case ast.BinOp(op=operator):
            method, _ = AUGMENTED[type(operator)]
            yield f"torch.{method.removeprefix('__i').strip('_')}"  # of `@`, torch.matmul
        case ast.Assign(targets=[ast.Subscript(), *_]):
            yield "Tensor.__setitem__"
        case ast.Subscript(ctx=ast.Load()):
            yield "Tensor.__getitem__"
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from called(child)


def uncounted(source: str, line: int, op: str | None) -> str | None:
    """Return the call on a line that writes without being counted, as the survey found.

    Args:
        op: what is known to have written there, such as `Adam.step`.
    """
    statement = statement_on(source, line)
    if statement is None:
        return None
    survey, meant = installed_survey(), _bound_once(source)
    optimizers = [f"optim.{op}"] if op is not None and op.endswith(".step") else []
    for name in (*optimizers, *called(statement)):
        found = survey.named(_in_full(_in_full(name, meant), meant))
        if found is None:
            continue
        for case in found.cases:
            if 0 in case.written.values():
                options = f"({', '.join(case.options)})" if case.options else ""
                return f"{found.name}{options}"
    return None


def _in_full(name: str, meant: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return meant.get(first, first) + dot + rest


def _bound_once(source: str) -> dict[str, str]:
    """Return what names stand for: of an import, a method or a partial call, if of nothing else."""
    found, stored = defaultdict[str, list[str]](list), Counter[str]()
    for node in ast.walk(parsed(source)):
        match node:
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                of = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for each in imported:
                    found[each.asname or each.name].append(of + each.name)
                    stored[each.asname or each.name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                function = _FUNCTION.fullmatch(ast.unparse(value))
                found[name] += [] if function is None else [function[1]]
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                stored[name] += 1
            case _:
                pass
    return {name: meant[0] for name, meant in found.items() if meant and stored[name] == 1}


@lru_cache(maxsize=4096)
def keeps_nothing(source: str, op: str, place: Place) -> bool:
    """Whether an op that wrote to a view keeps no tensor for its backward, as the survey found.

    Args:
        op: as `Mutation.op` has it.
        place: of the expression that wrote, as `Mutation.place` has it.
    """
    survey = installed_survey()
    known, written = survey.named(op), _expression(source, place)
    if known is None or known.form != "in-place" or written is None:
        return False
    given = [*ast.iter_child_nodes(written)][1:]  # after the function, or what is written
    # What is not spelled out may be a tensor, and in an index a mask.
    is_plain = all(_is_made_of_numbers(each, source) for each in given)
    if isinstance(written, ast.Subscript):
        cases = [case for case in known.cases if is_plain and "CopySlices" in case.nodes]
    else:
        cases = survey.alone(known) if is_plain else known.cases
    recorded = [case for case in cases if case.nodes]
    runs = all(survey.backward_runs(node) for case in recorded for node in case.nodes)
    return bool(recorded) and runs and not any(case.keeps for case in recorded)


def _expression(source: str, place: Place) -> ast.Subscript | ast.AugAssign | ast.Call | None:
    statement = statement_on(source, place[0])
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Subscript | ast.AugAssign | ast.Call) and place == (
            (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        ):
            return node
    return None


def _is_made_of_numbers(node: ast.AST, source: str) -> bool:
    """Whether it is spelled out but for names that loops over a range alone give a number to."""
    if not all(isinstance(each, _OF_NUMBERS) for each in ast.walk(node)):
        return False
    tree = parsed(source)
    counted = {
        each.target
        for each in ast.walk(tree)
        if isinstance(each, ast.For | ast.comprehension)
        and isinstance(each.iter, ast.Call)
        and ast.unparse(each.iter.func) == "range"
    }
    bound = {each for each in nodes(ast.Name, tree) if not isinstance(each.ctx, ast.Load)}
    others = names(*(bound - counted)) | {each.arg for each in nodes(ast.arg, tree)}
    return names(node) <= names(*counted) - others


def _is_path(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
