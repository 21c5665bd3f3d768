"""A program as one calls it in a shell: read, completed, and what is wrong with it, and where."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from dataclasses import replace
from glob import escape, iglob
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from inplace_tui.common import paths
from inplace_tui.common.command.launchers import Called
from inplace_tui.common.command.parser import LAUNCHERS, CommandError, refusing
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
"""Names of a folder that are looked at, so that completing takes less than a second."""

_SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_PYTHON = re.compile(r"(.*/)?python[\d.]*|-[bBdEIOPqsSuvx]+")
"""Python itself, with options that matter to no explanation."""

_WORD = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|\S""")
"""As a shell knows it, quoted or not, and quoted in part; else a mark that is not closed."""

_NO_TEXT = re.compile("[\0\udc80-\udcff]")
"""What a program has that Python can't read either."""

_NO_FILE = (FileNotFoundError, ModuleNotFoundError, IsADirectoryError)

_SHELL = re.compile(r"[^\w@%+=:,./~-]")
"""What means something else to a shell."""


class ShellWord(NamedTuple):
    """A word of a line, and where it stands there."""

    text: str
    start: int
    end: int


class LineError(ToldError):
    """A line that calls no program, for what is wrong `at` a word of it.

    What is in a folder or a package is seen with `into` typed behind it.
    """

    def __init__(self, text: LocalText, at: ShellWord, /, into: str = "", **values: object) -> None:
        super().__init__(text, **values)
        self.at, self.into = at, into


def words_of(line: str) -> list[ShellWord]:
    """Split a line as a shell does; what an input method made wide is meant for its twin.

    Raises:
        LineError: a quotation has no end.
    """
    words = []
    for found in _WORD.finditer(line):
        at = ShellWord(found[0], *found.span())
        try:
            (text,) = shlex.split(at.text)
        except ValueError:
            raise LineError(ProgramTexts.unclosed, at, mark=at.text, column=at.end) from None
        twin = ascii_twin(text)
        words.append(at._replace(text=twin if text == at.text and twin.isascii() else text))
    return words


def read_line(line: str, screen: str) -> Opening:
    """Return how a line opens a program; `python` may stand before it, as may `NAME=value`.

    Raises:
        LineError: it calls none that can be read.
    """
    whole = ShellWord(line.strip(), 0, len(line))
    is_file = os.path.isfile(paths.expanded(whole.text))
    words, environment = _called([whole] if is_file else words_of(line))
    if not words:
        raise LineError(ProgramTexts.empty, ShellWord("", len(line), len(line)))
    first, *rest = words
    is_module = first.text == "-m" or (first.text in LAUNCHERS and not is_file)
    if first.text == "-m":
        if not rest:
            raise LineError(ErrorTexts.no_value, first, name="-m")
        first, *rest = rest
    if rest and rest[0].text == "--":  # as our command line has it
        del rest[0]
    name = LAUNCHERS.get(first.text, first.text) if is_module else str(paths.expanded(first.text))
    called = Called(name, tuple(each.text for each in rest), is_module)
    try:
        with refusing(name):  # a folder on the way is locked, or gone
            opening = _opening(called, first, screen)
    except CommandError as refusal:
        raise LineError(refusal.text, first) from None
    return replace(opening, environment=environment + opening.environment, line=whole.text)


def _opening(called: Called, at: ShellWord, screen: str) -> Opening:
    is_module, name = called.is_module, called.name
    path = Path(*name.split(".")) if is_module else Path(name)
    try:
        opening = opening_of(called, screen)
        source = "" if opening.file is None else program_in(opening.file, ()).source
    except CommandError as refusal:
        if not isinstance(refusal.__cause__, _NO_FILE):
            raise
        if not os.path.isdir(path):
            raise LineError(_absent(path, called) or refusal.text, at) from None
        if is_module:
            raise LineError(ProgramTexts.package, at, into=".", name=name) from None
        text = ProgramTexts.folder if _programs(f"{path}/") else ProgramTexts.empty_folder
        raise LineError(text, at, into="/", path=path) from None
    if found := _NO_TEXT.search(source):
        byte, offset = ord(found[0]) & 0xFF, len(source[: found.start()].encode())
        text = ScreenTexts.file_encoding if byte else ScreenTexts.file_binary
        raise LineError(text, at, path=name, offset=offset, byte=byte)
    return opening


def _called(words: list[ShellWord]) -> tuple[list[ShellWord], tuple[tuple[str, str], ...]]:
    """Return a line from its program on, and what is set for that."""
    environment = []
    for place, word in enumerate(words):
        if found := _SETTING.fullmatch(word.text):
            environment.append((found[1], found[2]))
        elif not _PYTHON.fullmatch(word.text):
            return words[place:], tuple(environment)
    return [], tuple(environment)


def _absent(path: Path, called: Called) -> LocalText | None:
    """Return what of a path, or of a module, is not there; None where all of it is."""
    while not os.path.isdir(path.parent):
        path = path.parent
    known = [Path(each).name for each in completions(f"{path.parent}/")]
    if called.is_module:
        known = [each.removesuffix(".py") for each in known]
    if path.name in known or os.path.exists(path):
        return None
    folder, hint = path.parent.absolute(), did_you_mean(path.name, known)
    return fill(ProgramTexts.absent, name=path.name, folder=folder, hint=hint)


def completions(typed: str) -> list[str]:
    """Return what `typed` may become, folders with a slash at their end; sorted.

    A name that begins with a dot is only offered to who typed the dot.
    """
    expanded = os.path.expanduser(typed) if "/" in typed else typed
    found = islice(iglob(f"{escape(expanded)}*"), MAX_READ)
    names = [f"{each}/" if os.path.isdir(each) else each for each in found]
    return sorted(each.replace(expanded, typed, 1) for each in names if each.isprintable())


def completed(before: str) -> tuple[str, list[str]]:
    """Return a line without its last word, and what that may become: a program, else a file."""
    for mark in ("", "'", '"'):  # one of them ends a quotation behind the letter that comes next
        with suppress(LineError):
            *words, last = words_of(f"{before}x{mark}")
            break
    typed, called = last.text[:-1], [each.text for each in _called(words)[0]]
    if called == ["-m"]:
        found = _modules(typed)
    else:
        found = completions(typed) if called else _programs(typed)
    return before[: last.start], found


def _programs(typed: str) -> list[str]:
    """Return Python files and notebooks, then the folders in which there may be some."""
    found = [each for each in completions(typed) if each.endswith(("/", ".py", SUFFIX))]
    return sorted(found, key=lambda each: each.endswith("/"))


def _modules(typed: str) -> list[str]:
    """Return the modules below this folder that `typed` may become; packages end in a dot."""
    found = [each for each in completions(typed.replace(".", "/")) if each.endswith(("/", ".py"))]
    own = [each for each in found if not Path(each).name.startswith("__")]
    names = [each.removesuffix(".py").replace("/", ".") for each in own]
    return [each for each in names if each.replace(".", "").isidentifier()]


def quoted(name: str) -> str:
    """Return a name as a shell takes it, also where it is the beginning of one."""
    return _SHELL.sub(r"\\\g<0>", name)
