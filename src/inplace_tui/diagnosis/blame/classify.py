"""The verdict on a run: from the message of torch, or from the timeline alone."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Truth, Wrong
from inplace_tui.common.run.step import Rebound, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import WARNINGS, Verdict, verdict_of_message, verdict_of_warning
from inplace_tui.diagnosis.blame.graph import leaves_of


def verdict_of_run(timeline: Timeline, truth: Truth) -> Verdict | None:
    """Return the verdict on a run; None where nothing is wrong, or nothing is known."""
    outcome: Outcome | None = timeline.outcome
    if isinstance(outcome, Raised):
        return _verdict_of_raised(timeline, outcome)
    if not isinstance(outcome, Completed):
        return None
    if isinstance(truth, Wrong):
        return Verdict.SILENTLY_WRONG
    warned = {verdict_of_warning(event.message) for event in _warnings(timeline)}
    if Verdict.NON_LEAF_GRAD_READ in warned and next(lost_leaves(timeline), None) is not None:
        return Verdict.LEAF_LOST
    return next((verdict for verdict in WARNINGS if verdict in warned), None)


def _verdict_of_raised(timeline: Timeline, outcome: Raised) -> Verdict | None:
    """Python's own messages don't mention tensors: there only the timeline tells."""
    if _is_missing_gradient(outcome):
        if next(lost_leaves(timeline), None) is not None:
            return Verdict.LEAF_LOST
        warned = outcome.line in warned_lines(timeline, Verdict.NON_LEAF_GRAD_READ)
        return Verdict.NON_LEAF_GRAD_READ if warned else None
    if _is_write_to_tuple(outcome):
        wrote = any(step.mutations for step in timeline.steps[-1:])
        return Verdict.TUPLE_ITEM_WRITTEN if wrote else None
    return verdict_of_error(outcome)


def verdict_of_error(outcome: Raised) -> Verdict | None:
    """Return what an exception says by itself, without a timeline."""
    if outcome.exception.endswith(".ProcessRaisedException"):
        return None  # it quotes an error of another process
    found = verdict_of_message(outcome.message)
    in_vmap = any(place.file.endswith(_VMAP_FILE) for place in outcome.chain)
    if found is Verdict.SHAPE_NOT_WRITABLE and in_vmap:
        return Verdict.VMAP_INPLACE  # the shape that did not fit is that of a whole batch
    if found is None and outcome.chain:
        # `disable_saved_tensors_hooks` has the program choose the message.
        last = outcome.chain[-1]
        if (last.function, last.file.endswith(_SAVED_HOOKS_FILE)) == ("__enter__", True):
            return Verdict.SAVED_HOOKS_DISABLED
    return found


def caught_error(timeline: Timeline) -> Raised | None:
    """Return the last error of torch's in a run, as if the program had not caught it."""
    found: Raised | None = None
    for step in reversed(timeline.steps):
        exception, _, message = (step.raised or "").partition(": ")
        if found is not None and (exception, message) != (found.exception, found.message):
            break  # before it, the steps of the calls that it went through
        error = Raised(
            exception=exception, message=message, line=step.line, in_backward=step.in_backward
        )
        if step.raised is not None and may_have_verdict(error):
            found = error
    return found


def is_syntax_error(outcome: Outcome) -> bool:
    """Whether Python could not parse the program, so that nothing of it ran."""
    return isinstance(outcome, Raised) and outcome.exception in _UNPARSED and not outcome.chain


def may_have_verdict(outcome: Raised) -> bool:
    """Whether a recording of the program could tell more than Python's message does."""
    known = verdict_of_error(outcome) is not None
    return known or _is_missing_gradient(outcome) or _is_write_to_tuple(outcome)


def _is_missing_gradient(outcome: Raised) -> bool:
    """Whether it may be a `.grad` that is None: something was computed with it, or asked of it."""
    kind = outcome.exception.rpartition(".")[2]
    return kind in {"TypeError", "AttributeError"} and "'NoneType'" in outcome.message


def _is_write_to_tuple(outcome: Raised) -> bool:
    return outcome.exception.endswith("TypeError") and _NO_ITEM in outcome.message


_UNPARSED = frozenset(
    {"SyntaxError", "IndentationError", "TabError", "MemoryError", "RecursionError"}
)
"""The last two of one that is nested too deeply."""

_VMAP_FILE = "torch/_functorch/vmap.py"
_NO_ITEM = "'tuple' object does not support item assignment"
_SAVED_HOOKS_FILE = "torch/autograd/graph.py"


def _warnings(timeline: Timeline) -> Iterator[Warned]:
    for index in timeline.index.output:
        for event in timeline.steps[index].events:
            if isinstance(event, Warned):
                yield event


def warned_lines(timeline: Timeline, kind: Verdict) -> list[int | None]:
    """Return the lines that were warned of this, in order of time."""
    return [each.line for each in _warnings(timeline) if verdict_of_warning(each.message) is kind]


def lost_leaves(timeline: Timeline) -> Iterator[tuple[Step, Rebound]]:
    """Yield every rebinding of a leaf's name to something computed from that very leaf.

    `w = w - lr * w.grad`: the gradients go on to the old `w`. Under
    `no_grad` no graph says so: then a run that missed a gradient in the end tells by a
    leaf that had one, and a tensor of its kind that asks for none.
    """
    missed = isinstance(timeline.outcome, Raised)
    for step in timeline:
        for event in step.events:
            if not isinstance(event, Rebound):
                continue
            leaf = timeline.at(step.began - 1).tensors.get(event.before)
            if leaf is None or not leaf.requires_grad or leaf.is_leaf is not True:
                continue
            after = timeline.at(step.index)
            new = after.tensors.get(event.after)
            if new is None:
                continue
            if isinstance(new.grad_fn, int):
                is_lost = leaf.id in leaves_of(after, new.grad_fn)
            else:
                alike = (leaf.shape, leaf.dtype) == (new.shape, new.dtype)
                is_lost = missed and alike and not new.requires_grad and leaf.grad is not None
            if is_lost:
                yield step, event
