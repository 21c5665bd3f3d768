"""Who saved the tensor, who changed it, who needed it."""

from __future__ import annotations

import msgspec

from inplace_tui.engine.verdict import Verdict
from inplace_tui.model.event import Mutation


class Saver(msgspec.Struct, frozen=True, kw_only=True):
    """The line that saved a tensor, with the version that it had then."""

    line: int | None
    node: str
    slot: str
    version: int | None


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """What a failure, or a gradient that is wrong, comes from."""

    verdict: Verdict
    tensor: str | None = None
    """Shortest name of the tensor concerned."""

    saver: Saver | None = None
    writes: tuple[Mutation, ...] = ()
    """Every write after the save, in order of time; the first is at fault."""

    reader: int | None = None
    """The line that needed it: where the error was raised, or backward was run."""
