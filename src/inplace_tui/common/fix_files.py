"""A fix on disk: what it changes in which files, which are written all or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from inplace_tui.common.atomic_files import read_start, read_whole, save_file, save_files
from inplace_tui.common.file_changes import FileChange, FileChangedError, rewritten
from inplace_tui.common.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.common.notebook import NotebookError, as_python, read_notebook, with_cells
from inplace_tui.common.run.files import FilePart, main_text, split_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Program


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


def changed_since(program: Program) -> Path | None:
    """Return the first file of a program that holds something else by now."""
    parts = split_files(program.source)
    own = len(parts) - len(program.files)
    try:
        if program.is_notebook:
            _of_notebook(Path(program.filename), parts[1:own], parts[1:own])
        for name, part in zip(program.paths, parts, strict=True):
            path = Path(name)
            if path.exists() and not (program.is_notebook and name == program.filename):
                rewritten(path, part.source, part.source)
    except FileChangedError as changed:
        return Path(str(changed))
    except (NotebookError, OSError):
        return Path(program.filename)
    return None


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
