"""Whether a claim holds of a run; if not, what was claimed and what was seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET, structs

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.problems import fill
from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Raised,
    Stopped,
    TimedOut,
    Truth,
    Wrong,
)
from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import flat, text
from inplace_tui.common.texts.authoring import AuthoringTexts, ClaimTexts
from inplace_tui.common.texts.doubts import DOUBTS
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.version_error import with_short_producer
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course.lesson import Claim, TensorClaim, Values
from inplace_tui.tutorial.course.lessons.strict_yaml import Path


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended, with what its replays showed."""

    timeline: Timeline
    truth: Truth
    anchors: dict[str, int] = field(default_factory=dict)
    """Anchor to the first line of its statement, in the program that ran."""

    source: str = ""

    @property
    def ending(self) -> Ending:
        assert self.timeline.outcome is not None, "it has ended"
        return ending_of(self.timeline.outcome, self.truth)


def mismatches(claim: Claim, run: FinishedRun, at: int | None) -> list[LocalText]:
    """Return why `claim` is not true of `run`; nothing if it is true.

    `at` is the index of the step where it stands; None is the end of the run, and what is claimed
    of output is then claimed of all of it.
    """
    return [*_run_mismatches(claim, run, at), *_step_mismatches(claim, run, at)]


def needs_truth(claim: Claim) -> bool:
    """Whether only the replays can say if the claim holds."""
    by_truth = claim.ends in {Ending.RIGHT, Ending.WRONG}
    return by_truth or claim.saved_by is not None or claim.changed_by is not None


def parts(claim: Claim) -> Iterator[tuple[Path, Claim]]:
    default = Claim()
    for name in Claim.__struct_fields__:
        value = getattr(claim, name)
        if name != "tensors" and value != getattr(default, name):
            yield (name,), Claim(**{name: value})
    for name, tensor in claim.tensors.items():
        given = {each: getattr(tensor, each) for each in TensorClaim.__struct_fields__}
        fields = {each: value for each, value in given.items() if value is not UNSET}
        if not fields:
            yield ("tensors", name), Claim(tensors={name: tensor})
        for field_name, value in fields.items():
            part = TensorClaim(**{field_name: value})
            yield ("tensors", name, field_name), Claim(tensors={name: part})


def find_visit(run: FinishedRun, anchor: str) -> Step | None:
    """Return the step at an anchor: the first visit of its line, or the `#n`-th."""
    name, _, number = anchor.partition("#")
    wanted = (run.anchors.get(name), int(number or 1))
    return next((step for step in run.timeline if (step.line, step.visit) == wanted), None)


def not_visited(run: FinishedRun, anchor: str) -> list[LocalText]:
    name, _, wanted = anchor.partition("#")
    visits = sum(step.line == run.anchors.get(name) for step in run.timeline)
    values = {"anchor": name, "visits": visits, "wanted": wanted or 1}
    return [fill(AuthoringTexts.not_visited, **values)]


def _run_mismatches(claim: Claim, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    outcome = run.timeline.outcome
    if claim.ends is not None:
        so_far = claim.ends is Ending.RUNS and run.ending.is_complete
        if claim.ends is not run.ending and not so_far:
            yield fill(ClaimTexts.ends, claimed=ENDINGS[claim.ends], seen=how_it_ended(run))
    if claim.match is not None:
        yield from _message_mismatch(claim.match, run, at)
    if claim.raised_by is not None:
        line = outcome.line if isinstance(outcome, Raised) else None
        yield from _line_mismatch(
            run, ClaimTexts.raised_by, claim.raised_by, line, run.timeline.steps[-1:]
        )
    if claim.saved_by is not None or claim.changed_by is not None:
        found = find_blame(run.timeline, run.truth, source=run.source)
        yield from _blame_mismatches(claim, run, found)


def goes_as_far(run: FinishedRun, ends: Ending | None) -> bool:
    """Whether a run ends as it should, whatever its gradients are."""
    return ends in {None, run.ending} or (ends.is_complete and run.ending.is_complete)


_SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError")


def is_slip(run: FinishedRun, claims: Iterable[Claim]) -> bool:
    """Whether it raised as a program with a mistake of its author's does, and nobody claims that.

    What else is not as claimed follows from it.
    """
    outcome = run.timeline.outcome
    if not isinstance(outcome, Raised) or outcome.exception not in _SLIPS:
        return False
    return not any(each.match and each.match in outcome.message for each in claims)


def how_it_ended(run: FinishedRun) -> LocalText:
    outcome, truth, how = run.timeline.outcome, run.truth, ENDINGS[run.ending]
    match outcome:
        case Completed() if isinstance(truth, Wrong):
            first = truth.differences[0]
            values = {"tensor": first.tensor, "got": first.got, "true": first.true}
            how = fill(ClaimTexts.wrong, how=how, **values)
        case Completed() if isinstance(truth, NotReproducible):
            why = fill(DOUBTS[truth.reason], **structs.asdict(truth))
            how = fill(ClaimTexts.not_judged, how=how, reason=why)
        case Raised():
            error = f"{outcome.exception}: {outcome.message}"
            how = fill(ClaimTexts.raised_there, how=how, line=outcome.line, error=error)
        case TimedOut() | Stopped() | Crashed():
            how = in_each(lambda language: ending_text(outcome, truth, language, run.source))
        case _:
            pass
    return how


def _message_mismatch(claimed: str, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    """Look in the message that ended the run, else in those that the program caught."""
    outcome = run.timeline.outcome
    if isinstance(outcome, Raised):
        messages = [outcome.message]
    else:
        upto = len(run.timeline) if at is None else at + 1
        messages = [step.raised for step in run.timeline.steps[:upto] if step.raised]
    if any(claimed in text for each in messages for text in (each, with_short_producer(each))):
        return
    if messages:
        yield fill(ClaimTexts.match, claimed=claimed, seen=messages[-1])
    else:
        yield fill(ClaimTexts.match_nothing, claimed=claimed)


def _blame_mismatches(claim: Claim, run: FinishedRun, found: Blame | None) -> Iterator[LocalText]:
    saver = None if found is None else found.saver
    change = found.writes[0] if found is not None and found.writes else None
    if claim.saved_by is not None:
        line = None if saver is None else saver.line
        steps = [] if saver is None else _savers(run, saver)
        yield from _line_mismatch(run, ClaimTexts.saved_by, claim.saved_by, line, steps)
    if claim.changed_by is not None:
        line = None if change is None else change.line
        steps = [step for step in run.timeline if change is not None and change in step.events]
        # A refused write left no event: it is the line that raised.
        steps = steps or run.timeline.steps[-1:]
        yield from _line_mismatch(run, ClaimTexts.changed_by, claim.changed_by, line, steps)


def _savers(run: FinishedRun, saver: Saver) -> list[Step]:
    wanted = (saver.node, saver.line, saver.slot, saver.version)
    steps: list[Step] = []
    for step in run.timeline:
        nodes = run.timeline.at(step.index).nodes
        slots = ((nodes[slot.node], slot) for slot in step.saved)
        if wanted in [(node.name, node.line, slot.slot, slot.version) for node, slot in slots]:
            steps.append(step)
    return steps


def _line_mismatch(
    run: FinishedRun, role: LocalText, claimed: str, line: int | None, steps: list[Step]
) -> Iterator[LocalText]:
    """Check that a line is the one of an anchor, on its visit if one is named."""
    name, _, number = claimed.partition("#")
    visits = [step.visit for step in steps if step.line <= (line or 0) <= step.end_line]
    first = run.anchors.get(name, 0)
    ends = (step.end_line for step in run.timeline if step.line == first)
    there = line is not None and 0 < first <= line <= next(ends, first)
    if there and (not number or int(number) in visits):
        return
    if line is None:
        seen = ClaimTexts.nobody
    elif there:
        seen = fill(ClaimTexts.line_visit, line=line, visits=tuple(visits))
    else:
        seen = fill(ClaimTexts.line, line=line)
    yield fill(ClaimTexts.by, role=role, claimed=claimed, seen=seen)


def _step_mismatches(claim: Claim, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    timeline = run.timeline
    last = len(timeline) - 1 if at is None else at
    ran = timeline.steps[: last + 1]
    if claim.warns is not None:
        warned = [event for step in ran for event in step.events if isinstance(event, Warned)]
        shown = [f"{event.category}: {event.message}" for event in warned]
        if not any(claim.warns in each for each in shown):
            seen = " / ".join(shown) or ClaimTexts.none
            yield fill(ClaimTexts.warns, claimed=claim.warns, seen=seen)
    if claim.prints is not None:
        began = 0 if at is None or not ran else ran[-1].began
        printed = timeline.printed(began, last + 1)
        if claim.prints not in printed:
            yield fill(ClaimTexts.prints, claimed=claim.prints, seen=printed or ClaimTexts.none)
    snapshot = timeline.at(last) if timeline.steps else EMPTY
    for name, each in claim.tensors.items():
        yield from tensor_reasons(name, each, snapshot)


Seen = str | LocalText


def tensor_reasons(name: str, claim: TensorClaim, snapshot: Snapshot) -> Iterator[LocalText]:
    tensor = snapshot.named(name)
    if tensor is None:
        yield _no_tensor(name, snapshot)
        return
    for facet in FIELDS:
        claimed, seen = getattr(claim, facet), read(facet, tensor, snapshot)
        if claimed is not UNSET and claimed != seen:
            yield _field(name, facet, _formatted(claimed), _formatted(seen))
    if claim.values is not UNSET:
        yield from _values(f"{name}.values", claim.values, tensor, snapshot)
    if claim.grad is not UNSET:
        yield from _grad(name, claim.grad, tensor, snapshot)
    if claim.shares is not UNSET:
        yield from _memory(name, claim.shares, tensor, snapshot, shared=True)
    if claim.apart is not UNSET:
        yield from _memory(name, claim.apart, tensor, snapshot, shared=False)
    if claim.view_of is not UNSET:
        yield from _view_of(name, claim.view_of, tensor, snapshot)


FIELDS = (
    *("version", "requires_grad", "is_leaf", "retains_grad", "is_inference"),
    *("grad_fn", "shape", "dtype"),
)
"""Fields of a claim that are compared by equality."""


def read(field: str, tensor: Tensor, snapshot: Snapshot) -> object:
    """Return a field as claims have it; where torch refuses to say, why."""
    found = getattr(tensor, field)
    if field == "grad_fn" and isinstance(found, int):
        return snapshot.nodes[found].name
    return list(found) if field == "shape" else found


def _no_tensor(name: str, snapshot: Snapshot) -> LocalText:
    names = sorted(each.names[0] for each in snapshot.tensors.values() if each.names)
    return fill(ClaimTexts.no_tensor, name=name, names=tuple(names) or ClaimTexts.none)


def _field(name: str, field: str, claimed: Seen, seen: Seen) -> LocalText:
    return fill(ClaimTexts.field, name=name, field=field, claimed=claimed, seen=seen)


def _formatted(value: object) -> Seen:
    match value:
        case Unreadable(reason=reason):
            return fill(ClaimTexts.unreadable, reason=reason)
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(str(_formatted(each)) for each in value)}]"
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)


def _grad(
    name: str, claimed: Values | None, tensor: Tensor, snapshot: Snapshot
) -> Iterator[LocalText]:
    grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
    if claimed is None:
        if tensor.grad is not None:
            seen = "[…]" if grad is None else _formatted_values(grad, snapshot)
            yield _field(name, "grad", "null", seen)
    elif grad is None:
        yield _field(name, "grad", _formatted(claimed), "null")
    else:
        yield from _values(f"{name}.grad", claimed, grad, snapshot)


def _values(name: str, claimed: Values, tensor: Tensor, snapshot: Snapshot) -> Iterator[LocalText]:
    """Compare numbers: the shape as nested lists have it, or flat for any shape."""
    owner, _, field = name.rpartition(".")
    shape, numbers = _flattened(claimed)
    read = flat(tensor, snapshot)
    seen = _formatted_values(tensor, snapshot)
    if isinstance(read, Unreadable):
        yield _field(owner, field, _formatted(claimed), seen)
        return
    elements, whole = read
    if not whole:
        yield _field(owner, field, _formatted(claimed), ClaimTexts.sampled)
    elif shape != tensor.shape and (len(shape) != 1 or shape[0] != len(elements)):
        claimed_shape = fill(ClaimTexts.shape, shape=list(shape))
        actual_shape = fill(ClaimTexts.shape, shape=list(tensor.shape))
        yield _field(owner, field, claimed_shape, actual_shape)
    elif not all(map(close, numbers, elements)):
        yield _field(owner, field, _formatted(claimed), seen)


def _formatted_values(tensor: Tensor, snapshot: Snapshot) -> Seen:
    read = flat(tensor, snapshot)
    if isinstance(read, Unreadable):
        return fill(ClaimTexts.unreadable, reason=read.reason)
    elements = [text(each, tensor.dtype) for each in read[0][:20]]
    more = ", …" if len(read[0]) > 20 or not read[1] else ""
    return f"[{', '.join(elements)}{more}]" if tensor.shape else elements[0]


def _flattened(values: object) -> tuple[tuple[int, ...], list[float]]:
    """Return the shape that nested lists have, and their numbers.

    >>> _flattened([[1, 2], [3, 4]])
    ((2, 2), [1, 2, 3, 4])
    """
    if not isinstance(values, list):
        assert isinstance(values, int | float)
        return (), [values]
    below = [_flattened(each) for each in values]
    shapes = {shape for shape, _ in below}
    # Ragged lists have no shape, and so fit no tensor.
    inner = shapes.pop() if len(shapes) == 1 else (-1,) if shapes else ()
    return (len(values), *inner), [number for _, numbers in below for number in numbers]


def numbers_of(values: Values) -> list[float]:
    return _flattened(values)[1]


def close(claimed: float, seen: Element) -> bool:
    """Whether two numbers agree to four significant digits; NaN agrees with NaN.

    >>> close(2.718, 2.7182817), close(2.72, 2.7182817)
    (True, False)
    """
    if isinstance(seen, complex):
        return seen.imag == 0 and close(claimed, seen.real)
    if math.isnan(claimed) or math.isnan(seen):
        return math.isnan(claimed) and math.isnan(seen)
    if math.isinf(claimed) or math.isinf(seen) or claimed == seen:
        return claimed == seen
    size = max(abs(claimed), abs(seen))
    unit = 10.0 ** (math.floor(math.log10(size)) - 3)
    # Half a unit for the author's rounding, and a little for floating point.
    return abs(claimed - seen) <= 0.501 * unit


def _memory(
    name: str, other: str, tensor: Tensor, snapshot: Snapshot, *, shared: bool
) -> Iterator[LocalText]:
    theirs = snapshot.named(other)
    if theirs is None:
        yield _no_tensor(other, snapshot)
    elif (tensor.storage == theirs.storage is not None) != shared:
        yield fill(ClaimTexts.shares if shared else ClaimTexts.apart, name=name, other=other)


def _view_of(
    name: str, claimed: str | None, tensor: Tensor, snapshot: Snapshot
) -> Iterator[LocalText]:
    base = None if tensor.base is None else snapshot.tensors.get(tensor.base)
    names: Sequence[str] = () if base is None else base.names
    if (claimed in names) if claimed is not None else not tensor.is_view:
        return
    seen: Seen = "null"
    if tensor.is_view:
        seen = names[0] if names else ClaimTexts.unnamed
    yield _field(name, "view_of", claimed or "null", seen)
