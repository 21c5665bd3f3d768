"""Which readings a worker takes, and all that are forked from it."""

from __future__ import annotations

from inplace_tui.diagnosis.record import torch_memory
from inplace_tui.diagnosis.record.readings import use


def choose() -> None:
    """Choose, before the worker runs anything.

    Raises:
        LayoutError: this torch can't be read in any way.
    """
    use(torch_memory.measure_in_child())
