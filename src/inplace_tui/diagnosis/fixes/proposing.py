"""What a rewrite proposes, and the candidate that this becomes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from inplace_tui.common.local_text import in_each
from inplace_tui.common.problems import fill
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.probes import Span
from inplace_tui.common.syntax import compiled, parsed, read_too_early
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.fixes import COMPUTES, TITLES
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import EditError, Edits
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, span_of
from inplace_tui.diagnosis.fixes.kinds import BETWEEN_ROUNDS, CUTS, OWN_TRUTH

Proposal: TypeAlias = Callable[[FaultSite], Candidate | None]
"""Makes the edited program; None if the place does not allow the edits."""

Rewrite: TypeAlias = Callable[[FaultSite], Iterator[Proposal]]


def propose(
    kind: str,
    statement: ast.stmt,
    edits: Edits,
    *,
    cost: int = 0,
    rebuilt: tuple[str, ...] = (),
    copied: tuple[Span, ...] = (),
    **values: object,
) -> Proposal:
    """Propose edits that a statement is about; `values` fill the holes of the kind's title."""

    def candidate(site: FaultSite) -> Candidate | None:
        try:
            source = site.text.applied(edits)
            compiled(source)
        except (EditError, SyntaxError):
            return None
        if not read_too_early(parsed(source)) <= site.read_early:
            return None  # a name is not bound yet where a line stands now, in a loop's first round
        shown = {name: _in_backticks(value) for name, value in values.items()}
        if isinstance(line := shown.get("line"), int):
            shown["line"] = line_name(site.text.source, line)
        freed = site.verdict is Verdict.GRAPH_FREED
        is_measure_lost = not (freed and kind in BETWEEN_ROUNDS)
        return Candidate(
            kind=kind,
            title=fill(TITLES[kind], **shown),
            line=statement.lineno,
            source=source,
            own_truth=kind in OWN_TRUTH and is_measure_lost,
            usual=kind in COMPUTES and is_measure_lost,
            cost_bytes=cost,
            cuts=kind in CUTS,
            rebuilt=rebuilt,
            copied=copied,
        )

    return candidate


def _in_backticks(value: object) -> object:
    """Return several names so that each has backticks; the title has the first and the last."""
    if not isinstance(value, tuple):
        return value
    each = [f"`{name}`" for name in value]
    return in_each(lambda language: list_of(each, language)[1:-1])


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
    if ending == ".clone()" and "name" not in traits:
        traits["copied"] = tuple(map(span_of, places))
        traits["cost"] = sum(site.bytes_of(each, site.statement_of(each)) for each in places)
    names = dict.fromkeys(site.text.of(site.bound_to(each)) for each in places)
    traits = {"name": tuple(names)} | traits
    edits = chain(*(site.text.append(each, ending) for each in places), *more)
    return propose(kind, site.statement_of(places[0]), edits, **traits)


def fewer_copies(site: FaultSite, candidate: Candidate) -> list[Candidate]:
    """Return what is left if one of several copies is not made, for each of them."""
    places = list(filter(None, map(site.expressions.get, candidate.copied)))
    rest = ([e for e in places if e is not dropped] for dropped in places if len(places) > 1)
    found = (append(site, candidate.kind, kept, ".clone()")(site) for kept in rest)
    return list(filter(None, found))


def clone_before(site: FaultSite, statement: ast.stmt, part: ast.expr) -> Proposal:
    """Propose `x = x.clone()` before a statement that writes it."""
    name, cost = site.text.of(part), site.bytes_of(part, statement)
    edits = site.text.before(statement, f"{name} = {name}.clone()")
    return propose("copy_first", statement, edits, cost=cost, name=name)


def set_option(
    site: FaultSite, kind: str, calls: Sequence[ast.Call], option: str, value: str, /, **traits: Any
) -> Proposal:
    """Propose a keyword argument of some calls."""
    edits = [site.set_argument(each, option, value) for each in calls]
    return propose(kind, site.statement_of(calls[0]), edits, **traits)
