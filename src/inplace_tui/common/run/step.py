"""One line that finished, and what it left behind."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.event import Event, Mutation
from inplace_tui.common.run.snapshot import Name, Node, Saved, Storage, Tensor


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
