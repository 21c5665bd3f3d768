"""Names on lines of code (`#@ name`), and programs with statements swapped.

Steps and claims hang on these names, never on line numbers, so that a line
added at the top of a program moves nothing.
"""

from __future__ import annotations

import ast
import functools
import io
import itertools
import re
import textwrap
import tokenize
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.syntax import compiled, parse
from inplace_tui.common.texts.authoring import AuthoringTexts

NAMED_LINE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A line of code in a hint: `{anchor}`."""

_NAME = re.compile(r"#@\s*([a-z][a-z0-9_]*)\s*")


@dataclass(frozen=True)
class StatementSpan:
    """A statement's lines; a compound one's with its whole body."""

    first: int
    last: int
    indent: int
    header: int
    """Last line of the statement, or of a compound one's header: the anchor's line."""

    alone: bool = False
    """It shares its block with no other statement."""


@dataclass(frozen=True)
class AnchoredCode:
    """A program and the names of its lines."""

    code: str
    """Without the anchors: what is shown and run."""

    anchors: dict[str, int]
    """Name to the first line of its statement."""

    spans: dict[str, StatementSpan]


@dataclass(frozen=True)
class CodeProblem:
    """Something wrong at a place of the code, both counted from 1."""

    line: int
    column: int
    text: LocalText


def syntax_error(code: str) -> CodeProblem | None:
    try:
        _tree(code)
    except SyntaxError as error:
        lines = code.count("\n") + 1
        line = min(error.lineno or 1, lines)
        return CodeProblem(line, error.offset or 1, fill(AuthoringTexts.not_python, why=error.msg))
    return None


@functools.lru_cache(maxsize=1)  # whether it is Python is asked first, and then for its statements
def _tree(code: str) -> ast.Module:
    tree = parse(code)
    compiled(tree)  # `return` outside a function
    return tree


def find_anchors(code: str) -> tuple[AnchoredCode, list[CodeProblem]]:
    """Return the program without its anchors, and where each of them is."""
    comments = list(_comments(code))
    statements = _statements(code)
    anchors: dict[str, int] = {}
    spans: dict[str, StatementSpan] = {}
    problems: list[CodeProblem] = []
    for comment in comments:
        name = _name(comment, statements, anchors)
        if isinstance(name, LocalText):
            problems.append(CodeProblem(comment.line, comment.column + 1, name))
            continue
        span = next(s for s in statements if comment.begins <= s.first <= comment.line)
        spans[name] = replace(span, header=comment.line)
        anchors[name] = span.first
    lines = code.split("\n")
    for comment in comments:
        lines[comment.line - 1] = lines[comment.line - 1][: comment.column].rstrip()
    return AnchoredCode("\n".join(lines), anchors, spans), problems


def name_statements(code: str) -> AnchoredCode:
    """Return a program with a name for each line that begins a statement: `l7`."""
    spans: dict[str, StatementSpan] = {}
    statements = sorted(_statements(code), key=lambda span: (span.first, -span.last))
    for span, following in itertools.pairwise([*statements, None]):
        assert span is not None
        # A compound statement's body begins below its header.
        inside = following is not None and following.first <= span.last
        header = following.first - 1 if following is not None and inside else span.last
        spans.setdefault(f"l{span.first}", replace(span, header=max(span.first, header)))
    return AnchoredCode(code, {name: span.first for name, span in spans.items()}, spans)


@dataclass(frozen=True)
class _Comment:
    text: str
    line: int
    column: int
    begins: int
    """First line of the logical line that it ends."""

    ends_it: bool


def _comments(code: str) -> Iterator[_Comment]:
    """Yield every `#@`, alone or at the end of a comment for people."""
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    blank = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT)
    begins: int | None = None
    for token, following in itertools.pairwise(tokens):
        if token.type == tokenize.NEWLINE:
            begins = None
        elif token.type == tokenize.COMMENT and "#@" in token.string:
            line, column = token.start
            mark = token.string.rindex("#@")
            ends_it = begins is not None and following.type == tokenize.NEWLINE
            yield _Comment(token.string[mark:], line, column + mark, begins or line, ends_it)
        elif begins is None and token.type not in blank:
            begins = token.start[0]


def _statements(code: str) -> list[StatementSpan]:
    found: list[StatementSpan] = []
    parents = deque[ast.AST]([_tree(code)])
    while parents:
        parent = parents.popleft()
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(parent, block, [])
            alone = len(statements) == 1 and not isinstance(parent, ast.Module)
            for each in statements:
                end = each.end_lineno or each.lineno
                found.append(StatementSpan(each.lineno, end, each.col_offset, end, alone))
            parents += statements
        for clauses in ("handlers", "cases"):
            parents += getattr(parent, clauses, [])
    return found


def _name(
    comment: _Comment, statements: list[StatementSpan], known: Mapping[str, int]
) -> str | LocalText:
    """Return the name that a comment gives to its line, or what is wrong with it."""
    match = _NAME.fullmatch(comment.text)
    if match is None:
        return fill(AuthoringTexts.anchor_syntax, comment=comment.text)
    name = match.group(1)
    here = [each for each in statements if comment.begins <= each.first <= comment.line]
    if not comment.ends_it or not here:
        return fill(AuthoringTexts.anchor_place, name=name)
    if len(here) > 1:
        return fill(AuthoringTexts.anchor_crowd, name=name, count=len(here))
    if name in known:
        return fill(AuthoringTexts.anchor_twice, name=name, line=known[name])
    return name


def place_in_order(code: str, line: int) -> int | None:
    """Return the place of a line's step if each line runs once, one after the other.

    Where there is anything that could run a line twice, or not at all, or lines
    of its own, only a run can say: None.
    """
    tree = _tree(code)
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom)
    branching = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    if not all(isinstance(statement, simple) for statement in tree.body):
        return None
    if any(isinstance(node, branching) for node in ast.walk(tree)):
        return None
    lines = sorted({statement.lineno for statement in tree.body})
    return lines.index(line) if line in lines else None


def nested(anchored: AnchoredCode, names: list[str]) -> tuple[str, str] | None:
    """Return (inner, outer) if one of the statements lies inside another."""
    for inner, outer in itertools.permutations(names, 2):
        ours, theirs = anchored.spans[inner], anchored.spans[outer]
        if theirs.first <= ours.first and ours.last <= theirs.last:
            return inner, outer
    return None


def swapped(anchored: AnchoredCode, swap: Mapping[str, str]) -> str:
    """Return the program, anchors and all, with whole statements replaced.

    The new statement keeps the indentation, and the name unless it brings
    anchors of its own. An empty one deletes; alone in its block, `pass` stays.
    None of the statements, which are named by their anchors, lies inside another.
    """
    lines = with_anchors(anchored)
    for name in sorted(swap, key=lambda each: -anchored.spans[each].first):
        span = anchored.spans[name]
        new = textwrap.dedent(swap[name]).strip("\n")
        if not new.strip():
            new = "pass" if span.alone else ""
        elif "#@" not in new:
            new = _named(new, name)
        indented = textwrap.indent(new, " " * span.indent)
        lines[span.first - 1 : span.last] = indented.split("\n") if new else []
    return "\n".join(lines)


def with_anchors(anchored: AnchoredCode) -> list[str]:
    """Return the lines of the program as its author wrote them, but for the spacing."""
    lines = anchored.code.split("\n")
    for name, span in anchored.spans.items():
        lines[span.header - 1] += f"  #@ {name}"
    return lines


def _named(statement: str, name: str) -> str:
    """Put the anchor on the first logical line, if there is one statement on it."""
    if syntax_error(statement) is not None:
        return statement
    tokens = tokenize.generate_tokens(io.StringIO(statement).readline)
    last = next((token.start[0] for token in tokens if token.type == tokenize.NEWLINE), 1)
    if sum(each.first <= last for each in _statements(statement)) != 1:
        return statement
    lines = statement.split("\n")
    lines[last - 1] += f"  #@ {name}"
    return "\n".join(lines)
