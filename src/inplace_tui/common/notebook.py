"""Notebooks as programs: the code cells in order, as the parts of one text, and back.

What only IPython understands stands in the text as a comment, line for line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import msgspec

from inplace_tui.common.cells import clean, clip
from inplace_tui.common.decodable import decodable
from inplace_tui.common.problems import ToldError
from inplace_tui.common.run.files import FilePart, join_files, lines_of, split_files, whole_lines
from inplace_tui.common.syntax import parse
from inplace_tui.common.texts import say
from inplace_tui.common.texts.notebook import NotebookTexts

SUFFIX = ".ipynb"

MAX_BYTES = 128 * 2**20
"""With the pictures that its cells drew."""

_MARK = "#\N{INVISIBLE TIMES}"
"""Begins the comment that stands for a line of IPython: nobody types that."""

_PYTHON_CELLS = frozenset({"%%blame", "%%capture", "%%inplace", "%%prun", "%%time", "%%timeit"})
"""Magics whose cells are Python."""

_WITHOUT_EFFECT = frozenset({
    *_PYTHON_CELLS, "%%html", "%%latex", "%%markdown", "%%svg", "%autoreload", "%blame", "%config",
    "%load_ext", "%matplotlib", "%reload_ext",
})  # fmt: skip
"""Magics that a program can do without."""

_ASSIGNED = re.compile(r"[\w\s,.*\[\]'\"]+=\s*[!%]")
_REPLACED = re.compile(rf"^(\s*)(?:pass  )?{_MARK}(.*)$")
_TIMED = re.compile(rf"^(\s*)(.*)  {_MARK}%time$")


class NotebookError(ToldError):
    """A file that can't be taken for a notebook, or written as one."""


class _LanguageInfo(msgspec.Struct):
    name: str | None = None


class _Kernel(msgspec.Struct):
    language: str | None = None


class _Metadata(msgspec.Struct):
    language_info: _LanguageInfo | None = None
    kernelspec: _Kernel | None = None


class _NotebookCell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    input: str | list[str] = ""


class _Sheet(msgspec.Struct):
    cells: list[_NotebookCell]


class _Form(msgspec.Struct):
    """What a notebook must be so that it can be run and written."""

    nbformat: Literal[3, 4]
    metadata: _Metadata | None = None
    cells: list[_NotebookCell] = []
    worksheets: list[_Sheet] = []


@dataclass(frozen=True)
class Notebook:
    """What is run of a notebook."""

    names: tuple[str, ...]
    """Of the code cells: `In [3]`, or `cell 3` of one that was not run."""

    sources: tuple[str, ...]

    @property
    def text(self) -> str:
        """The program: an empty main file, and a part for each cell."""
        return join_files("", zip(self.names, map(as_python, self.sources), strict=True))


def read_notebook(content: bytes) -> Notebook:
    """Return the code cells of a notebook in format 3 or 4.

    Raises:
        NotebookError: it is none, or has no code.
    """
    cells = _code_cells(_document(content))
    counts = [each.get("execution_count", each.get("prompt_number")) for each in cells]
    names = [
        f"In [{count}]" if type(count) is int and counts.count(count) == 1 else f"cell {number}"
        for number, count in enumerate(counts, 1)
    ]
    return Notebook(tuple(names), tuple(_source(each)[1] for each in cells))


def rewritten(content: bytes, sources: Mapping[int, str]) -> bytes:
    """Return a notebook with other sources of some of its code cells, by their number from 0.

    Raises:
        NotebookError: it is none, or is laid out so that more would change.
    """
    document, text = _document(content), content.decode("utf-8-sig")
    layouts: list[dict[str, Any]] = [
        {"indent": indent, "ensure_ascii": ascii_, "separators": separators}
        for indent in (1, 2, 4, None, "\t")
        for ascii_ in (False, True)
        for separators in (None, (",", ":"))
    ]
    end = text[len(text.rstrip()) :]
    fit = [each for each in layouts if json.dumps(document, **each) + end == text]
    if not fit:
        raise NotebookError(NotebookTexts.layout)
    cells = _code_cells(document)
    for number, source in sources.items():
        key, _ = _source(cells[number])
        is_list = isinstance(cells[number][key], list)
        cells[number][key] = whole_lines(source) if is_list else source
    mark = content[: len(content) - len(text.encode())]
    return mark + (json.dumps(document, **fit[0]) + end).encode()


def with_cells(content: bytes, cells: Sequence[FilePart]) -> bytes:
    """Return a notebook whose code cells say what these parts of a program say.

    Raises:
        NotebookError: they are other cells, or more of it would change.
    """
    notebook = read_notebook(content)
    if [each.name for each in cells] != [*notebook.names]:
        raise NotebookError(NotebookTexts.other_cells)
    changed = {
        number: restored(after.source).rstrip("\n") + source[len(source.rstrip("\n")) :]
        for number, (source, after) in enumerate(zip(notebook.sources, cells, strict=True))
        if as_python(source).rstrip("\n") != after.source.rstrip("\n")
    }
    return rewritten(content, changed)


def new_notebook(text: str) -> bytes:
    """Return a notebook of a program: its cells, or one cell that has all of it.

    Raises:
        NotebookError: there is no code.
    """
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    cells: list[dict[str, Any]] = []
    for part in split_files(text):
        count = re.fullmatch(r"In \[(\d+)\]", part.name or "")
        if part.name is not None or part.source.strip():
            cells.append(
                {
                    "cell_type": "code",
                    "execution_count": None if count is None else int(count[1]),
                    "metadata": {},
                    "outputs": [],
                    "source": whole_lines(restored(part.source).rstrip("\r\n")),
                }
            )
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    _code_cells(document)
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def as_python(source: str) -> str:
    r"""Return the source of a cell with all that is not Python as comments, line for line.

    >>> as_python("%time f()\nx = (a\n % b)\n!ls\n") == (
    ...     f"f()  {_MARK}%time\nx = (a\n % b)\n{_MARK}!ls\n")
    True
    """
    lines = whole_lines(source)
    if lines and lines[0].startswith("%%"):
        is_python = lines[0].split()[0] in _PYTHON_CELLS
        for place in range(1 if is_python else len(lines)):
            lines[place] = _MARK + lines[place]
    replaced = -1
    while True:
        wrong = _not_python("".join(lines))
        if wrong is None or not replaced < wrong < len(lines) or not _is_magic(lines[wrong]):
            return "".join(lines)
        goes_on = lines[wrong].rstrip("\r\n").endswith("\\")
        lines[wrong], replaced = _as_comment(lines[wrong]), wrong
        while goes_on and (replaced := replaced + 1) < len(lines):
            goes_on = lines[replaced].rstrip("\r\n").endswith("\\")
            lines[replaced] = _MARK + lines[replaced]


def restored(source: str) -> str:
    """Return the source of a cell of which `as_python` made this."""
    lines = []
    for line in whole_lines(source):
        text = line.rstrip("\r\n")
        before = _REPLACED.sub(r"\1\2", _TIMED.sub(r"\1%time \2", text))
        lines.append(before + line[len(text) :])
    return "".join(lines)


def left_out(text: str) -> list[tuple[str, int, str]]:
    """Return what a program may miss of its notebook: the cell, the line there, and its text."""
    found = []
    for part in split_files(text)[1:]:
        matches = enumerate(map(_REPLACED.match, lines_of(part.source)), 1)
        lines = [(number, match[2]) for number, match in matches if match is not None]
        if lines and lines[0][1].startswith("%%"):
            # Of a cell in another language, its first line stands for all.
            lines = lines[1:] if lines[0][1].split()[0] in _PYTHON_CELLS else lines[:1]
        found += [(part.name or "", number, line) for number, line in lines if _is_missed(line)]
    return found


def _is_missed(line: str) -> bool:
    is_help = line.startswith("?") or line.rstrip().endswith("?")
    magic, *_ = line.split(maxsplit=1) or [""]
    return bool(magic) and not is_help and magic not in _WITHOUT_EFFECT


def is_in_order(text: str) -> bool:
    """Whether the cells stand in the order in which they were run."""
    names = (re.fullmatch(r"In \[(\d+)\]", part.name or "") for part in split_files(text))
    counts = [int(each[1]) for each in names if each is not None]
    return all(one < other for one, other in pairwise(counts))


MAX_NAMED = 5
"""Lines of IPython that are named."""


def missed_by(source: str, name: str, language: str) -> list[str]:
    """Return, in sentences, what a program of a notebook's cells misses of it."""
    found, missed = [], left_out(source)
    if missed:
        lines = [f"{cell}:{line} {clip(clean(text), 40)}" for cell, line, text in missed]
        shown = "; ".join(lines[:MAX_NAMED] + ["…"] * (len(missed) > MAX_NAMED))
        found.append(say(NotebookTexts.left_out, language, file=clean(name), lines=shown))
    if not is_in_order(source):
        found.append(say(NotebookTexts.order, language, file=clean(name)))
    return found


def _document(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise NotebookError(NotebookTexts.no_json, why=error) from error
    try:
        metadata = msgspec.convert(found, decodable(_Form)).metadata or _Metadata()
    except msgspec.ValidationError as error:
        raise NotebookError(NotebookTexts.no_notebook, why=error) from error
    info, kernel = metadata.language_info or _LanguageInfo(), metadata.kernelspec or _Kernel()
    name = info.name or kernel.language or "python"
    if "python" not in name.lower():
        raise NotebookError(NotebookTexts.no_python, language=name)
    assert isinstance(found, dict)
    return found


def _code_cells(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the code cells, of all sheets where there are some.

    Raises:
        NotebookError: none has any code.
    """
    sheets = document.get("worksheets", []) if document["nbformat"] == 3 else [document]
    cells = [cell for sheet in sheets for cell in sheet.get("cells", [])]
    found = [cell for cell in cells if cell["cell_type"] == "code"]
    if not any(_source(cell)[1].strip() for cell in found):
        raise NotebookError(NotebookTexts.no_code)
    return found


def _source(cell: dict[str, Any]) -> tuple[str, str]:
    """Return the key of a cell's source, and the source."""
    key = "input" if "input" in cell and "source" not in cell else "source"
    source = cell.get(key, "")
    return key, source if isinstance(source, str) else "".join(source)


def _not_python(source: str) -> int | None:
    """Return the first line, from 0, at which it is no Python; None if it is."""
    try:
        parse(source, deep=True)
    except SyntaxError as error:
        return None if error.lineno is None else error.lineno - 1
    return None


def _is_magic(line: str) -> bool:
    text = line.strip()
    return (
        text.startswith(("%", "!", "?")) or text.endswith("?") or _ASSIGNED.match(text) is not None
    )


def _as_comment(line: str) -> str:
    text = line.lstrip(" \t")
    indentation, end = line[: len(line) - len(text)], line[len(line.rstrip("\r\n")) :]
    text = text.rstrip("\r\n")
    if text.startswith("%time "):
        return f"{indentation}{text.removeprefix('%time ').strip()}  {_MARK}%time{end}"
    return f"{indentation}{'pass  ' if indentation else ''}{_MARK}{text}{end}"
