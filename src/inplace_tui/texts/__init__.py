"""Every text of the program, in every language, side by side.

A text is declared once with all its languages, so that none can be missing.
One module for each part of the program; keys are unique within a module.
"""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.model.lesson import LocalText

LANGUAGES = ("en", "zh")

Texts = Mapping[str, LocalText]


def say(texts: Texts, key: str, language: str, /, **values: object) -> str:
    """Return the text of `key`, with `{names}` filled in.

    Raises:
        KeyError: no such text, or a name without a value: ours to mend.
    """
    return texts[key][language].format(**values)
