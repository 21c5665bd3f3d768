"""A fix on disk: what it changes in which files, which are written all or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from inplace_tui.common.atomic_files import read_start, read_whole, save_file, save_files
from inplace_tui.common.file_changes import FileChange, FileChangedError, rewritten
from inplace_tui.common.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.common.notebook import NotebookError, as_python, read_notebook, with_cells
from inplace_tui.common.run.files import FilePart, split_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Program


def changes(program: Program, fix: Fix) -> list[FileChange]:
    """Return what a fix changes, in the encodings that the files have.

    Raises:
        FileChangedError: a file holds something else by now.
        NotebookError: a notebook can't be written without changing more.
        OSError: it can't be read.
    """
    return list(_rewritten(program, fix.source))


def changed_since(program: Program) -> Path | None:
    """Return the first file of a program that holds something else by now."""
    try:
        list(_rewritten(program, program.source, every=True))
    except FileChangedError as changed:
        return Path(str(changed))
    except (NotebookError, OSError):
        return Path(program.filename)
    return None


def _rewritten(program: Program, source: str, *, every: bool = False) -> Iterator[FileChange]:
    """Yield the files that another text of the program changes; or `every` one that is there."""
    old, new = split_files(program.source), split_files(source)
    own = len(old) - len(program.files)
    if program.is_notebook and (every or old[:own] != new[:own]):
        yield _of_notebook(Path(program.filename), old[1:own], new[1:own])
    for name, before, after in zip(program.paths, old, new, strict=True):
        is_cell = program.is_notebook and name == program.filename
        if not is_cell and (Path(name).exists() if every else before.source != after.source):
            yield rewritten(Path(name), before.source, after.source)


def _of_notebook(path: Path, old: Sequence[FilePart], new: Sequence[FilePart]) -> FileChange:
    """Return a notebook with the cells that a fix changes, else as it is."""
    before = read_whole(path, MAX_NOTEBOOK)
    sources = read_notebook(before).sources
    if [as_python(each).rstrip("\n") for each in sources] != [
        part.source.rstrip("\n") for part in old
    ]:
        raise FileChangedError(str(path))
    return FileChange(path, before, with_cells(before, new))


def write(found: Sequence[FileChange], journals: Path | None = None) -> dict[Path, bool]:
    """Write files anew, all or none.

    Return where the old ones are kept beside them, each with whether it was not there before.

    Raises:
        OSError: the file `filename` can't be written; then all are as they were.
    """
    kept: dict[Path, bool] = {}
    try:
        for each in found:
            path, is_new = _kept(each.path.resolve(), each.before)
            kept[path] = is_new
        save_files({each.path: each.after for each in found}, journals)
    except BaseException:
        for path in (path for path, is_new in kept.items() if is_new):
            path.unlink(missing_ok=True)
        raise
    return kept


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
