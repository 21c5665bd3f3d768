"""Which languages there are, what each has been translated to, and which to use unasked.

A language is a catalogue in `texts/locale`, a `.po` file as translators' tools write it. It is
read as it stands: a compiled one would take 5 ms instead of 7 for 2,200 texts, and every
checkout would have to compile it before it is true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import NamedTuple

LOCALE = Path(__file__).parent / "texts" / "locale"
LANGUAGES = ("en", *sorted(path.stem for path in LOCALE.glob("*.po")))


class Translations(NamedTuple):
    """What is said in one language."""

    texts: Mapping[tuple[str, str], str]
    """By the context, which is mostly empty, and the English text; some may be missing."""

    plural: Callable[[int], int]
    """Which of the forms of a noun stands beside a number."""


@cache
def translations(language: str) -> Translations:
    """Return the catalogue of a language, read when it is first asked for."""
    path = LOCALE / f"{language}.po"
    return parsed(path.read_text(encoding="utf-8") if language in LANGUAGES[1:] else "")


def parsed(text: str) -> Translations:
    """Return what a `.po` file translates; what is marked fuzzy there is a guess of some tool."""
    found: dict[tuple[str, str], str] = {}
    entry: dict[str, str] = {}
    key = ""
    for line in (*text.split("\n"), ""):
        if line.startswith('"'):
            entry[key] += line[1:-1]
            continue
        if "msgstr" in entry:
            context, english, said = (
                _unescaped(entry.get(each, "")) for each in ("msgctxt", "msgid", "msgstr")
            )
            if said and not (english and "fuzzy" in entry):
                found[context, english] = said
            entry = {}
        if line.startswith("msg"):
            key, _, quoted = line.partition(" ")
            entry[key] = quoted[1:-1]
        elif line.startswith("#,") and "fuzzy" in line:
            entry["fuzzy"] = ""
    rule = re.search(r"plural=([^;]+);", found.pop(("", ""), ""))
    return Translations(found, c2py(rule[1] if rule else "n != 1"))


_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def of_locale(environment: Mapping[str, str]) -> str:
    """Return the language of the locale, found as gettext finds it.

    The first of the locale's variables that is set decides. `LANGUAGE` is a list, of which
    we take the first that we have; where the locale is `C` nobody has asked for anything.
    """
    set_ones = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, set_ones), "C")
    if locale in ("C", "POSIX"):
        return "en"
    wanted = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next(filter(None, map(_known, wanted)), "en")


def _known(locale: str) -> str | None:
    """Return the language of `zh_CN.UTF-8`; None for one that we don't have."""
    language = re.split(r"[_.@-]", locale.lower())[0]
    return language if language in LANGUAGES else None


def of_arguments(arguments: Sequence[str]) -> str | None:
    """Return what `--lang` says, before anything is parsed: help and errors need it."""
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        name, separator, value = argument.partition("=")
        if name == "--lang":
            value = value if separator else "".join(arguments[index + 1 : index + 2])
            return value if value in LANGUAGES else None
    return None
