"""Where on a line the expression stands that did something."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplace_tui.common.run.step import Mutation
from inplace_tui.common.source_text import line_text, statement_on

_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("add",),
    ast.Sub: ("sub", "rsub"),
    ast.Mult: ("mul",),
    ast.Div: ("div", "reciprocal"),
    ast.Pow: ("pow",),
    ast.MatMult: ("mm", "mv", "dot", "bmm", "matmul", "addmm", "unsafeview"),
}
"""Words in the names of the nodes that an operator makes."""

_NODE_SUFFIX = re.compile(r"(Backward\d*|ScalarMode)$")


@dataclass(frozen=True)
class SourceRange:
    """A part of one line; columns in characters, from 0."""

    line: int
    start: int
    end: int


def line_range(source: str, line: int) -> SourceRange:
    """Return all of a line but its indentation and the comment behind it."""
    text = line_text(source, line)
    start = len(text) - len(text.lstrip())
    return SourceRange(line, start, max(start, len(_without_comment(text).rstrip())))


def write_range(source: str, write: Mutation) -> SourceRange:
    """Return the expression that wrote; the whole line where that is not known."""
    if write.column is None:
        return line_range(source, write.line)
    text = line_text(source, write.line)
    encoded = text.encode()
    start = len(encoded[: write.column].decode(errors="ignore"))
    last = write.end_column if write.end_line in {None, write.line} else None
    end = len(text.rstrip()) if last is None else len(encoded[:last].decode(errors="ignore"))
    return SourceRange(write.line, start, end) if start < end else line_range(source, write.line)


def save_range(source: str, line: int, node: str) -> SourceRange:
    """Return the expression that made a node; the whole line if it can't be singled out."""
    word = _NODE_SUFFIX.sub("", node).lower()
    found = [each for each in _expressions(source, line) if _can_make(each, word)]
    return _range_of(source, line, found)


def backward_range(source: str, line: int) -> SourceRange:
    """Return the call of `backward` or `grad` on a line; the whole line if there is not one."""
    found = [
        each
        for each in _expressions(source, line)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in {"backward", "grad"}
    ]
    return _range_of(source, line, found)


def _range_of(source: str, line: int, found: Sequence[ast.expr]) -> SourceRange:
    if len(found) != 1:
        return line_range(source, line)
    expression = found[0]
    encoded = line_text(source, line).encode()
    start = len(encoded[: expression.col_offset].decode(errors="ignore"))
    if expression.end_lineno != line:
        return SourceRange(line, start, line_range(source, line).end)
    return SourceRange(
        line, start, len(encoded[: expression.end_col_offset].decode(errors="ignore"))
    )


def _expressions(source: str, line: int) -> Iterator[ast.expr]:
    statement = statement_on(source, line)
    for part in () if statement is None else ast.walk(statement):
        if isinstance(part, ast.Call | ast.BinOp) and part.lineno == line:
            yield part


def _can_make(expression: ast.expr, word: str) -> bool:
    """Whether an expression can have made a node of this name."""
    if isinstance(expression, ast.BinOp):
        return word in _OPERATORS.get(type(expression.op), ())
    assert isinstance(expression, ast.Call)
    function = expression.func
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    name = name.replace("_", "").lower()
    return bool(name) and (word in {name, f"{name}0"} or word.startswith(f"{name}bac"))


def _without_comment(text: str) -> str:
    try:
        for token in tokenize.generate_tokens(iter([text.strip()]).__next__):
            if token.type == tokenize.COMMENT and token.start[1]:
                return text[: len(text) - len(text.lstrip()) + token.start[1]]
    except (tokenize.TokenError, SyntaxError):
        return text  # it goes on in the next line, where its comment would be
    return text
