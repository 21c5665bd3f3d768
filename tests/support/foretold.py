"""Whether a forecast came true."""

from __future__ import annotations

import re

import torch

from inplace_tui.common.verdicts import Verdict, verdict_of_message
from inplace_tui.common.version_error import version_error
from inplace_tui.tutorial.forecast.forecast import Forecast, NotNeeded, Raises, Runs, Unknown
from support.extra_backwards import Tried


def contradiction(told: Forecast, tried: Tried | None, true: Tried | None) -> str | None:
    """Return what torch did instead; None where the forecast came true or said nothing.

    Args:
        told: what was said.
        tried: what backward did; None where there was nothing to try.
        true: what it did with clones; None where they can't tell.
    """
    if isinstance(told, Unknown) or (tried is None and isinstance(told, NotNeeded)):
        return None
    if tried is None:
        return "it has no graph"
    if isinstance(told, NotNeeded):
        return None if told.leaf else f"it requires grad: {tried.error}"
    if isinstance(told, Raises):
        return _other_error(told, tried)
    if tried.error is not None or true is None or true.error is not None:
        return tried.error  # or the replay took another way before
    right = close(tried, true)
    return None if right == isinstance(told, Runs) else f"gradients right: {right}"


def _other_error(told: Raises, tried: Tried) -> str | None:
    if tried.error is None:
        return "it runs"
    if not told.first:
        return None
    if told.verdict is Verdict.NOT_A_SCALAR:
        return None if "real scalar outputs" in tried.error else tried.error
    if verdict_of_message(tried.error) is not told.verdict:
        return tried.error
    if told.verdict is Verdict.SAVED_TENSOR_MODIFIED:
        error = version_error(tried.error)
        if error is None or (error.expected, error.now) != (told.saved, told.now):
            return tried.error
    return None


def close(got: Tried, true: Tried) -> bool:
    """Whether the gradients are the same but for rounding."""
    if len(got.gradients) != len(true.gradients):
        return False
    for one, other in zip(got.gradients, true.gradients, strict=True):
        if one is None or other is None or one[0] != other[0]:
            if one != other:
                return False
            continue
        numbers = torch.frombuffer(bytearray(one[1] or bytes(16)), dtype=torch.complex128)
        wanted = torch.frombuffer(bytearray(other[1] or bytes(16)), dtype=torch.complex128)
        finite = wanted[torch.isfinite(wanted)].abs()
        largest = float(finite.max()) if len(finite) else 0.0
        exact = re.search(r"float(32|64)", one[0]) is not None
        allowed = (2e-6 if exact else 2e-2) * largest
        if not torch.allclose(numbers, wanted, rtol=0, atol=allowed, equal_nan=True):
            return False
    return True
