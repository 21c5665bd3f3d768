"""A frame of the program while it is on the stack."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from types import FrameType

import torch

from inplace_tui.diagnosis.record.code.instructions import Code, Statement, StraightLineCode
from inplace_tui.diagnosis.record.state.records import MadeAt, RunningStatement

MAX_FRAMES = 32
"""A recursion a thousand deep would be read a thousand times."""


class Line(RunningStatement, eq=False, gc=False, kw_only=True):
    """A statement that has begun and not finished."""

    statement: Statement
    visit: int
    began: int
    raised: str | None = None
    in_backward: bool = False
    hides: bool = False
    unpredictable: bool = False
    ran_engine: bool = False
    """It ran backward, which may have freed what nodes saved."""


@dataclass(eq=False, slots=True)
class Activation:
    """A frame of the program on the stack."""

    frame: FrameType
    code: Code
    scope: int
    before: int
    """Lines of the program's whole text before its file."""

    is_function: bool
    last: int
    """Offset of the instruction that runs, or has just run."""

    straight: StraightLineCode | None = None
    """The line that runs, if its instructions are not traced one by one."""

    entered: bool = False
    """That instruction has called a function that is written in Python."""

    stored: bool = True
    """Something ran since the last report that may have changed what a container holds, or a
    tensor without moving its counter."""

    is_new: bool = True
    """A line event named that instruction, and no opcode event has come since."""

    writer: int = -1
    """Offset of the last one that may write; -1 if this line had none."""

    hider: int = -1
    """Offset of the last one that may have written what no counter saw; -1 if none did."""

    line: Line | None = None
    error: str | None = None
    """The exception that last passed through this frame."""

    @property
    def number(self) -> int:
        """The line of the whole text that it is at; 0 where Python says none."""
        number = self.frame.f_lineno
        return number + self.before if number else 0

    def begin(self) -> None:
        """Begin a line: trace its instructions, unless the end of the line shows all of it."""
        self.last = self.frame.f_lasti
        self.is_new, self.entered = True, False
        self.straight = self.code.straight.get(self.last)
        self.frame.f_trace_opcodes = self.straight is None

    def trace_instructions(self) -> None:
        """Trace each instruction from here on: the line does more than it says."""
        if self.straight is not None:
            now, writer = self.code.at(self.frame.f_lasti), self.straight.writer
            # What comes after the writer does nothing: its write was not recorded yet.
            self.last = writer if 0 <= writer <= now else now
            self.straight = None
            self.frame.f_trace_opcodes = True

    def record_call(self) -> None:
        """Record that a function written in Python was called."""
        self.trace_instructions()
        self.entered = self.stored = True


def functions(stack: list[Activation]) -> list[FrameType]:
    """Return the frames whose names are read: all, but of a deep recursion the innermost."""
    if len(stack) == 1:
        return [stack[0].frame] if stack[0].is_function else []
    frames = [a.frame for a in reversed(stack) if a.is_function]
    return frames if len(frames) <= MAX_FRAMES else [*frames[: MAX_FRAMES - 1], frames[-1]]


def current_line(stack: list[Activation]) -> Line | None:
    """Return the innermost statement that has begun and not finished."""
    for activation in reversed(stack):
        if activation.line is not None:
            return activation.line
    return None


class NodeLines:
    """The number that the next node will get, recorded whenever a line begins or goes on."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._marks: list[MadeAt] = []

    def add(self, line: int, owner: Line | None) -> None:
        """Assign the nodes made from here on to a line."""
        start = torch._C._autograd._get_sequence_nr()
        mark = MadeAt(line, owner)
        if self._starts and self._starts[-1] == start:
            self._marks[-1] = mark
        else:
            self._starts.append(start)
            self._marks.append(mark)

    def made_at(self, number: int) -> MadeAt:
        index = bisect_right(self._starts, number) - 1
        return _NOBODY if index < 0 else self._marks[index]


_NOBODY = MadeAt(None, None)
