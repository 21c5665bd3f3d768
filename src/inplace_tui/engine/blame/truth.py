"""Whether gradients are right: the run against a replay that nothing could falsify.

Two bare runs say whether the program repeats itself; the replay, in which every
saved tensor was cloned, says what its graph delivers at the values it saved.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from inplace_tui.engine.state import values
from inplace_tui.engine.state.elements import Element
from inplace_tui.model.doubt import Doubt, Reason
from inplace_tui.model.outcome import (
    Cancelled,
    Completed,
    Crashed,
    Difference,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
    Wrong,
)
from inplace_tui.model.program import Backward, Gradient
from inplace_tui.model.snapshot import EMPTY, Elements, Tensor, Unreadable

_RELATIVE = {
    "float64": 1e-7,
    "float32": 1.3e-6,
    "float16": 1e-3,
    "bfloat16": 1.6e-2,
    "complex128": 1e-7,
    "complex64": 1.3e-6,
    "complex32": 1e-3,
}
"""How far equal numbers may be apart, as `torch.testing.assert_close` has it:
a clone may lie in memory so that another kernel adds it up. A dtype that is
not here must agree in every bit."""

WIDTH = 40
"""Cells that a difference may take to quote a gradient."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one run delivered."""

    outcome: Outcome
    backwards: tuple[Backward, ...]
    left: tuple[Gradient, ...] = ()
    """What the leaves held when it had run to its end, where that was asked for."""

    printed: str = ""
    """What it wrote to stdout, where that was asked for."""


def compare(first: Evidence, second: Evidence, cloned: Evidence) -> Truth:
    """Return what two bare runs and a cloned one say together.

    Args:
        first: a bare run.
        second: another; must be the same in every bit.
        cloned: the replay. A doubt of its own (`Backward.unsure`) does not
            excuse a difference, but takes its worth from a likeness.
    """
    if not isinstance(first.outcome, Completed):
        return Unverified()
    if first != second:
        return _unknown(_unlike(first, second))
    doubt: Doubt | None = None
    for index, (bare, replayed) in enumerate(zip_longest(first.backwards, cloned.backwards)):
        true = None if bare is None or replayed is None else _seen(bare, replayed)
        if bare is None or true is None or _shape(bare) != _shape(true):
            return _unknown(_astray(bare, true, cloned.outcome))
        if differences := _differences(bare, true):
            visit = sum(each.line == bare.line for each in first.backwards[: index + 1])
            return Wrong(differences=differences, visit=visit, unrecorded=true.unrecorded)
        doubt = doubt or bare.unsure or true.unsure
    if cloned.outcome != first.outcome:
        return _unknown(_ended(cloned.outcome))
    return Right() if doubt is None else _unknown(doubt)


def _unknown(doubt: Doubt) -> NotReproducible:
    return NotReproducible(reason=doubt.reason, detail=doubt.detail)


def _seen(bare: Backward, true: Backward) -> Backward:
    """Return the replay's backward without the leaves that the program's graph hides."""
    if not true.unrolled:
        return true
    names = {gradient.tensor for gradient in bare.gradients}
    seen = tuple(gradient for gradient in true.gradients if gradient.tensor in names)
    return msgspec.structs.replace(true, gradients=seen)


def _shape(backward: Backward) -> tuple[int | None, str | None, list[str]]:
    """Return what must be alike for two backwards to be the same one."""
    return backward.line, backward.raised, [gradient.tensor for gradient in backward.gradients]


def _differences(bare: Backward, true: Backward) -> tuple[Difference, ...]:
    return tuple(
        Difference(tensor=got.tensor, line=bare.line, got=texts[0], true=texts[1])
        for got, wanted in zip(bare.gradients, true.gradients, strict=True)
        if (texts := _difference(got, wanted)) is not None
    )


def alike(got: Gradient, true: Gradient) -> bool:
    """Return whether two gradients are the same but for rounding."""
    return _difference(got, true) is None


def _difference(got: Gradient, true: Gradient) -> tuple[str, str] | None:
    """Return both as text if they differ by more than rounding."""
    if got == true:
        return None
    numbers, wanted = _numbers(got), _numbers(true)
    texts = _text(got), _text(true)
    if got.dtype != true.dtype or got.shape != true.shape or len(numbers) != len(wanted):
        return texts
    index = _first_apart(numbers, wanted, _RELATIVE.get(got.dtype, 0.0))
    if index is None and got.dtype in _RELATIVE:
        return None
    if texts[0] == texts[1] and index is not None:
        # It lies beyond what is quoted, or beyond the decimals.
        return f"[{index}] {numbers[index]!r}", f"[{index}] {wanted[index]!r}"
    return texts


def _first_apart(
    numbers: Sequence[Element], wanted: Sequence[Element], relative: float
) -> int | None:
    """Return the first index where they differ by more than rounding.

    Rounding errors of a sum go with its largest terms, not with its result: the
    measure is the largest element. A gradient of nothing but 1e-9 counts too.
    """
    largest = max((abs(n) for n in wanted if cmath.isfinite(n)), default=0.0)
    for index, (number, true) in enumerate(zip(numbers, wanted, strict=True)):
        if number == true or (cmath.isnan(number) and cmath.isnan(true)):
            continue
        if not cmath.isfinite(number) or not abs(number - true) <= relative * largest:
            return index
    return None


def _tensor(gradient: Gradient) -> Tensor:
    head = gradient.data or b""
    return Tensor(
        id=0, names=(), shape=gradient.shape, dtype=gradient.dtype, values=Elements(head=head)
    )


def _numbers(gradient: Gradient) -> list[Element]:
    if gradient.data is None:
        return []
    found = values.flat(_tensor(gradient), EMPTY)
    return [] if isinstance(found, Unreadable) else found[0]


def _text(gradient: Gradient) -> str:
    return "None" if gradient.data is None else values.summary(_tensor(gradient), EMPTY, WIDTH)


def _unlike(first: Evidence, second: Evidence) -> Doubt:
    if type(first.outcome) is not type(second.outcome):
        return Doubt(reason=Reason.ENDS_DIFFER, detail=_ended(second.outcome).detail)
    return Doubt(reason=Reason.RUNS_DIFFER)


def _astray(bare: Backward | None, true: Backward | None, outcome: Outcome) -> Doubt:
    """Return how the replay took another way."""
    if bare is not None and bare.raised is not None:
        return Doubt(reason=Reason.RETRIED, detail=bare.raised)
    if true is None and not isinstance(outcome, Completed):
        return _ended(outcome)
    return Doubt(reason=Reason.OTHER_BACKWARDS)


def _ended(outcome: Outcome) -> Doubt:
    match outcome:
        case Completed():
            return Doubt(reason=Reason.OTHER_BACKWARDS)
        case Raised(exception=exception, message=message):
            said = f"{exception}: {message.partition(chr(10))[0]}"
            return Doubt(reason=Reason.REPLAY_RAISED, detail=said)
        case TimedOut(seconds=seconds):
            return Doubt(reason=Reason.REPLAY_TOO_SLOW, detail=f"{seconds:g}")
        case Crashed(exit_code=code):
            return Doubt(reason=Reason.REPLAY_DIED, detail=str(code))
        case Stopped() | Cancelled():
            return Doubt(reason=Reason.REPLAY_STOPPED)
