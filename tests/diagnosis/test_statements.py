from __future__ import annotations

import ast

import pytest

from inplace_tui.diagnosis.record.code.instructions import Source, Statement


def lines(source: str) -> list[tuple[int, int]]:
    statements = Source(ast.parse(source))
    found = [statements.statement(n + 1) for n in range(len(source.splitlines()))]
    return [(s.line, s.end_line) for s in dict.fromkeys(found)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = 1\nb = 2", [(1, 1), (2, 2)]),
        ("a = 1; b = 2", [(1, 1)]),
        ("a = (\n  1\n)", [(1, 3)]),
        ("a = (\n  1); b = 2\nc = 3", [(1, 2), (3, 3)]),
        ("for i in range(3): a = i", [(1, 1)]),
        ("for i in (\n  1,\n  2,\n):\n  a = i", [(1, 4), (5, 5)]),
        ("with a as b:\n  c", [(1, 1), (2, 2)]),
        ("@d\n@e(\n  1)\ndef f(x,\n      y=1):\n  return x", [(1, 5), (6, 6)]),
        ("if a:\n  b\nelif c:\n  d\nelse:\n  e", [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)]),
        ("try:\n  a\nexcept (B,\n  C):\n  d", [(1, 1), (2, 2), (3, 4), (5, 5)]),
        ("match a:\n  case [\n    1\n  ] if b:\n    c", [(1, 1), (2, 4), (5, 5)]),
        ("class A(\n  B):\n  c = 1", [(1, 2), (3, 3)]),
    ],
)
def test_a_step_is_a_statement_or_the_header_of_one(
    source: str, expected: list[tuple[int, int]]
) -> None:
    assert lines(source) == expected


def test_the_first_statement_is_where_a_program_starts() -> None:
    source = "# a comment\n\n@d\ndef f(): pass\n"

    assert Source(ast.parse(source)).first == Statement(3, 4)


def test_a_program_without_statements_starts_nowhere() -> None:
    assert Source(ast.parse("# nothing\n")).first is None
