"""Fixes as changes of files: read, and written only when that was asked for."""

from __future__ import annotations

import difflib
import io
import os
import re
import shutil
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from inplace_tui.common.atomic_files import save_file, save_files
from inplace_tui.common.bounded_reads import MAX_USER_FILE, read_start, read_whole
from inplace_tui.common.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.common.notebook import as_python, read_notebook, with_cells
from inplace_tui.common.run.files import FilePart, main_text, split_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Program


class FileChangedError(Exception):
    """The file is not what was explained: somebody has edited it since."""


@dataclass(frozen=True)
class FileChange:
    """A file before and after a fix, byte by byte."""

    path: Path
    before: bytes
    after: bytes


def changes(program: Program, fix: Fix) -> list[FileChange]:
    """Return what a fix changes, in the encodings that the files have.

    Raises:
        FileChangedError: a file holds something else by now.
        NotebookError: a notebook can't be written without changing more.
        OSError: it can't be read.
    """
    found: list[FileChange] = []
    parts = split_files(program.source), split_files(fix.source)
    if program.is_notebook and program.main != main_text(fix.source, len(program.files)):
        own = len(parts[0]) - len(program.files)
        found.append(_of_notebook(Path(program.filename), parts[0][1:own], parts[1][1:own]))
    for name, old, new in zip(program.paths, *parts, strict=True):
        if old.source != new.source and not (program.is_notebook and name == program.filename):
            found.append(rewritten(Path(name), old.source, new.source))
    return found


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


def _of_notebook(path: Path, old: Sequence[FilePart], new: Sequence[FilePart]) -> FileChange:
    """Return a notebook with the cells that a fix changes, else as it is."""
    before = read_whole(path, MAX_NOTEBOOK)
    sources = read_notebook(before).sources
    if [as_python(each).rstrip("\n") for each in sources] != [
        part.source.rstrip("\n") for part in old
    ]:
        raise FileChangedError(str(path))
    return FileChange(path, before, with_cells(before, new))


def write(found: Sequence[FileChange], journals: Path | None = None) -> list[Path]:
    """Write files anew, all or none, and return where the old ones are kept beside them.

    Raises:
        OSError: the file `filename` can't be written; then all are as they were.
    """
    kept: list[tuple[Path, bool]] = []
    try:
        for each in found:
            kept.append(_kept(each.path.resolve(), each.before))
        save_files({each.path: each.after for each in found}, journals)
    except BaseException:
        for path, is_ours in kept:
            if is_ours:
                path.unlink(missing_ok=True)
        raise
    return [path for path, _ in kept]


def _kept(path: Path, content: bytes) -> tuple[Path, bool]:
    """Keep the old content in `FILE.orig`, or `FILE.orig2` and so on; return whether it is new."""
    names = (f"{path.name}.orig{number if number > 1 else ''}" for number in count(1))
    for kept in map(path.with_name, names):
        if not os.path.lexists(kept):
            save_file(kept, content)
            shutil.copymode(path, kept)
            return kept, True
        if kept.is_file() and read_start(kept, len(content)) == content:
            return kept, False
    raise AssertionError("numbers do not end")


def patch(changes: Sequence[tuple[str, bytes, bytes]]) -> bytes:
    """Return a unified diff.

    `changes` have of each file its path from where the patch is applied, and its content before and
    after, in the encoding of the file.
    """
    return b"".join(line for change in changes for line in _lines(*change))


def _lines(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    # A lone carriage return ends a line of Python, and none of a patch.
    old, new = (re.findall(rb"[^\n]*\n|[^\n]+", content) for content in (before, after))
    one, other = (_quoted(f"{side}/{path}") for side in "ab")
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, one, other, lineterm=b"\n")
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _quoted(path: str) -> bytes:
    """Return a path as it stands in a patch: in C's quotes, or with a tab where it has blanks."""
    raw = path.encode("utf-8", "surrogateescape")
    if re.search(rb'[\x00-\x1f"\\\x7f]', raw):
        escaped = re.sub(rb'[\x00-\x1f"\\\x7f]', lambda found: b"\\%03o" % found[0][0], raw)
        return b'"' + escaped + b'"'
    return raw + b"\t" if b" " in raw else raw
