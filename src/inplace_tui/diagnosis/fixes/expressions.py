"""How expressions and calls are read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inplace_tui.common.syntax import DOTTED, names_read, names_stored, nodes


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name, or of a method of anything: `f` of `a().f`."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def called(statement: ast.stmt) -> str:
    """Return the last part of what a statement does nothing but call; else nothing."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return last_name(value.func) if isinstance(value, ast.Call) else ""


def is_assignable(node: ast.AST) -> bool:
    """Whether a node is something that can be assigned to and read without doing anything."""
    return isinstance(node, DOTTED) and all(isinstance(each, _PLAIN) for each in ast.walk(node))


_PLAIN = (
    *(*DOTTED, ast.Constant, ast.expr_context),
    *(ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub),
)
"""What it may be made of: `layers[i - 1].weight`."""


def names_gradient(statement: ast.stmt) -> bool:
    """Whether a statement reads or writes a `.grad`."""
    return any(node.attr == "grad" for node in nodes(ast.Attribute, statement))


def is_in_place(name: str) -> bool:
    """Whether torch's names say that it writes."""
    return name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def is_pure_write(statement: ast.stmt | None) -> bool:
    """Whether a statement does nothing but write a tensor in place."""
    match statement:
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Subscript()]):
            return True
        case ast.Expr(value=ast.Call() as call):
            function = call.func
            asks = last_name(function) in {"requires_grad_", "retain_grad", "detach_"}
            writes = is_in_place(last_name(function)) and not asks
            return writes or keyword(call, "out") is not None
        case _:
            return False


ONLY_IN_PLACE = frozenset(
    [
        *("zero_", "fill_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_"),
        *("geometric_", "log_normal_", "cauchy_", "copy_", "set_", "resize_", "resize_as_"),
        *("apply_", "map_", "map2_", "fill_diagonal_", "as_strided_", "rename_"),
    ]
)
"""Methods that exist in place only, or mean something else without the underscore."""


def arguments_of(function: ast.FunctionDef | None) -> set[str]:
    return set() if function is None else {each.arg for each in function.args.args}


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return what the arguments of a function are where nobody says otherwise."""
    arguments = function.args
    behind = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    positional = zip(behind, arguments.defaults, strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {each.arg: value for each, value in (*positional, *named) if value is not None}


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((each for each in call.keywords if each.arg == name), None)


def leading_to(needed: set[str], statements: Sequence[ast.stmt]) -> list[ast.Assign]:
    """Return the assignments that give some names their values, and add what those read to them."""
    found: list[ast.Assign] = []
    for each in reversed(statements):
        if isinstance(each, ast.Assign) and needed & names_stored(each):
            needed |= names_read(each)
            found.insert(0, each)
    return found
