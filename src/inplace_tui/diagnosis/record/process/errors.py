"""How an exception that left the program becomes a `Raised`, without running its code."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType, TracebackType

import torch

from inplace_tui.blame.program import chain
from inplace_tui.common.decodable import encodable
from inplace_tui.common.run.outcome import Completed, Raised, StackFrame
from inplace_tui.diagnosis.record.process.own_files import RECORDER, OwnFiles

MAX_TEXT = 100_000
"""Characters of a message or a traceback; an exception may hold a book."""

MAX_BRIEF = 4_000
"""Characters of a message beside its line; the whole one is with the outcome."""

MAX_PLACES = 1_000
"""Frames of a chain: the usual recursion limit, which a program may raise."""

_DYNAMO = Path(torch.__file__).parent / "_dynamo"
_COMPILERS = frozenset(str(_DYNAMO / f"{name}.py") for name in ("convert_frame", "output_graph"))
"""Told by their files: importing them takes as long as importing torch, and a first run
that has been asked for would wait for it."""

_PLAIN = (str, int, float, complex, bool, bytes, type(None))

_BACKWARDS = frozenset(
    function.__code__
    for function in (torch.autograd.backward, torch.autograd.grad, torch.Tensor.backward)
)


def ending(error: BaseException, files: OwnFiles) -> Completed | Raised:
    """Return how a program ended that this exception left."""
    try:
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return Completed()
        return raised(error, files)
    except BaseException:
        # An exception that raises whatever it is asked; its type can't.
        name = encodable(type(error).__qualname__)
        return Raised(exception=name, message="", line=None, in_backward=False)


def raised(error: BaseException, files: OwnFiles) -> Raised:
    """Return what is to be known of an exception, as caught where the program was started.

    Its traceback, and those of the exceptions behind it, lose our own frames here.
    """
    _strip(error)
    frames: list[tuple[FrameType, int | None]] = list(traceback.walk_tb(error.__traceback__))
    lines = [
        None if line is None else line + files.before[frame.f_code.co_filename]
        for frame, line in frames
        if frame.f_code in files
    ]
    line, column = lines[-1] if lines else None, None
    if isinstance(error, SyntaxError) and not frames:
        # Python refused the program itself: no line of it ran.
        line, column = error.lineno, error.offset
    return Raised(
        exception=class_name(error),
        message=_message(error),
        line=line,
        column=column,
        in_backward=in_backward(frame.f_code for frame, _ in frames),
        chain=_chain(frames),
        traceback=_traceback(error),
    )


def class_name(error: BaseException) -> str:
    """Return the name of its class, with the module unless that is `builtins`.

    Of `__main__` neither: that is how a traceback prints it.
    """
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return encodable(kind.__qualname__)
    return encodable(f"{kind.__module__}.{kind.__qualname__}")


def in_backward(codes: Iterable[CodeType]) -> bool:
    """Whether the program (a stack, outermost first) has called a way into torch's backward.

    What a compiler differentiates while it compiles, the program did not ask for.
    """
    for code in codes:
        if code in _BACKWARDS or code.co_filename in _COMPILERS:
            return code in _BACKWARDS
    return False


def brief(error: BaseException) -> str:
    """Return `Type: message`, without running anything of the program's.

    The message is left out where an argument is not plain: the text of a large
    tensor takes half a minute, and a `__str__` of one's own may do anything.
    """
    name = class_name(error)
    own = next(base for base in type(error).__mro__ if "__str__" in vars(base))
    if own.__module__ != "builtins" or any(type(a) not in _PLAIN for a in error.args):
        return name
    text = str(error)
    return f"{name}: {text[:MAX_BRIEF]}" if text else name


def _message(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.__traceback__ is None:
        return _short(str(error.msg))
    try:
        return _short(str(error))
    except Exception:
        return f"<{type(error).__name__}: its __str__ failed>"


def _traceback(error: BaseException) -> str:
    try:
        return _short("".join(traceback.format_exception(error)))
    except Exception as failure:
        return f"{class_name(error)} (its traceback can't be printed: {class_name(failure)})\n"


def _short(text: str) -> str:
    if len(text) > MAX_TEXT:
        half = MAX_TEXT // 2
        text = f"{text[:half]}\n…\n{text[-half:]}"
    return encodable(text)


def _chain(frames: list[tuple[FrameType, int | None]]) -> tuple[StackFrame, ...]:
    if len(frames) > MAX_PLACES:
        half = MAX_PLACES // 2
        frames = frames[:half] + frames[-half:]
    places = ((frame.f_code, line or 0) for frame, line in frames)
    return tuple(
        StackFrame(file=encodable(code.co_filename), line=line, function=encodable(code.co_name))
        for code, line in places
    )


def _strip(error: BaseException) -> None:
    """Take our frames out of the traceback, and out of those of what it came from."""
    for found in chain(error):
        links, rest = [found.__traceback__], None
        while (last := links[-1]) is not None:
            links.append(last.tb_next)
        for link in reversed(links):
            if link is not None and not link.tb_frame.f_code.co_filename.startswith(RECORDER):
                rest = TracebackType(rest, link.tb_frame, link.tb_lasti, link.tb_lineno)
        found.__traceback__ = rest
