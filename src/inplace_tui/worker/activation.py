"""What is known of a frame of the program while it is on the stack."""

from __future__ import annotations

from types import FrameType

from inplace_tui.worker.instructions import Code
from inplace_tui.worker.names import is_function
from inplace_tui.worker.statements import Statement


class Line:
    """A statement that has begun and not finished."""

    __slots__ = (
        "began",
        "hides",
        "in_backward",
        "index",
        "raised",
        "statement",
        "unpredictable",
        "visit",
    )

    def __init__(self, statement: Statement, *, visit: int, began: int) -> None:
        self.statement = statement
        self.visit = visit
        self.began = began
        self.index: int | None = None
        """Of its step, once it finishes."""

        self.raised: str | None = None
        self.in_backward = False
        self.hides = False
        self.unpredictable = False


class Activation:
    """A frame of the program on the stack."""

    __slots__ = (
        "code",
        "entered",
        "error",
        "frame",
        "hider",
        "is_function",
        "is_new",
        "last",
        "line",
        "scope",
        "writer",
    )

    def __init__(self, frame: FrameType, code: Code, scope: int) -> None:
        self.frame = frame
        self.code = code
        self.scope = scope
        self.is_function = is_function(frame)
        self.last = max(frame.f_lasti, 0)
        """Offset of the instruction that runs, or has just run."""

        self.entered = False
        """That instruction has called a function that is written in Python."""

        self.is_new = True
        """A line event said so of that instruction, and no opcode event since."""

        self.writer = -1
        """Offset of the last one that may write; -1 if this line had none."""

        self.hider = -1
        """Likewise, of the last one that may have written what no counter saw."""

        self.line: Line | None = None
        self.error: str | None = None
        """The exception that last passed through this frame."""
