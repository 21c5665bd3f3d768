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
from inplace_tui.common.run.probes import Span
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.syntax import compiled, parsed, read_too_early
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.fixes import COMPUTES, TITLES
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import EditError, Edits
from inplace_tui.diagnosis.fixes.expressions import bound_to, set_argument
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes, span_of
from inplace_tui.diagnosis.fixes.kinds import ADDS_UP, BETWEEN_ROUNDS, CUTS, OWN_TRUTH


@dataclass(frozen=True)
class Proposal:
    """Edits that might help; the place may not allow them. See `Candidate` for its fields."""

    kind: str
    statement: ast.stmt
    """The one that the fix is about."""

    edits: Edits
    values: dict[str, object]
    """They fill the holes of its title."""

    cost: Tensor | int | None
    """Bytes, or what is copied."""

    cuts: bool
    adds_up: bool
    rebuilt: tuple[str, ...]
    copied: tuple[Span, ...]

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
            cost_bytes=self.cost if isinstance(self.cost, int) else copied_bytes(self.cost),
            cuts=self.cuts or self.kind in CUTS,
            adds_up=self.adds_up or self.kind in ADDS_UP,
            rebuilt=self.rebuilt,
            copied=self.copied,
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
    adds_up: bool = False,
    rebuilt: tuple[str, ...] = (),
    copied: tuple[Span, ...] = (),
    **values: object,
) -> Proposal:
    return Proposal(kind, statement, edits, values, cost, cuts, adds_up, rebuilt, copied)


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
    if ending == ".clone()" and not more and "name" not in traits:
        traits["copied"] = tuple(map(span_of, places))
    names = dict.fromkeys(site.text.of(bound_to(site, each)) for each in places)
    traits = {"name": tuple(names)} | traits
    edits = chain(*(site.text.append(each, ending) for each in places), *more)
    return propose(kind, site.statement_of(places[0]), edits, **traits)


def fewer_copies(site: FaultSite, candidate: Candidate) -> list[Candidate]:
    """Return what is left if one of several copies is not made, for each of them."""
    places = list(filter(None, map(site.expression, candidate.copied)))
    found: list[Candidate | None] = []
    for dropped in places if len(places) > 1 else ():
        kept = [each for each in places if each is not dropped]
        cost = sum(site.bytes_of(each, site.statement_of(each)) for each in kept)
        found.append(append(site, candidate.kind, kept, ".clone()", cost=cost).candidate(site))
    return list(filter(None, found))


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
