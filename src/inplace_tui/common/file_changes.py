"""A Python file, whose text is changed in the encoding that it has."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole


class FileChangedError(Exception):
    """The file is not what was explained: somebody has edited it since."""


@dataclass(frozen=True)
class FileChange:
    """A file before and after a fix, byte by byte."""

    path: Path
    before: bytes
    after: bytes


def rewritten(path: Path, old: str | None, new: str) -> FileChange:
    """Return the change of a file from one text to another, in the encoding that it has.

    Raises:
        FileChangedError: it holds another text than the old one; never with None.
        OSError: it can't be read.
    """
    before = b"" if old is None and not path.exists() else read_whole(path, MAX_USER_FILE)
    try:
        codec = encoding_of(before)
        there, end = before.decode(codec), "\n"
        ends = {there.count(each) for each in ("\r\n", "\n", "\r")}
        if "\r" in there and "\r" not in new and len(ends) == 1:
            there, end = there.replace("\r\n", end), "\r\n"  # as Python reads an import
        # A file without a newline at its end has one among others.
        ended = "" if old is None else old.removeprefix(there)
        if ended in ("", "\n"):
            after = new.removesuffix(ended).replace("\n", end)
            return FileChange(path, before, after.encode(codec))
    except (SyntaxError, LookupError, UnicodeError):
        if old is None:
            return FileChange(path, before, new.encode())
    raise FileChangedError(str(path))


def encoding_of(content: bytes) -> str:
    """Return the encoding that a program says it has, or UTF-8.

    Raises:
        SyntaxError: it names none that there is.
    """
    return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
