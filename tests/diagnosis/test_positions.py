"""Where instructions stand: from CPython from 3.11 on, from a numbered copy on 3.10.

The syntax tree is the oracle for both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from inplace_tui.diagnosis.record.code.instructions import Source
from inplace_tui.diagnosis.record.compat import Placed

FIRST = '''"""A file that comes before."""
from __future__ import annotations
import torch
a = torch.ones(2).mul_(3); b = a.add_(1)
'''
SECOND = '''"""The file that is looked at: every way to write, with jumps between."""
from __future__ import annotations

class Net:
    factor: int = min(2, 3)

    def forward(self, x, items, *rest, **named):
        x += self.gain(x)
        x[0], x[1:] = self.f(1), self.f(2)
        x.data = self.g(
            x.exp().mul_(2),
            *rest,
        )
        (
            x
            .add_(1)
            .mul_(2, alpha=3)
        )
        for each in items:
            while each.ready():
                each.data.zero_()
                if x.any() and not each.done(): continue
                break
            else:
                each.fill_(1)
        with self.scope(x) as q, self.scope(q):
            q.zero_(); x.sub_(q)
        try:
            out = [z.add_(1) for z in items if z.ok()] + list(map(lambda v: v.mul_(2), items))
        except (ValueError, self.Error) as error:
            raise self.wrong(error) from None
        finally:
            self.close(**named)
        return f"{x.sum():.2f}" if x.any() else self.forward(x, (y.neg_() for y in items))

async def read(source):
    async for part in source.parts():
        await part.take_(0)
'''


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _end(each: Placed, shift: int) -> tuple[int | None, int | None]:
    place = None if each.place is None else each.place.below(shift)
    return (None, None) if place is None else (place.end_line, place.end_column)


def test_calls_and_writes_stand_where_the_syntax_tree_has_them() -> None:
    tree, shift = ast.parse(FIRST + SECOND), FIRST.count("\n")
    places = Source(tree, (0, shift))
    found: dict[str, set[tuple[int | None, int | None]]] = {}
    for text, before in ((FIRST, 0), (SECOND, shift)):
        for code in _codes(compile(text, "file", "exec", dont_inherit=True)):
            for each in places.instructions(code, before):
                found.setdefault(each.opname, set()).add(_end(each, before))

    nodes = list(ast.walk(tree))
    calls = {(n.end_lineno, n.end_col_offset) for n in nodes if isinstance(n, ast.Call)}
    stored = {
        (n.end_lineno, n.end_col_offset)
        for n in nodes
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    named = {
        (n.end_lineno, n.end_col_offset)
        for n in nodes
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    added = {(n.end_lineno, n.end_col_offset) for n in nodes if isinstance(n, ast.AugAssign)}
    made = found["CALL"] | found.get("CALL_FUNCTION_EX", set()) | found.get("CALL_KW", set())
    assert calls <= made
    assert stored <= found["STORE_SUBSCR"] | found.get("STORE_SLICE", set())
    assert named <= found["STORE_ATTR"]
    assert added <= found["BINARY_OP"]
