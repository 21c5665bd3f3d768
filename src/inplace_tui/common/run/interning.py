"""Equal parts of many steps, kept once: a loop says the same names and shapes 100,000 times.

What comes from the worker is decoded step by step, and every string, tuple and number of
it is an object of its own, though nearly all equal one that came shortly before. Kept as
they come, 100,000 steps of a training loop take half as much memory again.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec.structs import force_setattr

from inplace_tui.common.run.event import Mutation, Rebound
from inplace_tui.common.run.step import Step

T = TypeVar("T")

MAX_INTERNED = 16_384
"""Parts that are remembered at a time; a program that never repeats a part takes no more."""

SHORT = 4
"""Histories up to this length are tuples."""

_CACHED = 256
"""Python itself keeps the numbers up to this one once."""

_STEP = ("began", "visit", "function", "gone", "freed", "lost")
_TENSOR = (
    "id", "names", "shape", "stride", "dtype", "device", "layout", "version", "data_ptr",
    "storage", "base", "grad", "grad_fn",
)  # fmt: skip
_STORAGE = ("id", "nbytes", "data")
_NODE = ("id", "name", "step", "order", "leaf", "inputs")
_SAVED = ("node", "slot", "tensor", "storage", "shape", "dtype", "version", "now")
_MUTATION = ("op", "tensor", "storage", "before", "after", "chain")
_REBOUND = ("name", "before", "after")


class Interner:
    """Replaces parts of steps by equal ones that were there before."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def share(self, step: Step) -> None:
        if len(self._known) > MAX_INTERNED:
            self._known.clear()
        self._known[step.index] = step.index
        self._of(step, _STEP)
        for tensor in step.tensors:
            self._of(tensor, _TENSOR)
        for storage in step.storages:
            self._of(storage, _STORAGE)
        for node in step.nodes:
            self._of(node, _NODE)
        for saved in step.saved:
            self._of(saved, _SAVED)
        for event in step.events:
            if isinstance(event, Mutation):
                self._of(event, _MUTATION)
            elif isinstance(event, Rebound):
                self._of(event, _REBOUND)

    def _of(self, whole: msgspec.Struct, fields: tuple[str, ...]) -> None:
        known = self._known
        for field in fields:
            part = getattr(whole, field)
            kind = type(part)
            if kind is int:
                if part <= _CACHED:
                    continue
            elif not part or kind not in (str, tuple, bytes):
                continue
            same = known.setdefault(part, part)
            if same is not part:
                # Frozen for everybody else; an equal part in its place is the same value.
                force_setattr(whole, field, same)


def extended(history: list[T] | tuple[T, ...], entry: T) -> list[T] | tuple[T, ...]:
    """Return a history with one entry more; a list grows where it is.

    Of 100,000 tensors most are reported once or twice, and a list for each is as large as
    the entries in it.
    """
    if isinstance(history, list):
        history.append(entry)
        return history
    return (*history, entry) if len(history) < SHORT else [*history, entry]
