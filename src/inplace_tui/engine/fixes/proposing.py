"""How rewrites make candidates."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator

from inplace_tui.engine.fixes.editing import EditError, Edits
from inplace_tui.engine.fixes.fault_site import FaultSite
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.problems import fill
from inplace_tui.texts.fixes import TITLES

Rewrite = Callable[[FaultSite], Iterator[Candidate]]


def propose(
    site: FaultSite,
    kind: str,
    statement: ast.stmt,
    edits: Edits,
    *,
    cost: int = 0,
    cuts: bool = False,
    consumed: bool = False,
    own_truth: bool = False,
    **values: object,
) -> Iterator[Candidate]:
    """Yield the edited program, unless the place does not allow the edits.

    Args:
        site: what is edited.
        kind: key of the title; `values` fill its holes.
        statement: the one that the fix is about.
        edits: of its text.
        cost: bytes that are copied.
        cuts: whether autograd no longer sees something.
        consumed: see `Candidate`.
        own_truth: see `Candidate`.
        values: for the title.
    """
    try:
        source = site.text.applied(edits)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "fix", "exec", dont_inherit=True)
    except (EditError, SyntaxError, ValueError):
        return
    yield Candidate(
        kind=kind,
        title=fill(TITLES[kind], **values),
        line=statement.lineno,
        source=source,
        cost_bytes=cost,
        cuts=cuts,
        consumed=consumed,
        own_truth=own_truth,
    )
