"""The stack at a write, as a reader of the program would see it."""

from __future__ import annotations

import os
from pathlib import Path
from types import FrameType

from inplace_tui.model.outcome import StackFrame

_OURS = str(Path(__file__).parents[1]) + os.sep


def is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OURS)


def chain(frame: FrameType | None, line: int) -> tuple[StackFrame, ...]:
    """Return the stack from the module that runs down to a frame, outermost first."""
    found: list[StackFrame] = []
    while frame is not None:
        if not is_ours(frame):
            code = frame.f_code
            found.append(StackFrame(file=code.co_filename, line=line, function=code.co_name))
        elif found and found[-1].function == "<module>":
            break  # what started the program
        frame = frame.f_back
        line = 0 if frame is None else frame.f_lineno
    return tuple(found[::-1])
