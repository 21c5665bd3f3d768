"""Why it is not known whether a gradient is right."""

from __future__ import annotations

import msgspec

from inplace_tui.common.enums import StrEnum


class Reason(StrEnum):
    """What a sentence is made of, in either language, with the detail of a `Doubt`."""

    RUNS_DIFFER = "runs-differ"
    """Two bare runs delivered different gradients."""

    ENDS_DIFFER = "ends-differ"
    """Of two bare runs one did not run to its end; the detail is how it ended."""

    TOO_MANY = "too-many-backwards"
    """It ran backward more often, or for longer, than can be compared."""

    RETRIED = "retried"
    """The program lives on after a backward that raised, which the replay's can't."""

    OTHER_BACKWARDS = "other-backwards"
    """The replay ran other backwards than the program."""

    REPLAY_RAISED = "replay-raised"
    REPLAY_TOO_SLOW = "replay-too-slow"
    """The detail is how many seconds it had."""

    REPLAY_DIED = "replay-died"
    """The detail is its exit code."""

    REPLAY_STOPPED = "replay-stopped"
    NOT_CLONED = "not-cloned"
    """A saved tensor that can't be cloned; the detail is torch's refusal."""

    ROUNDED = "rounded-by-hooks"
    """Hooks of the program's own give back other values than they were given, each time."""

    TRANSFORMED = "transformed"
    """`torch.func` was used, which refuses the hooks of the replay."""

    UNREACHED = "history-unreached"
    """What was written through `.data` or `detach()` had a history, and no backward goes through
    it; the detail names the leaves in it, the line is that of the write."""

    CUT_UPDATE = "update-cut-off"
    """A tensor was moved along a gradient that was taken with `create_graph=True`, a later loss
    depends on it, and no backward went through that graph; the detail names it, the line is that
    of the gradient."""

    WRITTEN = "written-behind"
    """Autograd did not record a write to what has a history, and a gradient came to what was
    written from a later use; the detail names the tensor, the line and the op are the write's."""

    NOT_READ = "gradient-not-read"
    """A gradient whose values can't be had; the detail is its name and why."""

    NOT_MARKED = "not-marked-dirty"
    """A custom Function wrote an input and did not say so, and what it wrote
    could not be recorded in the replay either; the detail is its name."""

    CELLS_SHARED = "cells-shared"
    """A write through overlapping memory that could not be taken apart; the detail is the op."""

    NOT_RECORDED = "not-recorded"
    """A write that torch keeps out of the graph, and that the replay could not
    put into it; the detail is the op."""


OF_WRITES = frozenset({Reason.UNREACHED, Reason.CUT_UPDATE, Reason.WRITTEN, Reason.NOT_MARKED})
"""The program writes what autograd does not record: written otherwise, it could be told."""


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """A reason, and what it is about."""

    reason: Reason
    detail: str = ""
    """A name or torch's own words: the same in every language."""

    line: int | None = None
    op: str = ""
    """What wrote, where that is what the doubt is about."""

    backward: int | None = None
    """The number of the first backward that it is about, of all that the program ran."""
