"""A text in every language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inplace_tui.common.language import LANGUAGES, translations

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
