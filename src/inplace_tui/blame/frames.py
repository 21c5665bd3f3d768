"""Where the program was: call stacks, captured cheaply and read only once something failed."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import itertools
import linecache
import os
import stat
import sys
import tokenize
import types
from typing import Any, Callable

from inplace_tui.blame.libraries import is_library, scripts_folder
from inplace_tui.blame.program import MAX_FILE, OWN, STDIN

Frame = dict[str, Any]
"""`file`, `line`, `function`, `code` (the text) and `library` (whether it is installed)."""

Capture = Any
"""What `capture` returned: opaque, holds code objects and never a frame or a value."""

SHARES = sys.version_info >= (3, 11)
"""Before 3.11, the line of a frame that has an `f_trace` is not kept up to date."""

RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""What is resumed may have another caller each time."""

DISPLAY_NAMES: dict[str, str] = {}
"""File -> the name to show for it: the cells of a notebook."""


def walk() -> tuple[Any, ...]:
    """Capture the stack in Python, where torch has no function for it: before torch 2.1."""
    frame = sys._getframe(1)
    found: list[Any] = []
    while frame is not None:
        found.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def capturer() -> Callable[[], Capture]:
    """Return the fastest function that captures a stack.

    torch's own is C and needs 0.3 µs for 14 frames; `walk` takes three times that. torch can't
    read back names of files that are not UTF-8.
    """
    try:
        "".join(map(str, sys.path)).encode()
        from torch._C._profiler import gather_traceback
    except (ImportError, UnicodeEncodeError):
        return walk
    return functools.partial(gather_traceback, True, False, False)


DYNAMO = os.path.join("torch", "_dynamo", "eval_frame.py")
GENERATED = "<eval_with_key>"
"""The file of code that torch.fx wrote."""


class SharedStack:
    """The stack of all writes in one call of a library's function, distinguished by instruction.

    An optimizer's step writes several times to each parameter. Its callers stay the same while it
    runs, so the stack is captured once and kept as the frame's `f_trace`, which Python reads only
    for a debugger: no other attribute of a frame can be set and ends with it.
    """

    __slots__ = ("captured", "code")

    def __init__(self, captured: Capture, code: types.CodeType) -> None:
        self.captured = captured
        self.code = code

    def __call__(self, *event: Any) -> None:
        """Trace nothing: a debugger that starts in this very call finds a frame without trace."""

    def line(self, at: int) -> int | None:
        return next((line for a, z, line in self.code.co_lines() if a <= at < z), None)


def shared(running: Any, capture: Callable[[], Capture]) -> tuple[Capture, int | None]:
    """Return the stack from a frame on, and the instruction where others may share it."""
    code = running.f_code
    if (
        SHARES
        and running.f_trace is None
        and is_library(code.co_filename)
        and not code.co_flags & RESUMABLE
        and sys.gettrace() is None
    ):
        running.f_trace = found = SharedStack(capture(), code)
        return found, running.f_lasti
    return capture(), None


def resolve(captured: Capture, at: int | None = None) -> list[Frame]:
    """Return the frames of a capture, innermost first, without those of this package."""
    if isinstance(captured, SharedStack):
        innermost, *outer = resolve(captured.captured)
        line = None if at is None else captured.line(at)
        if line is not None:
            innermost = frame(innermost["file"], line, innermost["function"])
        return [innermost, *outer]
    if isinstance(captured, tuple):
        found = [(code.co_filename, line, code.co_name) for code, line in captured]
    else:
        (symbols,) = _symbolized([captured])
        found = [(each["filename"], each["line"], each["name"]) for each in symbols]
    frames = [frame(*each) for each in found if not each[0].startswith(OWN)]
    return outermost_dropped(_without_regions(frames))


def _without_regions(frames: list[Frame]) -> list[Frame]:
    """Drop what Dynamo made of functions and calls: the line that calls it tells more than theirs.

    Such frames have the file of the function and its first line, and lie between two of Dynamo's:
    one that enters compiled code, and the one that the program called.
    """
    kept: list[Frame] = []
    region: list[Frame] | None = None
    for each in frames:
        if each["file"].endswith(DYNAMO):
            begins = region is None and (not kept or kept[-1]["library"])
            kept += [inner for inner in region or () if inner["library"]]
            kept.append(each)
            region = [] if begins else None
        elif region is not None:
            region.append(each)
        elif not each["file"].startswith(GENERATED):
            kept.append(each)
    return kept + (region or [])


def _symbolized(captured: list[Any]) -> Any:
    """Have torch read captures, without importing the compiler, which it would ask for lines."""
    import torch
    from torch._C._profiler import symbolize_tracebacks

    if "_inductor" in torch.__dict__:
        return symbolize_tracebacks(captured)
    torch.__dict__["_inductor"] = None
    try:
        return symbolize_tracebacks(captured)
    finally:
        del torch.__dict__["_inductor"]


def frame(file: str, line: int, function: str) -> Frame:
    return {
        "file": file,
        "line": line,
        "function": function,
        "code": source_line(file, line).strip(),
        "library": is_library(file),
    }


def source_line(file: str, line: int) -> str:
    """Return a line of a program; "" where it can't be read.

    A program names its code as it likes, after a pipe, too: `linecache` would wait for that.
    """
    known = linecache.cache.get(file, ())  # a notebook's cell, or what was generated
    lines = known[2] if len(known) == 4 else STDIN if file == "<stdin>" else ()
    if lines or file.startswith("<"):
        return "".join(lines[line - 1 : line])
    for folder in ("", *(() if os.path.isabs(file) else sys.path)):
        with contextlib.suppress(OSError, TypeError, ValueError):
            path = os.path.join(folder, file)
            found = os.stat(path)
            return _line_of(path, line, found.st_mtime_ns, found.st_size)
    return ""


@functools.lru_cache(maxsize=4096)
def _line_of(path: str, line: int, *_: int) -> str:
    """Return a line of a file that has this time and size: by and by it may be another one.

    Raises:
        OSError: it can't be read, or is not a file of a usual size.
    """
    with io.open(path, "rb", opener=_without_waiting) as file:  # noqa: UP020  # not the program's
        content = file.read(MAX_FILE + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    if content is None or len(content) > MAX_FILE:
        raise OSError
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError:
        encoding = "utf-8"
    text = io.TextIOWrapper(io.BytesIO(content), encoding, "replace")
    return "".join(itertools.islice(text, line - 1, line))


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def outermost_dropped(frames: list[Frame]) -> list[Frame]:
    """Drop the outermost frames, which started the program: a runner, or a command's script."""
    while frames and _is_starter(frames[-1]) and not all(map(_is_starter, frames)):
        frames.pop()
    return frames


def _is_starter(frame: Frame) -> bool:
    """Whether a frame is in a library, or in the script of an installed command."""
    folder = os.path.dirname(frame["file"])
    return bool(frame["library"]) or os.path.realpath(folder) == scripts_folder()


def here() -> list[Frame]:
    """Return where the program is, innermost first."""
    return resolve(capturer()())


def headline(frames: list[Frame]) -> Frame | None:
    """Return the innermost frame outside libraries, else the innermost of all."""
    own = (each for each in frames if not each["library"])
    return next(own, frames[0] if frames else None)


def is_checkpoint(frame: Frame) -> bool:
    """Whether a frame is of `torch.utils.checkpoint`."""
    return bool(os.path.normpath(frame["file"]).endswith(_CHECKPOINT_FILE))


_CHECKPOINT_FILE = os.path.join("torch", "utils", "checkpoint.py")


def shown(file: str) -> str:
    """Return the name to show for a file: relative if it is below the working directory."""
    if file in DISPLAY_NAMES:
        return DISPLAY_NAMES[file]
    try:
        relative = os.path.relpath(file)
    except (OSError, ValueError):  # no working directory any more, or another drive
        return file
    return relative if not relative.startswith("..") and os.path.isabs(file) else file
