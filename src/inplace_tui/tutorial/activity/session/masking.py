"""What an open question hides, so that the screen does not answer it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from inplace_tui.common.run.facets import FACET_OF
from inplace_tui.common.run.snapshot import Snapshot
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.view import Mask
from inplace_tui.tutorial.course.lesson import Claim, Question, TensorClaim
from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
from inplace_tui.tutorial.course.lessons.kinds.registry import AnswersView

NOTHING = Mask()
_TELLTALE = {
    "shares": ("data_ptr", "base"),
    "apart": ("data_ptr", "base"),
    "view_of": ("storage",),
    "is_inference": ("requires_grad", "version"),
}
"""Field of a `TensorClaim` -> facets that give it away beside the one that shows it."""


def covers(claims: Iterable[Claim]) -> tuple[bool, bool]:
    """Return whether what was saved, and what was written, would answer a question.

    Who saved is read from the saves, who changed from the writes, and whether it fails
    from both, side by side.
    """
    saves = writes = False
    for claim in claims:
        parts = (claim.ends, claim.grads, claim.match, claim.raised_by)
        fails = any(part is not None for part in parts)
        saves |= fails or claim.saved_by is not None
        writes |= fails or claim.changed_by is not None
    return saves, writes


def cells(question: Question) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for choice in question.choices:
        for name, claim in choice.when.tensors.items():
            facets = {
                facet
                for field in _given(claim)
                for facet in (FACET_OF[field], *_TELLTALE.get(field, ()))
            }
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
    furthest: int,
) -> Mask:
    """Return what the unanswered questions hide at `cursor`.

    What lines saved and wrote stays covered on the way back, too: one line after the other would
    answer as well as all of them at once. So `furthest` counts, the last step that the learner came
    to. A gate is None where the run has not come to it.
    """
    hidden: frozenset[tuple[str, str]] = frozenset()
    outcome = saves = writes = False
    for question, gate in asked:
        outcome |= question.asks_outcome
        if gate is None or furthest < gate - 1:
            continue
        saved, written = covers(question.claims)
        saves, writes = saves or saved, writes or written
        if cursor < gate - 1:
            continue
        hidden |= cells(question.question)
        if question.asks_outcome and cursor >= gate:
            hidden |= gradients(snapshot)
    return Mask(outcome=outcome, saves=saves, writes=writes, cells=hidden)


def without_answer(step: Step) -> Step:
    """Return the step without what would answer the question."""
    return msgspec.structs.replace(step, raised=None, in_backward=False, events=())


def covered(step: Step, mask: Mask) -> Step:
    """Return the step without the saves and the writes that the mask hides."""
    if mask.saves:
        step = msgspec.structs.replace(step, saved=())
    if mask.writes:
        events = tuple(event for event in step.events if not isinstance(event, Mutation))
        step = msgspec.structs.replace(step, events=events)
    return step


def excerpt(
    timeline: Timeline, *, reachable: int, hidden_from: int, mask: Mask = NOTHING
) -> Timeline:
    """Return the part of a timeline up to `reachable`, without what `mask` hides in all of it.

    From `hidden_from` on, steps are shown without their events and exception.
    """
    steps = timeline.steps[: reachable + 1]
    shown = (step if step.index < hidden_from else without_answer(step) for step in steps)
    return timeline.excerpt([covered(step, mask) for step in shown], saved=not mask.saves)


def _given(claim: TensorClaim) -> list[str]:
    return [name for name in claim.__struct_fields__ if getattr(claim, name) is not msgspec.UNSET]
