"""Whether a variant differs from its lesson in anything that a learner is told."""

from __future__ import annotations

import msgspec

from inplace_tui.engine.lessons.claims import FinishedRun, holds
from inplace_tui.model.event import Event, Mutation, Muted, Printed, Rebound, Warned
from inplace_tui.model.lesson import Claim, LocalText, Variant
from inplace_tui.model.outcome import Raised, Unverified
from inplace_tui.model.step import Step
from inplace_tui.texts.authoring import AuthoringTexts


def sameness(own: FinishedRun, other: FinishedRun, variant: Variant) -> LocalText | None:
    """Return in which way a variant makes no difference.

    That nothing changes may be what a variant teaches; then it has to say so.
    """
    if not _end_alike(own, other):
        return None
    if _alike(own, other):
        return AuthoringTexts.same_run
    claims_a_difference = variant.expect == Claim() or holds(variant.expect, own, None)
    return None if claims_a_difference or variant.say is not None else AuthoringTexts.same_claims


def _end_alike(own: FinishedRun, other: FinishedRun) -> bool:
    """Whether both ended the same way, with the same message and the same truth."""
    ours, theirs = own.timeline.outcome, other.timeline.outcome
    if isinstance(ours, Raised) and isinstance(theirs, Raised):
        return (ours.exception, ours.message, ours.in_backward) == (
            theirs.exception,
            theirs.message,
            theirs.in_backward,
        )
    known = not isinstance(own.truth, Unverified) and not isinstance(other.truth, Unverified)
    return ours == theirs and (own.truth == other.truth or not known)


def _alike(own: FinishedRun, other: FinishedRun) -> bool:
    """Whether two runs left behind the same, line by line, wherever the lines stand."""
    if len(own.timeline) != len(other.timeline):
        return False
    return all(
        _placeless(mine) == _placeless(yours)
        for mine, yours in zip(own.timeline, other.timeline, strict=True)
    )


def _placeless(step: Step) -> Step:
    """Return a step without lines and addresses."""
    replace = msgspec.structs.replace
    return replace(
        step,
        line=0,
        end_line=0,
        then=None,
        visit=1,
        events=tuple(map(_placeless_event, step.events)),
        tensors=tuple(replace(tensor, data_ptr=None) for tensor in step.tensors),
        nodes=tuple(replace(node, line=None) for node in step.nodes),
    )


def _placeless_event(event: Event) -> Event:
    match event:
        case Mutation(op=op, tensor=tensor, storage=storage, before=before, after=after):
            return Mutation(
                line=0, op=op, tensor=tensor, storage=storage, before=before, after=after
            )
        case Warned():
            return msgspec.structs.replace(event, line=None)
        case Rebound() | Printed() | Muted():
            return event
