"""Which files of the user's own a program has: what it imports that is not installed."""

from __future__ import annotations

import ast
import importlib.util
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

import msgspec

from inplace_tui.blame.libraries import is_library
from inplace_tui.common.atomic_files import read_whole
from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.program import Program
from inplace_tui.common.syntax import parse

MAX_FILES = 200
MAX_BYTES = 4 * 2**20
"""Of all files together: beyond that a program is recorded without the last ones."""

MAX_FILE = 2**20
"""Bytes of one: what is larger is data, of which 5 MB take 16 s and 1.4 GB to parse."""


@dataclass(frozen=True)
class FileGlobs:
    """What the user says of which files are theirs; globs of whole paths or of their ends."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        if _matches(path, self.exclude):
            return False
        return _matches(path, self.include) or not is_library(path)


OWN = FileGlobs()


def _matches(path: str, globs: Iterable[str]) -> bool:
    return any(fnmatch(path, glob) or fnmatch(path, f"*/{glob}") for glob in globs)


def with_files(program: Program, globs: FileGlobs, loaded: Iterable[str] = ()) -> Program:
    """Return a program with all files of the user's own that it imports."""
    main = program.main
    main_path = _main_path(program)
    sources: dict[str, str] = {}
    for path in (*_imported(program, main), *loaded):
        is_known = path in sources or path == main_path
        if is_known or not globs.takes(path) or (parsed := _parsed(path)) is None:
            continue
        source, _ = parsed
        if len(sources) >= MAX_FILES or sum(map(len, sources.values())) + len(source) > MAX_BYTES:
            break
        sources[path] = source
    if not sources:
        return program
    # As people write them: relative to the program's folder.
    folder = program.folder or os.getcwd()
    below = ((path, os.path.relpath(path, folder)) for path in sources)
    names = [path if name.startswith("..") else name for path, name in below]
    text = join_files(main, zip(names, sources.values(), strict=True))
    return msgspec.structs.replace(program, source=text, files=tuple(sources))


def _main_path(program: Program) -> str:
    return os.path.join(program.folder or "", program.filename)


_Import = tuple[int, str | None, tuple[str, ...]]
"""The level of a relative import, the module, and what is imported from it."""


def _parsed(path: str) -> tuple[str, tuple[_Import, ...]] | None:
    """Return a file's text and what it imports, if Python can parse it."""
    try:
        status = os.stat(path)
        return _parsed_at(path, status.st_mtime_ns, status.st_size)
    except (OSError, UnicodeError, SyntaxError, ValueError):
        return None


@lru_cache(maxsize=2 * MAX_FILES)
def _parsed_at(path: str, stamp: int, size: int) -> tuple[str, tuple[_Import, ...]]:  # noqa: ARG001
    """Parse a file once for each time that it was written: the sandbox asks at every run."""
    source = importlib.util.decode_source(read_whole(Path(path), MAX_FILE))
    return source, _imports(source)


def _imports(source: str) -> tuple[_Import, ...]:
    found: list[_Import] = []
    for node in ast.walk(parse(source, deep=True)):
        if isinstance(node, ast.Import):
            found += [(0, each.name, ()) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module, tuple(each.name for each in node.names)))
    return tuple(found)


def _imported(program: Program, main: str) -> Iterator[str]:
    """Yield the files that a program's text imports, and that those import, each once."""
    if program.folder is None:
        return
    roots = [program.folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    if program.is_imported:  # as pytest has it
        roots.append(os.path.dirname(program.filename))
    package = (program.module or "").rpartition(".")[0]
    try:
        waiting = [(_imports(main), package)]
    except SyntaxError:
        return
    seen = {_main_path(program)}
    while waiting:
        imports, around = waiting.pop(0)
        for name in _modules(imports, around):
            for path, package in _files_of(name, roots):
                if path not in seen and not is_library(path):
                    seen.add(path)
                    yield path
                    parsed = _parsed(path)
                    waiting.append(((), "") if parsed is None else (parsed[1], package))


def _modules(imports: Iterable[_Import], package: str) -> Iterator[str]:
    """Yield the full names of what a file imports; a name may be of something in a module."""
    for level, module, names in imports:
        above = package.split(".") if package else []
        above = above[: len(above) - level + 1] if level else []
        base = ".".join([*above, *([module] if module else [])])
        if base:
            yield base
        yield from (f"{base}.{each}" if base else each for each in names)


def _files_of(name: str, roots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that importing a module runs, each with its package."""
    parts = name.split(".")
    for root in roots:
        first = os.path.join(root, parts[0])
        if not os.path.isdir(first) and not os.path.isfile(f"{first}.py"):
            continue
        for count in range(1, len(parts) + 1):
            base = os.path.join(root, *parts[:count])
            inside = os.path.join(base, "__init__.py")
            if os.path.isfile(inside):
                yield inside, ".".join(parts[:count])
            elif os.path.isfile(f"{base}.py"):
                yield f"{base}.py", ".".join(parts[: count - 1])
                break
        return
