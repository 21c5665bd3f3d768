"""What a rewrite proposes, and the candidate that this becomes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from inplace_tui.common.local_text import in_each
from inplace_tui.common.problems import fill
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.syntax import compiled, parsed, read_too_early
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.fixes import COMPUTES, TITLES
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import EditError, Edits
from inplace_tui.diagnosis.fixes.expressions import set_argument
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.kinds import BETWEEN_ROUNDS, CUTS, OWN_TRUTH


@dataclass(frozen=True)
class Proposal:
    """Edits that might help; the place may not allow them. See `Candidate` for its fields."""

    kind: str
    statement: ast.stmt
    """The one that the fix is about."""

    edits: Edits
    traits: dict[str, Any]
    values: dict[str, object]
    """They fill the holes of its title."""

    def candidate(self, site: FaultSite) -> Candidate | None:
        """Return the edited program; None if the place does not allow the edits."""
        try:
            source = site.text.applied(self.edits)
            compiled(source)
        except (EditError, SyntaxError):
            return None
        if not read_too_early(parsed(source)) <= site.read_early:
            return None  # a name is not bound yet where a line stands now
        values = {name: _in_backticks(value) for name, value in self.values.items()}
        if isinstance(line := values.get("line"), int):
            values["line"] = line_name(site.text.source, line)
        freed = site.verdict is Verdict.GRAPH_FREED
        is_measure_lost = not (freed and self.kind in BETWEEN_ROUNDS)
        return Candidate(
            kind=self.kind,
            title=fill(TITLES[self.kind], **values),
            line=self.statement.lineno,
            source=source,
            own_truth=self.kind in OWN_TRUTH and is_measure_lost,
            usual=self.kind in COMPUTES and is_measure_lost,
            **self.traits,
        )


def _in_backticks(value: object) -> object:
    """Return several names so that each has backticks; the title has the first and the last."""
    if not isinstance(value, tuple):
        return value
    each = [f"`{name}`" for name in value]
    return in_each(lambda language: list_of(each, language)[1:-1])


Rewrite = Callable[[FaultSite], Iterator[Proposal]]


def propose(
    kind: str,
    statement: ast.stmt,
    edits: Edits,
    *,
    cost: Tensor | int | None = 0,
    cuts: bool = False,
    rebuilt: tuple[str, ...] = (),
    **values: object,
) -> Proposal:
    """Return edits of a kind, with what `Candidate` says of them; `cost` may be what is copied."""
    traits = {
        "cost_bytes": cost if isinstance(cost, int) else copied_bytes(cost),
        "cuts": cuts or kind in CUTS,
        "rebuilt": rebuilt,
    }
    return Proposal(kind, statement, edits, traits, values)


def append(
    site: FaultSite,
    kind: str,
    places: Sequence[ast.expr],
    ending: str,
    /,
    *more: Edits,
    **traits: Any,
) -> Proposal:
    """Propose to write `.clone()`, or another ending, behind some expressions of a statement."""
    traits = {"name": tuple(dict.fromkeys(map(site.text.of, places)))} | traits
    edits = chain(*(site.text.append(each, ending) for each in places), *more)
    return propose(kind, site.statement_of(places[0]), edits, **traits)


def rebind(
    site: FaultSite, kind: str, statement: ast.stmt, part: ast.expr, ending: str, /, **traits: Any
) -> Proposal:
    """Propose `x = x.clone()`, or another ending, before a statement."""
    name = site.text.of(part)
    edits = site.text.before(statement, f"{name} = {name}{ending}")
    return propose(kind, statement, edits, name=name, **traits)


def set_option(
    site: FaultSite, kind: str, calls: Sequence[ast.Call], option: str, value: str, /, **traits: Any
) -> Proposal:
    """Propose a keyword argument of some calls."""
    edits = [set_argument(site, each, option, value) for each in calls]
    return propose(kind, site.statement_of(calls[0]), edits, **traits)
