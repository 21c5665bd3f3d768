"""What a line says of the exception that leaves it."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType

from inplace_tui.worker.process import errors

MAX_TEXT = 4_000
"""Characters kept of a message; the whole one is with the outcome."""

_PLAIN = (str, int, float, complex, bool, bytes, type(None))


def brief(error: BaseException) -> str:
    """Return `Type: message`, without running anything of the program's.

    The message is left out where an argument is not plain: the text of a large
    tensor takes half a minute, and a `__str__` of one's own may do anything.
    """
    name = errors.class_name(error)
    own = next(base for base in type(error).__mro__ if "__str__" in vars(base))
    if own.__module__ != "builtins" or any(type(a) not in _PLAIN for a in error.args):
        return name
    text = str(error)
    return f"{name}: {text[:MAX_TEXT]}" if text else name


def in_backward(frame: FrameType, trace: TracebackType | None) -> bool:
    """Whether a backward is on the stack, above or below a frame of the program."""
    return errors.in_backward(_codes(frame, trace))


def _codes(frame: FrameType | None, trace: TracebackType | None) -> Iterator[CodeType]:
    """Return the functions of a stack, outermost first."""
    around: list[CodeType] = []
    while frame is not None:
        around.append(frame.f_code)
        frame = frame.f_back
    yield from reversed(around)
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next
