"""Which expressions of a program are the tensors that a fault is about, as one run has seen."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Span: TypeAlias = tuple[int, int, int, int]
"""First line and column, last line and column; columns in UTF-8 bytes, as syntax trees have."""


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """An expression whose value was one of these tensors, or holds one."""

    place: Span
    kind: str = "tensor"
    """`tensor`, `module`, or `tuple`, `list` or `dict`, which hold the tensor."""

    nbytes: int = 0
    """Bytes of the elements of the tensor; of a module, of its parameters."""

    changed: tuple[int, ...] = ()
    """Which of `Probes.changed` have its memory, or that of its parameters."""

    refused: bool = False
    """It had memory that the statement which raised was given."""


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor with a graph that was made before one backward and is gone through by a later one.

    By the expressions that it was the value of, or lay in, the first one first.
    """

    made: tuple[Span, ...]
    """Before the backward that the later one comes after."""

    read: tuple[Span, ...]


class Probes(msgspec.Struct, frozen=True, kw_only=True):
    """What a run with probes has found."""

    changed: tuple[tuple[int, ...], ...] = ()
    """For each tensor that was saved, and was another one when backward read it, the lines
    that saved it: the innermost first."""

    carried: tuple[Carried, ...] = ()
    expressions: tuple[Probed, ...] = ()
