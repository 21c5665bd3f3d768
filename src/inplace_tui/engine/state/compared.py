"""With which earlier step a tensor is compared."""

from __future__ import annotations

from enum import StrEnum

from inplace_tui.engine.session.view import View
from inplace_tui.model.snapshot import Tensor


class Mode(StrEnum):
    """What is shown of a tensor."""

    VALUES = "values"
    STEP = "step"
    """The difference to the step before."""

    VERSION = "version"
    """The difference to how it was before it was last written."""

    GRAD = "grad"
    """Its gradient beside it."""

    @property
    def is_difference(self) -> bool:
        """Whether differences are shown, not values."""
        return self in (Mode.STEP, Mode.VERSION)


def earlier_step(view: View, tensor: Tensor, mode: Mode) -> int | None:
    """Return the step to compare with; None where the tensor was not there yet.

    In the modes that show values it is the step before, whose changes are marked.
    """
    if view.ran is None:
        return None
    earlier = view.ran.began - 1
    if mode is Mode.VERSION:
        life = view.timeline.index.lives.get(-1 if tensor.storage is None else tensor.storage)
        writes = [] if life is None else [step for step, _ in life.writes if step <= view.cursor]
        if not writes:
            return None
        earlier = writes[-1] - 1
    if earlier < 0 or tensor.id not in view.timeline.at(earlier).tensors:
        return None
    return earlier
