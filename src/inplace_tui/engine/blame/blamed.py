"""The shape of a blame: who saved, who changed, who needed."""

from __future__ import annotations

import msgspec

from inplace_tui.engine.blame.unseen import Keeper, Way
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.model.event import Mutation


class Saver(msgspec.Struct, frozen=True, kw_only=True):
    """The line that saved a tensor, with the version that it had then."""

    line: int | None
    node: str
    slot: str
    version: int | None
    is_output: bool = False
    """The node saved its own result, not an input."""

    tensor: str | None = None
    """What the tensor was called on that line."""


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """What a failure, or a gradient that is wrong, comes from."""

    verdict: Verdict
    tensor: str | None = None
    """The tensor concerned, as the first write calls it, else by its shortest name."""

    saver: Saver | None = None
    writes: tuple[Mutation, ...] = ()
    """Every write after the save, in order of time; the first is at fault."""

    reader: int | None = None
    """The line that needed it: where the error was raised, or backward was run."""

    cut: int | None = None
    """The line that bound a leaf's name to something else."""

    origin: int | None = None
    """The line that made the tensor what it is: in inference mode, or without a graph."""

    way: Way | None = None
    """How a gradient came to be wrong."""


def hidden_saver(keeper: Keeper, version: int | None = None) -> Saver:
    """Return what is known of a node that hides what it keeps."""
    return Saver(
        line=keeper.node.line,
        node=keeper.node.name,
        slot=keeper.slot,
        version=version,
        is_output=keeper.is_output,
    )
