"""One line that finished: what it did, in that order, and what it left behind."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.snapshot import Name, Node, Saved, Storage, Tensor


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
    def place(self) -> tuple[int, int | None, int | None, int | None]:
        return self.line, self.column, self.end_line, self.end_column

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


class Step(msgspec.Struct, frozen=True, gc=False):
    """One line that finished, with what it left behind.

    Steps are in the order in which lines *finished*: the lines of a function
    come before the line that called it.
    """

    index: int
    line: int
    """First line of the statement, or of a compound statement's header."""

    end_line: int
    """Last line of the statement or header."""

    began: int
    """How many steps had finished when this line began; equals `index` unless
    it called functions of the same file."""

    visit: int = 1
    """How many times this line has been begun, this one included."""

    then: int | None = None
    """The line that goes on: the next one begun, or the caller's after a return;
    None after the last. A run that dies says by it where it was."""

    depth: int = 0
    """0 at module level, one more for each call of the same file on the stack."""

    function: Name = "<module>"
    raised: str | None = None
    """`Type: message` of the exception that left this line, caught later or not."""

    in_backward: bool = False
    """The exception was raised with a backward on the stack."""

    grad_enabled: bool = True
    inference_mode: bool = False
    unpredictable: bool = False
    """From here backward would do more than follow the graph: a hook is registered,
    anomaly mode or a mode of the program's own is on, or backward runs already."""

    hides: bool = False
    """It ran something that may write memory without moving a version counter."""

    ran_backward: bool = False
    """It ran backward, which may have freed what a node hides."""

    events: tuple[Event, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    """New ones and changed ones."""

    gone: tuple[int, ...] = ()
    """Tensors that no name reaches any more."""

    storages: tuple[Storage, ...] = ()
    freed: tuple[int, ...] = ()
    """Storages whose memory was given back."""

    nodes: tuple[Node, ...] = ()
    lost: tuple[int, ...] = ()
    """Nodes that nothing reaches any more, with what they saved."""

    saved: tuple[Saved, ...] = ()

    @property
    def mutations(self) -> list[Mutation]:
        return [event for event in self.events if isinstance(event, Mutation)]
