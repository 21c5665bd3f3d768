"""A text in every language.

Those of the program are translated by catalogues in `texts/locale`, `.po` files as translators'
tools write them. They are read as they stand, each text unquoted when it is asked for: 2 ms for
2,300 texts. A compiled one takes 5, and every checkout would have to compile it first.
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

    quoted: Mapping[bytes, bytes]
    """The translations by what stands before them, both as the file has them."""

    plural: Callable[[int], int]
    """Which of the forms of a noun stands beside a number."""

    def of(self, english: str, context: str = "") -> str:
        """Return what the language says; English where it says nothing."""
        key = f'msgid "{english.translate(_QUOTED)}"'
        if context:
            key = f'msgctxt "{context.translate(_QUOTED)}"\n{key}'
        said = self.quoted.get(key.encode())
        if said is None:
            return english
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), said.decode())


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTED = str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r"})
_ENTRY = rb'\n((?:#,.*fuzzy.*\n(?:#.*\n)*)?(?:msgctxt ".*"\n)?msgid ".*")\nmsgstr "(.+)"'
"""What is marked fuzzy is a guess of some tool: with that mark nobody asks for it."""


@cache
def translations(language: str) -> Translations:
    """Return the catalogue of a language, read when it is first asked for."""
    path = LOCALE / f"{language}.po"
    return parsed(path.read_bytes() if language in LANGUAGES[1:] else b"")


def parsed(file: bytes) -> Translations:
    """Return what a `.po` file translates."""
    joined = file.replace(b"\r\n", b"\n").replace(b'"\n"', b"")
    rule = re.search(rb"Plural-Forms:.*?plural=([^;]+);", joined)
    entries = re.split(_ENTRY, b"\n" + joined)  # compiled where one is read: English needs none
    quoted = dict(zip(entries[1::3], entries[2::3], strict=True))
    return Translations(quoted, c2py(rule[1].decode() if rule else "n != 1"))


@cache
def _translated(english: str, context: str, language: str) -> str:
    return translations(language).of(english, context)


class _Translated(LocalText, frozen=True):
    context: str = ""

    def __getitem__(self, language: str) -> str:
        if language == "en":
            return self.en
        return _translated(self.en, self.context, language)


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
