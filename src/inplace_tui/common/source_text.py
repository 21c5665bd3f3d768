"""What a program's text says of a line: the names it reads, the writes it spells out.

A write that torch refuses leaves no event: what it would have written to, and
with which op, stands only in the program.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from inplace_tui.common.syntax import DOTTED, function_classes, innermost_statement, nodes, parsed


def names_in(source: str, line: int | None) -> list[str]:
    """Return the dotted names that the statement on `line` reads."""
    parts = nodes(ast.expr, statement_on(source, line))
    return list(dict.fromkeys(ast.unparse(each) for each in parts if isinstance(each, DOTTED)))


def statement_on(source: str, line: int | None) -> ast.stmt | None:
    """Return the innermost statement that `line` belongs to; None if there is none."""
    return innermost_statement(parsed(source), line)


AUGMENTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add_", "__iadd__"),
    ast.Sub: ("sub_", "__isub__"),
    ast.Mult: ("mul_", "__imul__"),
    ast.Div: ("div_", "__itruediv__"),
    ast.FloorDiv: ("floor_divide_", "__ifloordiv__"),
    ast.Mod: ("remainder_", "__imod__"),
    ast.Pow: ("pow_", "__ipow__"),
    ast.MatMult: ("__imatmul__", "__imatmul__"),
    ast.BitAnd: ("bitwise_and_", "__iand__"),
    ast.BitOr: ("bitwise_or_", "__ior__"),
    ast.BitXor: ("bitwise_xor_", "__ixor__"),
    ast.LShift: ("bitwise_left_shift_", "__ilshift__"),
    ast.RShift: ("bitwise_right_shift_", "__irshift__"),
}
"""What `x += y` calls, where `x` is a tensor and where it is not."""

METHODS = {operator: method for method, operator in AUGMENTED.values()}
"""The op of an operator: `mul_` for `__imul__`."""


@dataclass(frozen=True)
class SpelledWrite:
    """One write, as it is spelled."""

    target: str
    """The expression that is written to: `w`, `self.weight`; of `w[0] = 1`, `w`."""

    op: str
    """As a `Mutation` says it: `Tensor.add_`, `Tensor.__setitem__`."""


def writes_on(source: str, line: int) -> list[SpelledWrite]:
    """Return the writes of the statement that begins on `line`, in the order of its text.

    An empty list where the program can't be parsed, or the line only calls
    something else that writes.
    """
    found = [
        write
        for statement in nodes(ast.stmt, parsed(source))
        if statement.lineno == line
        for part in ast.walk(statement)
        if getattr(part, "lineno", line) == line
        for write in _writes(part)
    ]
    return list(dict.fromkeys(found))


def _writes(part: ast.AST) -> list[SpelledWrite]:
    match part:
        case ast.AugAssign(target=target, op=operator):
            return [SpelledWrite(_root(target), f"Tensor.{AUGMENTED[type(operator)][0]}")]
        case ast.Assign(targets=targets):
            subscripts = [target for target in targets if isinstance(target, ast.Subscript)]
            return [SpelledWrite(_root(target), "Tensor.__setitem__") for target in subscripts]
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if _in_place(name):
            return [SpelledWrite(_root(value), f"Tensor.{name}")]
        case ast.Call(func=function, keywords=keywords):
            op = f"{ast.unparse(function)}(out=)"
            return [SpelledWrite(_root(each.value), op) for each in keywords if each.arg == "out"]
        case _:  # of all there is in a syntax tree, nothing else writes
            return []


def _in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target)


def gradients_read_on(source: str, line: int) -> list[str]:
    on_line = (each for each in nodes(ast.Attribute, parsed(source)) if each.lineno == line)
    return list(dict.fromkeys(ast.unparse(e.value) for e in on_line if e.attr == "grad"))


def backward_of(source: str, line: int) -> str | None:
    """Return the class of the custom Function whose `backward` a line is in, if it is in one."""
    found = _backward_around(source, line)
    return None if found is None else found[0].name


def context_in_backward(source: str, line: int) -> str | None:
    """Return what the `backward` of a custom Function that a line is in calls its context."""
    found = _backward_around(source, line)
    arguments = [] if found is None else found[1].args.args
    return arguments[0].arg if arguments else None


def _backward_around(source: str, line: int) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    found = (e for e in _backwards(source) if e[1].lineno <= line <= (e[1].end_lineno or line))
    return next(found, None)


@lru_cache(maxsize=8)
def _backwards(source: str) -> tuple[tuple[ast.ClassDef, ast.FunctionDef], ...]:
    """Return each `backward` of a custom Function, with its class; many lines are asked for."""
    return tuple(
        (owner, method)
        for owner in function_classes(parsed(source))
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name == "backward"
    )


def line_text(source: str, line: int) -> str:
    """Return a line of a program as it is written; empty if there is none."""
    lines = source.split("\n")
    return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""


_PIECE = re.compile(
    r"""(?P<string>(\"{3}|'{3}).*?(?:\2|$)|(["'])(?:\\.|(?!\3).)*\3?)|(?P<comment>\#.*)|\s+"""
)
"""What is kept of a quoted line, what is left out, and what becomes one blank."""


def without_comment(text: str) -> str:
    """Return a line up to the comment behind it; a line that is all comment stays."""
    comments = (each.start() for each in _PIECE.finditer(text) if each["comment"])
    return text[: next(comments, None)].rstrip() or text


def quoted_text(text: str) -> str:
    """Return a line as it is quoted: without indentation, comment and runs of blanks.

    >>> [quoted_text(text) for text in ("    h  +=  x    # late", "s = 'a  #b'", "  # alone")]
    ['h += x', "s = 'a  #b'", '# alone']
    """
    return _PIECE.sub(
        lambda each: each["string"] or each["comment"] or " ", without_comment(text)
    ).strip()


def quoted_line(source: str, line: int) -> str:
    """Return a line of a program as it is quoted."""
    return quoted_text(line_text(source, line))
