"""Which language to speak, where nobody has said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplace_tui.texts import LANGUAGES


def of_locale(environment: Mapping[str, str]) -> str:
    """Return the language of the locale: the first of these variables that is set decides."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def of_arguments(arguments: Sequence[str]) -> str | None:
    """Return what `--lang` says, before anything is parsed: help and errors need it."""
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        name, separator, value = argument.partition("=")
        if name == "--lang":
            said = value if separator else "".join(arguments[index + 1 : index + 2])
            return said if said in LANGUAGES else None
    return None
