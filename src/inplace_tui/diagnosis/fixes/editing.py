"""Edits of a program's text at exact places: what is not meant stays as it was written."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inplace_tui.common.run.files import is_border, whole_lines
from inplace_tui.common.syntax import parse


class EditError(Exception):
    """The place does not allow this edit."""


@dataclass(frozen=True)
class Edit:
    """Put `text` where the characters from `start` to `end` are."""

    start: int
    end: int
    text: str


Edits: TypeAlias = Iterable["Edit | Iterable[Edit]"]
"""What is made only when it is applied, and may raise `EditError` then."""


class Text:
    """A program's text, and where the nodes of its syntax tree lie in it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = parse(source)
        self._lines = whole_lines(source)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self.newline = "\r\n" if "\r\n" in source else "\n"
        self.unit = _unit(self._lines)
        """What one level of indentation looks like."""

    def applied(self, edits: Edits) -> str:
        """Return the text with all the edits.

        Raises:
            EditError: two of them want the same characters, or nothing is changed.
        """
        source, last = self.source, len(self.source) + 1
        flat = [e for each in edits for e in ([each] if isinstance(each, Edit) else each)]
        placed = sorted(enumerate(flat), key=lambda pair: (pair[1].start, pair[1].end, pair[0]))
        for _, edit in reversed(placed):
            if edit.end > last:
                raise EditError("edits overlap")
            source = source[: edit.start] + edit.text + source[edit.end :]
            last = edit.start
        if source == self.source:
            raise EditError("nothing is changed")
        return source

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
        return self.at(node.lineno, node.col_offset), self.at(end_line, end_column)

    def at(self, line: int, column: int) -> int:
        """Return the place of a line and a column in UTF-8 bytes, as the tree has it."""
        ahead = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(ahead)

    def of(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def replace(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg, text: str) -> Edit:
        return Edit(*self.span(node), text)

    def append(self, node: ast.expr, text: str) -> list[Edit]:
        """Write `text` behind an expression, in parentheses if it would bind to a part of it."""
        start, end = self.span(node)
        if isinstance(node, _BOUND):
            return [Edit(end, end, text)]
        ahead, closes = self.source[:start], self.source[end : end + 1] == ")"
        if ahead.endswith("(") and closes and not re.search(r"[\w)\]]\($", ahead):  # not a call's
            return [Edit(end + 1, end + 1, text)]
        return [Edit(start, start, "("), Edit(end, end, f"){text}")]

    def cloned(self, node: ast.expr) -> str:
        """Return an expression with `.clone()` behind it."""
        text = self.of(node)
        return f"{text}.clone()" if isinstance(node, _BOUND) else f"({text}).clone()"

    def indent(self, statement: ast.stmt) -> str:
        return re.match(r"[ \t\f]*", self._lines[_first(statement) - 1])[0]  # type: ignore[index]

    def _opens_line(self, statement: ast.stmt) -> bool:
        line = _first(statement)
        column = 0 if line != statement.lineno else statement.col_offset
        return not self._lines[line - 1].encode()[:column].strip()

    def _closes_line(self, statement: ast.stmt) -> bool:
        _, end = self.span(statement)
        rest = self.source[end : self._starts[statement.end_lineno or 0]]
        return not rest.strip() or rest.lstrip().startswith("#")

    def before(self, statement: ast.stmt, line: str) -> Iterator[Edit]:
        if self._opens_line(statement):
            start = self._starts[_first(statement) - 1]
            yield Edit(start, start, f"{self.indent(statement)}{line}{self.newline}")
            return
        if hasattr(statement, "body"):
            raise EditError("a compound statement shares its line")
        start, _ = self.span(statement)
        yield Edit(start, start, f"{line}; ")

    def after(self, statement: ast.stmt, line: str) -> Iterator[Edit]:
        _, end = self.span(statement)
        if self._opens_line(statement) and self._closes_line(statement):
            end = self._starts[statement.end_lineno or 0]
            ended, text = self.source[:end].endswith(("\n", "\r")), self.indent(statement) + line
            yield Edit(end, end, f"{text}{self.newline}" if ended else f"{self.newline}{text}")
            return
        if hasattr(statement, "body"):
            raise EditError("a compound statement shares its line")
        yield Edit(end, end, f"; {line}")

    def block(self, first: ast.stmt, last: ast.stmt) -> tuple[int, int]:
        """Return where the whole lines of some statements begin and end, comments above included.

        Raises:
            EditError: they share a line with others.
        """
        if not (self._opens_line(first) and self._closes_line(last)):
            raise EditError("statements share a line")
        line, comment = _first(first) - 1, self.indent(first) + "#"
        while line and self._lines[line - 1].startswith(comment):
            if is_border(self._lines[line - 1]):
                break
            line -= 1
        return self._starts[line], self._starts[last.end_lineno or 0]

    def indented(self, start: int, end: int, *, old: str, new: str) -> str:
        """Return whole lines with another indentation; the insides of strings stay."""
        kept, lines = set[int](), []
        for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if token.type == tokenize.STRING:
                kept |= set(range(token.start[0] + 1, token.end[0] + 1))
        for number, at in enumerate(self._starts[:-1], start=1):
            if start <= at < end:
                line = self._lines[number - 1]
                moves = number not in kept and line.strip() and line.startswith(old)
                lines.append(new + line[len(old) :] if moves else line)
        text = "".join(lines)
        return text if text.endswith(("\n", "\r")) else text + self.newline

    def wrapped(self, first: ast.stmt, last: ast.stmt, header: str) -> Iterator[Edit]:
        """Put statements into a block of their own under `header`."""
        start, end = self.block(first, last)
        old = self.indent(first)
        body = self.indented(start, end, old=old, new=old + self.unit)
        yield Edit(start, end, f"{old}{header}{self.newline}{body}")

    def unwrapped(
        self, block: ast.With | ast.If | ast.Try, body: Sequence[ast.stmt] = ()
    ) -> Iterator[Edit]:
        """Put the statements of a block, or of one of its parts, in its place.

        Raises:
            EditError: they stand on the line of its header.
        """
        start, end = self.block(block, block)
        body = body or block.body
        first, last = self.block(body[0], body[-1])
        inner, outer = self.indent(body[0]), self.indent(block)
        yield Edit(start, end, self.indented(first, last, old=inner, new=outer))

    def removed(self, statement: ast.stmt) -> Iterator[Edit]:
        yield Edit(*self.block(statement, statement), "")

    def moved(
        self, statements: Sequence[ast.stmt], goal: ast.stmt, *, behind: bool = False
    ) -> Iterator[Edit]:
        """Put some statements before another one, or behind it."""
        for each in statements:
            yield from self.removed(each)
        yield from self.repeated(statements, goal, behind=behind)

    def repeated(
        self, statements: Iterable[ast.stmt], goal: ast.stmt, *, behind: bool = False
    ) -> Iterator[Edit]:
        """Write some statements once more, before another one or behind it."""
        new = self.indent(goal)
        blocks = [(*self.block(each, each), self.indent(each)) for each in statements]
        lines = "".join(self.indented(start, end, old=old, new=new) for start, end, old in blocks)
        place = self.block(goal, goal)[behind]
        if behind and not self.source[:place].endswith(("\n", "\r")):
            lines = self.newline + lines.rstrip("\r\n")
        yield Edit(place, place, lines)


_BOUND = ast.Name | ast.Attribute | ast.Subscript | ast.Call
"""What a method's name can follow without parentheses."""


def _first(statement: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _unit(lines: list[str]) -> str:
    for line in lines:
        white = line[: len(line) - len(line.lstrip(" \t"))]
        if white and line.strip() and not line.strip().startswith("#"):
            return "\t" if white.startswith("\t") else " " * min(len(white), 8)
    return "    "
