"""What a rewrite proposes, and the candidate that this becomes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from inplace_tui.common.local_text import in_each
from inplace_tui.common.problems import fill
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.syntax import compiled, parsed, read_too_early
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.fixes import TITLES
from inplace_tui.diagnosis.fixes.editing import EditError, Edits
from inplace_tui.diagnosis.fixes.fault_site import FaultSite


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
        return Candidate(
            kind=self.kind,
            title=fill(TITLES[self.kind], **values),
            line=self.statement.lineno,
            source=source,
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
    cost: int = 0,
    cuts: bool = False,
    consumed: bool = False,
    own_truth: bool = False,
    usual: bool = False,
    adds_up: bool = False,
    rebuilt: tuple[str, ...] = (),
    **values: object,
) -> Proposal:
    traits = {
        "cost_bytes": cost,
        "cuts": cuts,
        "consumed": consumed,
        "own_truth": own_truth,
        "usual": usual,
        "adds_up": adds_up,
        "rebuilt": rebuilt,
    }
    return Proposal(kind, statement, edits, traits, values)
