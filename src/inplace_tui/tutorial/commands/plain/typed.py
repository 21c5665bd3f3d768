"""What a typed line means. Pure: a line in, a command's name and what stands behind it out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inplace_tui.common.texts import say
from inplace_tui.common.texts.plain_commands import (
    ALWAYS,
    DRILL_ONLY,
    HEADS,
    MOVES,
    PANELS,
    QUESTIONS,
    QUIZ_ONLY,
    RUNS,
    WATCH,
    PlainCommand,
)

CommandGroup = Mapping[str, PlainCommand]

_RUN: Mapping[str, CommandGroup] = {"moves": MOVES, "panels": PANELS, "watch": WATCH}
LESSON: Mapping[str, CommandGroup] = {**_RUN, "questions": QUESTIONS, "always": ALWAYS}
SANDBOX: Mapping[str, CommandGroup] = {**_RUN, "runs": RUNS, "always": ALWAYS}
DRILL: Mapping[str, CommandGroup] = {**_RUN, "drill": DRILL_ONLY, "always": ALWAYS}
QUIZ: Mapping[str, CommandGroup] = {**_RUN, "quiz": QUIZ_ONLY, "always": ALWAYS}
"""The commands of each, by the key of their heading."""

_NUMBERS = re.compile(r"\d+(?:[\s,、]+\d+)*")
MAX_TEXT = 4_000
"""Characters of a command; Python reads no number that is longer by much."""

_QUITS = ("exit", "quit")

_REVERSED = {"N": "back"}
"""As on the screen, where Shift reverses."""


@dataclass(frozen=True)
class TypedCommand:
    """A command that was typed."""

    name: str
    rest: str = ""
    """What stands behind it, as it was typed."""


Typed = TypedCommand | tuple[int, ...] | None
"""A command, the numbers of an answer, or what means nothing here."""


def parse_line(line: str, groups: Mapping[str, CommandGroup]) -> Typed:
    """Return what a line means.

    Full-width letters, digits and punctuation are taken for their ASCII twins. A
    word may be cut short where no other begins so.
    """
    text = unicodedata.normalize("NFKC", line).strip()
    if not text:
        return TypedCommand("next")
    if len(text) > MAX_TEXT:
        return None
    if _NUMBERS.fullmatch(text):
        return tuple(map(int, re.findall(r"\d+", text)))
    head, _, rest = text.partition(" ")
    name = _REVERSED.get(head) or _named(head.lower(), groups)
    return None if name is None else TypedCommand(name, rest.strip())


def _named(word: str, groups: Mapping[str, CommandGroup]) -> str | None:
    if word in _QUITS:
        return "quit"
    commands = {name: each for group in groups.values() for name, each in group.items()}
    for name, each in commands.items():
        if word == each.letter or word in each.word.spellings:
            return name
    matching = [name for name, each in commands.items() if each.word.en.startswith(word)]
    return matching[0] if len(matching) == 1 else None


def help_lines(groups: Mapping[str, CommandGroup], language: str) -> Iterator[str]:
    for heading, group in groups.items():
        yield say(HEADS[heading], language)
        for key, each in group.items():
            # Who can't read this language looks for a word of another.
            others = each.word.spellings if key == "language" else ()
            words = dict.fromkeys((each.word[language], *others))
            names = " / ".join(name for name in (each.letter, *words) if name)
            takes = f" {each.takes}" if each.takes else ""
            yield f"  {names}{takes}  {each.help[language]}"
