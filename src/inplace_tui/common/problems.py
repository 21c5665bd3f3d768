"""What is wrong with a file, and at which line and column."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.texts import list_of, places_named
from inplace_tui.common.texts.authoring import AuthoringTexts


class FilePosition(NamedTuple):
    """A place in a file, as editors count: both from 1, columns in characters."""

    line: int
    column: int


START = FilePosition(1, 1)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, written for the author of the file."""

    path: str
    line: int
    column: int
    message: LocalText

    def text(self, language: str) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message[language]}"

    def __str__(self) -> str:
        return self.text("en")


def problem(
    path: PurePath | str, text: LocalText, at: FilePosition = START, /, **values: object
) -> Problem:
    return Problem(str(path), at.line, at.column, fill(text, **values))


class ToldError(Exception):
    """Something that can't be done; `text` says why in every language."""

    def __init__(self, text: LocalText, /, **values: object) -> None:
        self.text = fill(text, **values) if values else text
        super().__init__(self.text.en)


class LessonError(Exception):
    """A file is not a lesson. Every problem that could be found is in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Problems:
    """Collects what is wrong with one file, so that one look finds it all."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: list[Problem] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, at: FilePosition, text: LocalText, /, **values: object) -> None:
        self.say(at, fill(text, **values))

    def say(self, at: FilePosition, message: LocalText) -> None:
        told = in_each(message.__getitem__)  # kept in a file, where no catalogue is at hand
        self._found.append(Problem(self.path, at.line, at.column, told))

    def sorted(self) -> tuple[Problem, ...]:
        return tuple(sorted(self._found, key=lambda p: (p.line, p.column)))


def fill(text: LocalText, /, **values: object) -> LocalText:
    """Return a text in every language, its `{names}` filled in.

    A value that is itself a `LocalText` is filled in in the same language; a tuple of names is
    listed in it.
    """

    def told(language: str) -> str:
        template = text[language]
        told = {name: _told(value, language) for name, value in values.items()}
        template, told = places_named(template, told, language)
        return template.format(**told)

    return in_each(told)


def _told(value: object, language: str) -> object:
    if isinstance(value, LocalText):
        return value[language]
    return list_of(value, language) if isinstance(value, tuple) else value


NOTHING = LocalText("")


def did_you_mean(name: str, known: Iterable[str]) -> LocalText:
    """Return ` (did you mean …?)` for the nearest known name; empty if none is near."""
    near = nearest(name, known)
    return NOTHING if near is None else fill(AuthoringTexts.hint, name=near)


def nearest(name: str, known: Iterable[str]) -> str | None:
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
