"""What an open question hides, so that the screen does not answer it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from inplace_tui.engine.lessons.kinds.kind import AskedQuestion
from inplace_tui.engine.lessons.kinds.registry import AnswersView
from inplace_tui.engine.session.view import Mask
from inplace_tui.model.facets import FACET_OF
from inplace_tui.model.lesson import Question, TensorClaim
from inplace_tui.model.snapshot import Snapshot
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline

_TELLTALE = {
    "shares": ("data_ptr", "base"),
    "apart": ("data_ptr", "base"),
    "view_of": ("storage",),
    "is_inference": ("requires_grad", "version"),
}
"""Field of a `TensorClaim` -> facets that give it away beside the one that shows it."""


def cells(question: Question) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for choice in question.choices:
        for name, claim in choice.when.tensors.items():
            facets = {facet for field in _given(claim) for facet in _facets(field)}
            found |= {(name, facet) for facet in facets}
            for other in (claim.shares, claim.apart, claim.view_of):
                if isinstance(other, str):
                    found |= {(other, "storage"), (other, "data_ptr")}
            if "grad" in facets:
                found.add((f"{name}.grad", "values"))
    return frozenset(found)


def gradients(snapshot: Snapshot) -> frozenset[tuple[str, str]]:
    """Return the cells of every gradient: in the row of its tensor, and in a row of its own."""
    own = {tensor.grad for tensor in snapshot.tensors.values() if tensor.grad is not None}
    names = {name for key in own if key in snapshot.tensors for name in snapshot.tensors[key].names}
    return frozenset({("*", "grad"), *((name, "values") for name in names)})


def mask(
    asked: Iterable[tuple[AskedQuestion[AnswersView], int | None]],
    snapshot: Snapshot,
    *,
    cursor: int,
) -> Mask:
    """Return what the unanswered questions hide at `cursor`.

    Args:
        asked: every question without an answer, with its gate; None where the
            run has not come to it.
        snapshot: what is there at the cursor.
        cursor: the step that ran last.
    """
    hidden: frozenset[tuple[str, str]] = frozenset()
    outcome = lines = False
    for question, gate in asked:
        outcome |= question.asks_outcome
        if gate is None or cursor < gate - 1:
            continue
        hidden |= cells(question.question)
        lines |= question.hides_lines
        if question.asks_outcome and cursor >= gate:
            hidden |= gradients(snapshot)
    return Mask(outcome=outcome, lines=lines, cells=hidden)


def withheld(step: Step) -> Step:
    """Return the step without what would answer the question."""
    return msgspec.structs.replace(step, raised=None, in_backward=False, events=())


def excerpt(timeline: Timeline, *, reachable: int, hidden_from: int) -> Timeline:
    """Return the part of a timeline that may be seen.

    Args:
        timeline: the whole of it.
        reachable: the last step of the part.
        hidden_from: the first step that is shown without its events and exception.
    """
    steps = timeline.steps[: reachable + 1]
    return timeline.excerpt(
        [step if step.index < hidden_from else withheld(step) for step in steps]
    )


def _facets(field: str) -> tuple[str, ...]:
    return (FACET_OF[field], *_TELLTALE.get(field, ()))


def _given(claim: TensorClaim) -> list[str]:
    return [name for name in claim.__struct_fields__ if getattr(claim, name) is not msgspec.UNSET]
