"""A program as one calls it in a shell: read, completed, and what is wrong with it, and where."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from inplace_tui.common import paths
from inplace_tui.common.command.launchers import Called
from inplace_tui.common.command.parser import LAUNCHERS, CommandError, reason_of
from inplace_tui.common.command.programs import program_in
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.notebook import SUFFIX
from inplace_tui.common.problems import ToldError, did_you_mean, fill
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.common.texts.programs import ProgramTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.keys import ascii_twin
from inplace_tui.tutorial.ui.opening import Opening, opening_of

MAX_READ = 5_000
"""Entries of a folder that are read, so that completing takes less than a second."""

_SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_PYTHON = re.compile(r"(.*/)?python[\d.]*|-[bBdEIOPqsSuvx]+")
"""Python itself, with options that matter to no explanation."""

_NO_TEXT = re.compile("[\0\udc80-\udcff]")
"""What a program has that Python can't read either."""

_WORD = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""")
"""As a shell knows it: quoted or not, and quoted in part."""

_SHELL = re.compile(r"[^\w@%+=:,./~-]")
"""What means something else to a shell."""


class ShellWord(NamedTuple):
    """A word of a line, and where it stands there."""

    text: str
    start: int
    end: int


class LineError(ToldError):
    """A line that calls no program."""

    def __init__(self, text: LocalText, at: ShellWord, /, into: str = "", **values: object) -> None:
        super().__init__(text, **values)
        self.at = at
        """What is wrong."""

        self.into = into
        """What to type behind it to see what is in it: of a folder, of a package."""


def words_of(line: str) -> list[ShellWord]:
    """Split a line as a shell does; what an input method made wide is meant for its twin.

    Raises:
        LineError: a quotation has no end.
    """
    words: list[ShellWord] = []
    start = len(line) - len(line.lstrip())
    while start < len(line):
        found = _WORD.match(line, start)
        end = start if found is None else found.end()
        if end < len(line) and not line[end].isspace():
            at = ShellWord(line[end], end, end + 1)
            raise LineError(ProgramTexts.unclosed, at, mark=at.text, column=end + 1)
        (text,) = shlex.split(line[start:end])
        twin = ascii_twin(text)
        if twin.isascii() and line[start:end] == text:
            text = twin
        words.append(ShellWord(text, start, end))
        start = len(line) - len(line[end:].lstrip())
    return words


def read_line(line: str, screen: str) -> Opening:
    """Return how a line opens a program; `python` may stand before it, as may `NAME=value`.

    Raises:
        LineError: it calls none that can be read.
    """
    try:
        return _read_line(line, screen)
    except OSError as refusal:  # a folder on the way is locked, or gone
        text = fill(ErrorTexts.cannot_read, path=line.strip(), why=reason_of(refusal))
        raise LineError(text, ShellWord(line, 0, len(line))) from None


def _read_line(line: str, screen: str) -> Opening:
    whole = line.strip()
    is_file = os.path.isfile(paths.expanded(whole))
    words = [ShellWord(whole, 0, len(line))] if is_file else words_of(line)
    words, environment = _called(words)
    if not words:
        raise LineError(ProgramTexts.empty, ShellWord("", len(line), len(line)))
    first, *rest = words
    if first.text == "-m" and not rest:
        raise LineError(ErrorTexts.no_value, first, name="-m")
    is_module = first.text == "-m" or (first.text in LAUNCHERS and not is_file)
    if first.text == "-m":
        first, *rest = rest
    name = LAUNCHERS.get(first.text, first.text) if is_module else _path(first)
    arguments = tuple(each.text for each in rest)
    if arguments[:1] == ("--",):  # as our command line has it
        arguments = arguments[1:]
    try:
        opening = opening_of(Called(name, arguments, is_module=is_module), screen)
        source = "" if opening.file is None else program_in(opening.file, ()).source
    except CommandError as refusal:
        is_absent = isinstance(refusal.__cause__, FileNotFoundError | ModuleNotFoundError)
        if is_module and is_absent and os.path.isdir(name.replace(".", "/")):
            raise LineError(ProgramTexts.package, first, into=".", name=name) from None
        absent = _absent(name, is_module=is_module) if is_absent else None
        raise LineError(absent or refusal.text, first) from None
    if found := _NO_TEXT.search(source):
        offset = len(source[: found.start()].encode(errors="surrogateescape"))
        byte = ord(found[0]) & 0xFF
        text = ScreenTexts.file_encoding if byte else ScreenTexts.file_binary
        raise LineError(fill(text, path=name, offset=offset, byte=byte), first)
    return replace(opening, environment=environment + opening.environment, line=whole)


def _path(word: ShellWord) -> str:
    path = str(paths.expanded(word.text))
    if os.path.isdir(path):
        os.scandir(path).close()  # a locked one is not empty
        text = ProgramTexts.folder if _programs(f"{path}/") else ProgramTexts.empty_folder
        raise LineError(text, word, into="/", path=path)
    return path


def _called(words: list[ShellWord]) -> tuple[list[ShellWord], tuple[tuple[str, str], ...]]:
    """Return a line from its program on, and what is set for that."""
    environment = []
    for place, word in enumerate(words):
        if found := _SETTING.fullmatch(word.text):
            environment.append((found[1], found[2]))
        elif not _PYTHON.fullmatch(word.text):
            return words[place:], tuple(environment)
    return [], tuple(environment)


def _absent(name: str, *, is_module: bool) -> LocalText | None:
    """Return what of a path, or of a module, is not there; None where all of it is."""
    path = Path(*name.split(".")) if is_module else Path(name)
    while not os.path.isdir(path.parent):
        path = path.parent
    known = [each.rstrip("/").rpartition("/")[2] for each in completions(f"{path.parent}/")]
    if is_module:
        known = [each.removesuffix(".py") for each in known]
    if path.name in known or os.path.exists(path):
        return None
    folder, hint = path.parent.absolute(), did_you_mean(path.name, known)
    return fill(ProgramTexts.absent, name=path.name, folder=folder, hint=hint)


def completions(typed: str) -> list[str]:
    """Return what `typed` may become, folders with a slash at their end; sorted.

    A name that begins with a dot is only offered to who typed the dot.
    """
    head, _, start = typed.rpartition("/")
    folder = Path(os.path.expanduser(f"{head}/" if "/" in typed else "."))
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry, _ in zip(entries, range(MAX_READ), strict=False):
                hidden = entry.name.startswith(".") and not start.startswith(".")
                if entry.name.startswith(start) and not hidden and entry.name.isprintable():
                    lead = f"{head}/" if "/" in typed else ""
                    found.append(f"{lead}{entry.name}{'/' if entry.is_dir() else ''}")
    except (OSError, ValueError):
        return []
    return sorted(found)


def completed(before: str) -> tuple[str, list[str]]:
    """Return a line without its last word, and what that may become: a program, else a file."""
    words: list[ShellWord] = []
    for mark in ("", "'", '"'):
        with suppress(LineError):
            words = words_of(before + mark)
            break
    at_word = bool(words) and words[-1].end >= len(before)
    last = words.pop() if at_word else ShellWord("", len(before), len(before))
    called = [each.text for each in _called(words)[0]]
    if called == ["-m"]:
        found = _modules(last.text)
    else:
        found = completions(last.text) if called else _programs(last.text)
    return before[: last.start], found


def _programs(typed: str) -> list[str]:
    """Return Python files and notebooks, then the folders in which there may be some."""
    found = [each for each in completions(typed) if each.endswith(("/", ".py", SUFFIX))]
    return sorted(found, key=lambda each: each.endswith("/"))


def _modules(typed: str) -> list[str]:
    """Return the modules below this folder that `typed` may become; packages end in a dot."""
    found = [each for each in completions(typed.replace(".", "/")) if each.endswith(("/", ".py"))]
    names = [each.removesuffix(".py").replace("/", ".") for each in found]
    own = [each for each in names if not each.endswith("__")]
    return [each for each in own if each.replace(".", "").isidentifier()]


def quoted(name: str) -> str:
    """Return a name as a shell takes it, also where it is the beginning of one."""
    return _SHELL.sub(r"\\\g<0>", name)
