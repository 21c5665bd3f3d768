"""The words that everything here is said in, each in a sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

from inplace_tui.common.local_text import LocalText as T

HEADING = T(en="Words", zh="术语")


class Word(NamedTuple):
    """A word of the field, and what it means."""

    id: str
    text: T
    """The word between backticks, then its meaning: one line of 78 cells."""

    pattern: re.Pattern[str]
    """Finds the word in a text, whichever the language."""


def _word(name: str, en: str, zh: str, pattern: str) -> Word:
    return Word(name, T(en=en, zh=zh), re.compile(pattern, re.IGNORECASE | re.ASCII))


WORDS = (
    _word(
        "in place",
        "`in place`: a write into the tensor itself (`y.add_(1)`, `y += 1`), not a new one.",
        "`in place`（原地）：直接写入张量本身（`y.add_(1)`、`y += 1`），而不是生成新的张量。",
        r"\bin[- ]?place\b|原地",
    ),
    _word(
        "storage",
        "`storage`: the memory that holds the values; views share one. Letters name them.",
        "`storage`（存储）：存放数值的内存，视图共用同一块。这里用字母表示。",
        r"\bstorages?\b|存储",
    ),
    _word(
        "version",
        "`version`: autograd's count of the writes into a tensor's memory.",
        "`version`（版本号）：autograd 记下的、张量所在内存被写入的次数。",
        r"\bversions?\b|版本",
    ),
    _word(
        "saved",
        "`saved`: kept by a node for backward, with the version that it had then.",
        "`saved`（保存）：节点为反向传播留下的张量，以及当时的版本号。",
        r"\bsave[sd]?\b|保存",
    ),
    _word(
        "leaf",
        "`leaf`: a tensor that no recorded operation made; `.grad` arrives here.",
        "`leaf`（叶子）：不是由被记录的操作产生的张量，`.grad` 存放在这里。",
        # "It leaves the rest alone" is about none.
        r"\bleaf\b|\b(?:are|all|from|of|only|the|to) leaves\b|叶子",
    ),
    _word(
        "grad_fn",
        "`grad_fn`: the node of the graph that made a tensor, and that backward runs.",
        "`grad_fn`：产生这个张量的计算图节点，反向传播时运行的就是它。",
        r"\bgrad_fn\b",
    ),
    _word(
        "view",
        "`view`: a tensor on the storage of another, its base.",
        "`view`（视图）：与另一个张量（它的基张量）共用存储的张量。",
        r"\bviews?\b|视图",
    ),
)


def meaning(name: str) -> T:
    """Return what the word of this id means."""
    return next(word.text for word in WORDS if word.id == name)


def words_in(text: str) -> list[Word]:
    """Return the words of a text, in its order."""
    found = [(match.start(), word) for word in WORDS if (match := word.pattern.search(text))]
    return [word for _, word in sorted(found, key=lambda each: each[0])]
