"""The program's own files: which code is of them, where it stands in the whole text."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, SupportsIndex, TypeAlias

from inplace_tui.blame.libraries import is_library
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole
from inplace_tui.common.run.files import main_text, split_files

OURS = str(Path(__file__).parents[3]) + os.sep
RECORDER = str(Path(__file__).parents[1]) + os.sep
"""Whose frames are on the stack of a program."""


Compiler: TypeAlias = Callable[[str, str], CodeType]


class OwnFiles:
    """Lines of the whole text, by the code objects that Python makes of its parts."""

    def __init__(
        self, text: str, main: str, others: Sequence[str] = (), *, is_imported: bool = False
    ) -> None:
        parts = split_files(text)
        parts = parts[len(parts) - len(others) :]
        self.text = text
        self.main = main_text(text, len(others))
        self.before = {
            main: 0,
            **{path: part.before for path, part in zip(others, parts, strict=True)},
        }
        """By path: lines of the whole text before the file."""

        self.known = frozenset(sys.modules)
        """What the warm worker has imported."""

        self.compiled = compiled
        """What makes code of a file's text and path."""

        self._texts = {path: part.source for path, part in zip(others, parts, strict=True)}
        if is_imported:
            self._texts[main] = self.main

    def __contains__(self, code: CodeType) -> bool:
        return code.co_filename in self.before

    def line(self, frame: FrameType) -> int:
        """Return the line of the whole text at which a frame of the program is."""
        return frame.f_lineno + self.before[frame.f_code.co_filename]

    def frames(self) -> list[FrameType]:
        """Return the program's frames on the stack, innermost first.

        Comprehensions and class bodies are left out: a reader sees no call there.
        """
        found: list[FrameType] = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:  # at each tensor that is saved
            if frame.f_code.co_filename in self.before and is_function(frame):
                found.append(frame)
            frame = frame.f_back
        return found

    def lines(self) -> tuple[int, ...]:
        """Return the lines of the program's frames on the stack, innermost first."""
        return tuple(map(self.line, self.frames()))

    def running_line(self) -> int | None:
        frames = self.frames()
        return self.line(frames[0]) if frames else None

    def loaded(self) -> tuple[str, ...]:
        """Return the files of the modules that were imported, without installed ones."""
        modules = [each for name, each in list(sys.modules.items()) if name not in self.known]
        found = [getattr(each, "__file__", None) for each in modules]
        paths = [each for each in found if isinstance(each, str) and each.endswith(".py")]
        others = [each for each in paths if each not in self.before and not each.startswith(OURS)]
        return tuple(each for each in others if not is_library(each))

    def texts(self) -> dict[str, str]:
        """Return the text of each file by its path, the main one first."""
        first = next(iter(self.before))
        return {first: self.main, **{each: self._texts[each] for each in [*self.before][1:]}}

    def take_the_place_of_others(self) -> None:
        """Have files imported as they stand here, where something else stands on disk."""
        as_on_disk = self.compiled is compiled
        texts = self._texts.items()
        edited = {path: text for path, text in texts if not as_on_disk or _on_disk(path) != text}
        if edited:
            sys.meta_path = _FixedFirst([_Finder(edited, self.compiled), *sys.meta_path])


def compiled(text: str, path: str) -> CodeType:
    return compile(text, path, "exec", dont_inherit=True)


def is_function(frame: FrameType) -> bool:
    """Whether a reader sees a call here: a function, a lambda or the module."""
    code = frame.f_code
    if code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return False
    is_optimized = bool(code.co_flags & 0x1)
    return is_optimized or code.co_name == "<module>"


def _on_disk(path: str) -> str | None:
    try:
        return decode_source(read_whole(Path(path), MAX_USER_FILE))
    except (OSError, UnicodeError, SyntaxError):
        return None


class _FixedFirst(list[Any]):
    """Finders of which the first stays so: pytest's would read the files of tests itself."""

    def insert(self, index: SupportsIndex, finder: object) -> None:
        super().insert(index or 1, finder)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds edited files where Python finds the originals."""

    def __init__(self, texts: dict[str, str], compiled: Compiler) -> None:
        self._texts = texts
        self._compiled = compiled

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin not in self._texts:
            return None
        spec.loader = _Loader(fullname, spec.origin, self._texts[spec.origin], self._compiled)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a text in the place of a file; nothing is written."""

    def __init__(self, fullname: str, path: str, text: str, compiled: Compiler) -> None:
        super().__init__(fullname, path)
        self._text = text
        self._compiled = compiled

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - Python's
        path = self.path
        lines = self._text.splitlines(keepends=True)
        linecache.cache[path] = (len(self._text), None, lines, path)
        return self._compiled(self._text, path)
