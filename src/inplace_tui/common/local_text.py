"""A text in every language.

Those of the program are translated by catalogues in `texts/locale`, `.po` files as translators'
tools write them. They are read as they stand: a compiled one would take 5 ms instead of 7 for
2,200 texts, and every checkout would have to compile it before it is true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from gettext import c2py
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inplace_tui.common.language import LANGUAGES, LOCALE

_Said = Annotated[str, Meta(min_length=1)]


class _InEnglish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in several languages, English where one lacks it. `code spans` are alike in all."""

    en: _Said

    def __getitem__(self, language: str) -> str:
        said: str | UnsetType = getattr(self, language, UNSET)
        return self.en if said is UNSET else said

    @property
    def languages(self) -> tuple[str, ...]:
        """Those that it is there in."""
        return tuple(each for each in LANGUAGES if getattr(self, each, UNSET) is not UNSET)

    @property
    def spellings(self) -> tuple[str, ...]:
        """What it is found by: who can't read this language may know it in another."""
        return tuple(self[each] for each in LANGUAGES)


if TYPE_CHECKING:

    class LocalText(_InEnglish, frozen=True, kw_only=True):
        """It has a field for each of `LANGUAGES`, whichever catalogues there are."""

        zh: str | UnsetType = UNSET
else:
    LocalText = msgspec.defstruct(
        "LocalText",
        [(language, _Said | UnsetType, UNSET) for language in LANGUAGES[1:]],
        bases=(_InEnglish,),
        namespace={"__doc__": _InEnglish.__doc__},
        module=__name__,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )


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


class _Translated(LocalText, frozen=True):
    context: str = ""

    def __getitem__(self, language: str) -> str:
        return translations(language).texts.get((self.context, self.en), self.en)


def T(english: str, context: str = "") -> LocalText:  # noqa: N802  # short as gettext's `_`
    """Return a text of the program: English where it is declared, else as its catalogue has it.

    The context tells it from one that is the same in English, and not in other languages.
    """
    return _Translated(english, context)


def in_each(told: Callable[[str], str]) -> LocalText:
    """Return the text that a function tells in every language."""
    return LocalText(**{language: told(language) for language in LANGUAGES})


def joined(texts: Iterable[LocalText], between: str) -> LocalText:
    kept = list(texts)
    return in_each(lambda language: between.join(text[language] for text in kept))
