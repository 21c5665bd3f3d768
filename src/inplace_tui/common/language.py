"""Which languages there are, and which to use where nobody chose one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

LOCALE = Path(__file__).parent / "texts" / "locale"
LANGUAGES = ("en", *sorted(path.stem for path in LOCALE.glob("*.po")))


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
