"""Fixes as changes of files: read, and written only when that was asked for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from inplace_tui.atomic_files import save_file
from inplace_tui.bounded_reads import MAX_USER_FILE, read_start, read_whole
from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.engine.notebook import as_python, read_notebook, with_cells
from inplace_tui.model.files import FilePart, main_text, split_files
from inplace_tui.model.program import Program


class FileChangedError(Exception):
    """The file is not what was explained: somebody has edited it since."""


@dataclass(frozen=True)
class FileChange:
    """A file before and after a fix, byte by byte."""

    path: Path
    before: bytes
    after: bytes


def changes(program: Program, fix: Fix, encoding: Callable[[bytes], str]) -> list[FileChange]:
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
        if old.source == new.source or (program.is_notebook and name == program.filename):
            continue
        path = Path(name)
        before = read_whole(path, MAX_USER_FILE)
        codec = encoding(before)
        try:
            # A file without a newline at its end has one among others.
            ended = old.source.removeprefix(before.decode(codec))
        except UnicodeError:
            ended = old.source
        if ended not in ("", "\n"):
            raise FileChangedError(name)
        found.append(FileChange(path, before, new.source.removesuffix(ended).encode(codec)))
    return found


def _of_notebook(path: Path, old: Sequence[FilePart], new: Sequence[FilePart]) -> FileChange:
    """Return a notebook with the cells that a fix changes, else as it is."""
    before = read_whole(path, MAX_NOTEBOOK)
    sources = read_notebook(before).sources
    if [as_python(each).rstrip("\n") for each in sources] != [
        part.source.rstrip("\n") for part in old
    ]:
        raise FileChangedError(str(path))
    return FileChange(path, before, with_cells(before, new))


def write(change: FileChange) -> Path:
    """Write a file anew, and return where the old one is kept beside it.

    The new content is there as a whole or not at all.

    Raises:
        OSError: it can't be written; then it is as it was.
    """
    kept = _kept(change.path.resolve(), change.before)
    save_file(change.path, change.after)
    return kept


def _kept(path: Path, content: bytes) -> Path:
    """Keep the old content in `FILE.orig`; in `FILE.orig2` and so on where others are there."""
    names = (f"{path.name}.orig{number if number > 1 else ''}" for number in count(1))
    for name in names:
        kept = path.with_name(name)
        try:
            with kept.open("xb") as file:
                file.write(content)
        except FileExistsError:
            if kept.is_file() and read_start(kept, len(content)) == content:
                return kept
            continue
        shutil.copymode(path, kept)
        return kept
    raise AssertionError("numbers do not end")
