"""What a line did, in the order in which it did it."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.snapshot import Name


class Mutation(msgspec.Struct, frozen=True, kw_only=True, tag="mutation", gc=False):
    """A tensor was written in place.

    One event per write and version counter: aliases that share the counter are
    one write.
    """

    line: int
    column: int | None = None
    """First column of the very expression that wrote, 0-based, in UTF-8 bytes
    as `co_positions` has it; None where it is not known."""

    end_line: int | None = None
    end_column: int | None = None
    op: Name | None = None
    """`Tensor.add_` (also for `+=`), `Tensor.__setitem__`, `SGD.step`; None for
    a write that no call of the line explains (raw memory)."""

    tensor: int | None = None
    """The tensor through which it was written, if it has a name."""

    storage: int | None = None
    before: int | None = None
    """The version before; None where no counter saw the write."""

    after: int | None = None
    chain: tuple[StackFrame, ...] = ()
    """The frames on the stack, outermost first, where there is more than one:
    the line of the program that this event names is among them."""

    @property
    def is_step(self) -> bool:
        """Whether an optimizer wrote it."""
        return (self.op or "").endswith(".step")


class Rebound(msgspec.Struct, frozen=True, kw_only=True, tag="rebound", gc=False):
    """A name is bound to another tensor; nothing was written."""

    name: Name
    before: int
    after: int


class Printed(msgspec.Struct, frozen=True, kw_only=True, tag="printed", gc=False):
    """Text that the program wrote, in its place between the other events."""

    text: str
    stream: str = "stdout"
    """`stdout`, `stderr`, or `raw` for bytes that went past `sys.stdout`."""


class Warned(msgspec.Struct, frozen=True, kw_only=True, tag="warned", gc=False):
    """A warning that Python's filters let through."""

    category: Name
    message: str
    line: int | None
    """The learner's line that was running."""


class Muted(msgspec.Struct, frozen=True, kw_only=True, tag="muted", gc=False):
    """The program writes more than is kept. Sent once, when the limit is hit."""

    kept_bytes: int


Event = Mutation | Rebound | Printed | Warned | Muted
