"""Reads and writes programs in files, with a reason for every refusal."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.common.atomic_files import read_start, read_whole, save_files
from inplace_tui.common.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.common.notebook import (
    SUFFIX,
    NotebookError,
    new_notebook,
    read_notebook,
    with_cells,
)
from inplace_tui.common.problems import ToldError
from inplace_tui.common.run.files import split_files
from inplace_tui.common.texts.notebook import NotebookTexts
from inplace_tui.common.texts.screen import ScreenTexts

MAX_BYTES = 1_000_000
"""Programs are smaller; far above, the editor with tree-sitter is slow."""

_SEPARATORS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""The editor takes them for ends of lines, and would write them so; Python does not."""

_ENDS = re.compile("\r\n|\n|\r")


class FileError(ToldError):
    """A file that can't be opened or written."""


@dataclass(frozen=True)
class TextFile:
    """What was in a file."""

    path: Path
    text: str
    content: bytes | None
    """To the last byte: times can be kept by who changes it. None where there is no file yet."""


def read(path: Path) -> TextFile:
    """Return the program in a file; of a file that is not there yet, an empty one.

    Raises:
        FileError: a folder, unreadable, huge, binary or not UTF-8.
    """
    shown = str(path)
    try:
        if "\0" in shown:
            raise FileError(ScreenTexts.file_unreadable, path=shown, reason="zero byte in its name")
        if path.is_dir():
            raise FileError(ScreenTexts.file_folder, path=shown)
        if not path.exists():
            if not path.parent.is_dir():
                raise FileError(ScreenTexts.file_missing, path=shown)
            return TextFile(path, "", None)
        if not path.is_file():
            raise FileError(ScreenTexts.file_unreadable, path=shown, reason="not a regular file")
        size, most = path.stat().st_size, MAX_NOTEBOOK if path.suffix == SUFFIX else MAX_BYTES
        if size > most:
            raise FileError(ScreenTexts.file_huge, path=shown, size=size, limit=most)
        text = content = read_whole(path, most)
        if path.suffix == SUFFIX:
            text = read_notebook(content).text.encode()
    except NotebookError as refusal:
        raise FileError(NotebookTexts.unusable, path=path, why=refusal.text) from None
    except (OSError, ValueError) as refusal:
        reason = reason_of(refusal)
        raise FileError(ScreenTexts.file_unreadable, path=shown, reason=reason) from None
    return TextFile(path, text_of(text, shown), content)


def text_of(content: bytes, shown: str) -> str:
    """Return what a file says, if the editor would write it as it is.

    Raises:
        FileError: it would not.
    """
    if b"\0" in content:
        raise FileError(ScreenTexts.file_binary, path=shown, offset=content.index(b"\0"))
    try:
        # With a byte order mark in it, something could be typed before that.
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as refusal:
        at = refusal.start
        raise FileError(
            ScreenTexts.file_encoding, path=shown, offset=at, byte=content[at]
        ) from None
    if separator := _SEPARATORS.search(text):
        line, code = text.count("\n", 0, separator.start()) + 1, f"U+{ord(separator[0]):04X}"
        raise FileError(ScreenTexts.file_separators, path=shown, line=line, code=code)
    if (line_number := _first_unlike(text)) is not None:
        raise FileError(ScreenTexts.file_ends, path=shown, line=line_number)
    return text


def _first_unlike(text: str) -> int | None:
    """Return the first line that ends in another way than those before it; None if all are alike.

    The editor knows one way to end a line, and would write them all so.
    """
    first = _ENDS.search(text)
    for line, end in enumerate(_ENDS.finditer(text), 1):
        if first is not None and end.group() != first.group():
            return line
    return None


def write(path: Path, text: str, original: Path | None = None) -> TextFile:
    """Write a program to a file, completely or not at all.

    Raises:
        FileError: it can't be written.
    """
    file = prepared(path, text, original)
    save({path: file.content or b""})
    return file


def prepared(path: Path, text: str, original: Path | None) -> TextFile:
    """Return what a file will be with a program in it.

    A byte order mark stays. Of a notebook that is there, the cells are written: it must have the
    same ones. A new one has all else that the `original` has, from which the program was read.

    Raises:
        FileError: it can't be written so.
    """
    source = path if exists(path) else original
    try:
        content = text.encode("utf-8")
        if path.suffix == SUFFIX:
            content = _notebook(source, text)
            text = read_notebook(content).text
        elif source is not None and os.path.isfile(source) and read_start(source, 2) == BOM_UTF8:
            content = BOM_UTF8 + content
    except NotebookError as refusal:
        raise FileError(NotebookTexts.unwritten, path=path, why=refusal.text) from None
    except (OSError, ValueError) as refusal:
        raise unsaved(path, refusal) from None
    return TextFile(path, text, content)


def save(files: Mapping[Path, bytes], journals: Path | None = None) -> None:
    """Write files, all or none.

    Raises:
        FileError: one can't be written.
    """
    try:
        save_files(files, journals)
    except OSError as refusal:
        raise unsaved(refusal.filename, refusal) from None
    except ValueError as refusal:
        raise unsaved(next(iter(files)), refusal) from None


def unsaved(path: Path | str, refusal: Exception) -> FileError:
    return FileError(ScreenTexts.not_saved, path=str(path), reason=reason_of(refusal))


def _notebook(original: Path | None, text: str) -> bytes:
    if original is None or original.suffix != SUFFIX or not exists(original):
        return new_notebook(text)
    main, *cells = split_files(text)
    if main.source.strip():
        raise NotebookError(NotebookTexts.other_cells)  # it would be lost
    return with_cells(read_whole(original, MAX_NOTEBOOK), cells)


def exists(path: Path) -> bool:
    # `Path.exists` raises where a folder is locked, or a name too long.
    return os.path.exists(path)


def is_folder(path: Path) -> bool:
    """Whether nothing can be saved there for being a folder; not knowing is no."""
    return os.path.isdir(path)


def changed_since(file: TextFile) -> bool:
    try:
        return read_whole(file.path, MAX_NOTEBOOK) != file.content
    except OSError:
        return exists(file.path)


def reason_of(refusal: Exception) -> str:
    """Return the reason alone: which file it is stands beside it already."""
    return refusal.strerror if isinstance(refusal, OSError) and refusal.strerror else str(refusal)
