"""The words that everything here is said in, each in a sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

from inplace_tui.common.local_text import LocalText, T

HEADING = T("Words")


class Word(NamedTuple):
    """A word of the field, and what it means."""

    id: str
    text: LocalText
    """The word between backticks, then its meaning: one line of 78 cells."""

    pattern: re.Pattern[str]
    """Finds the word in a text, whichever the language."""


def _word(name: str, text: LocalText, pattern: str) -> Word:
    return Word(name, text, re.compile(pattern, re.IGNORECASE | re.ASCII))


WORDS = (
    _word(
        "in place",
        T("`in place`: a write into the tensor itself (`y.add_(1)`, `y += 1`), not a new one."),
        r"\bin[- ]?place\b|原地",
    ),
    _word(
        "storage",
        T("`storage`: the memory that holds the values; views share one. Letters name them."),
        r"\bstorages?\b|存储",
    ),
    _word(
        "version",
        T("`version`: autograd's count of the writes into a tensor's memory."),
        r"\bversions?\b|版本",
    ),
    _word(
        "saved",
        T("`saved`: kept by a node for backward, with the version that it had then."),
        r"\bsave[sd]?\b|保存",
    ),
    _word(
        "leaf",
        T("`leaf`: a tensor that no recorded operation made; `.grad` arrives here."),
        # "It leaves the rest alone" is about none.
        r"\bleaf\b|\b(?:are|all|from|of|only|the|to) leaves\b|叶子",
    ),
    _word(
        "grad_fn",
        T("`grad_fn`: the node of the graph that made a tensor, and that backward runs."),
        r"\bgrad_fn\b",
    ),
    _word("view", T("`view`: a tensor on the storage of another, its base."), r"\bviews?\b|视图"),
)


def meaning(name: str) -> LocalText:
    """Return what the word of this id means."""
    return next(word.text for word in WORDS if word.id == name)


def words_in(text: str) -> list[Word]:
    """Return the words of a text, in its order."""
    found = [(match.start(), word) for word in WORDS if (match := word.pattern.search(text))]
    return [word for _, word in sorted(found, key=lambda each: each[0])]
