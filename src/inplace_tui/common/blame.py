"""Who saved a tensor, who changed it, who needed it."""

from __future__ import annotations

import msgspec

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.verdicts import Verdict


class SilentCause(StrEnum):
    """How a gradient came to be wrong without an error."""

    UNSEEN = "unseen"
    """A saved tensor was written, and no version number moved."""

    UNCHECKED = "unchecked"
    """It was kept where torch checks no version."""

    UNRECORDED = "unrecorded"
    """The write is not in the graph, or not as it was executed."""

    GRADIENT = "gradient"
    """A hook or a backward of the program's own wrote a gradient that others needed too."""

    GIVEN_BACK = "given-back"
    """Hooks of the program's own gave back other values than they were given."""

    UNTRACKED = "untracked"
    """A reentrant checkpoint recorded nothing: what was given to it needs no gradient. That may
    also raise."""


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


class CarriedOver(msgspec.Struct, frozen=True, kw_only=True):
    """What was computed before a backward, and used again after it with its freed graph."""

    tensor: str
    """As the line that made it calls it: the tensor, or what holds it."""

    made: int
    used: int
    """The line that used it after that backward; the same one where a state is carried on."""


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

    carried: CarriedOver | None = None
    """What brought a freed graph along."""

    cut: int | None = None
    """The line that bound a leaf's name to something else."""

    origin: int | None = None
    """The line that made the tensor what it is: in inference mode, or without a graph."""

    switch: int | None = None
    """The line that switched gradients off before that."""

    cause: SilentCause | None = None
    """How a gradient came to be wrong."""
