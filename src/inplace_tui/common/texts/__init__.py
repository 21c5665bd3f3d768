"""Every text of the program in English; the other languages are catalogues in `locale`.

One that the code names is an attribute of a class, `say(GraphTexts.stale, language)`, so that
mypy finds a missing one; one that data chooses stands in a mapping from the thing to its text,
`LIMITS[limit]`. `make texts` brings the catalogues up to date with what is declared here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from inplace_tui.common.local_text import LocalText, T, translations


def say(text: LocalText, language: str, /, **values: object) -> str:
    """Return a text in one language, with `{names}` filled in.

    A number takes its noun along, in as many forms as its language has: `{steps:step|steps}` is
    `1 step`, `1,024 steps`.

    Between Chinese characters no space is left, whatever a value begins and ends with.

    Raises:
        KeyError: a name without a value: ours to mend.
    """
    said = text[language]
    if "|" in said:
        values = {n: _Number(language, v) if type(v) is int else v for n, v in values.items()}
    said, values = places_named(said, values, language)
    if language == "zh":
        values = {name: _fenced(v) if isinstance(v, str) else v for name, v in values.items()}
        return _closed_up(said.format(**values))
    return said.format(**values)


class _Number(int):
    """A number that knows the plural of what it counts."""

    _language: str

    def __new__(cls, language: str, number: int) -> _Number:
        made = super().__new__(cls, number)
        made._language = language
        return made

    def __format__(self, spec: str) -> str:
        return counted(self, spec, self._language) if "|" in spec else super().__format__(spec)


def counted(count: int, nouns: str, language: str) -> str:
    """Return a number with that form of a noun that its language has beside it.

    >>> counted(1, "step|steps", "en"), counted(1024, "step|steps", "en")
    ('1 step', '1,024 steps')
    """
    forms = nouns.split("|")
    return f"{int(count):,} {forms[min(translations(language).plural(count), len(forms) - 1)]}"


def list_of(names: Iterable[object], language: str, *, more: int = 0) -> str:
    """Return names as a sentence lists them, and how many more there are, if any.

    >>> list_of(["w", "b"], "en"), list_of(["w", "b"], "zh"), list_of(["w"], "en", more=2)
    ('w, b', 'w、b', 'w, and 2 more')
    """
    listed = [*map(str, names), *([say(_MORE, language, count=more)] if more > 0 else [])]
    return _BETWEEN[language].join(listed)


_BETWEEN = T(", ", "between the items of a list")
_MORE = T("and {count} more")


def space(language: str) -> str:
    """Return what stands between two words, or where a line goes on: nothing in some scripts."""
    return "" if language in {"ja", "lo", "th", "zh"} else " "


_PLACE = re.compile(r"(.+):(\d+)")
_CELL = re.compile(r"(In \[\d+\]|cell \d+):\d")
_LINE = re.compile(r"\b([Ll]ines?) \{(\w+)\}")
Value = TypeVar("Value")


def places_named(
    text: str, values: Mapping[str, Value | str], language: str
) -> tuple[str, dict[str, Value | str]]:
    """Return a text and its values, a line of another file named as Chinese does, in Chinese.

    Elsewhere a line of a notebook's cell is no more than its place.

    >>> text, values = places_named("在第 {line} 行", {"line": "m.py:8"}, "zh")
    >>> text.format(**values)
    '在 m.py 第 8 行'
    >>> text, values = places_named("Line {line} ran", {"line": "cell 2:1"}, "en")
    >>> text.format(**values)
    'Cell 2:1 ran'
    """
    named = dict(values)
    if language != "zh":
        for word, name in _LINE.findall(text):
            value = values[name]
            if isinstance(value, str) and _CELL.match(value):
                text = text.replace(f"{word} {{{name}}}", f"{{{name}}}")
                named[name] = value[0].upper() + value[1:] if word[0] == "L" else value
        return text, named
    for name, value in values.items():
        hole = f"第 {{{name}}}"
        place = _PLACE.fullmatch(value) if isinstance(value, str) and hole in text else None
        if place is not None and re.search(re.escape(hole) + "( 行|–)", text):
            named[name] = f"{place[1]} 第 {place[2]}"
            text = re.sub(f"(?<=[\u4e00-\u9fff]){re.escape(hole)}", f" {{{name}}}", text)
            text = text.replace(hole, f"{{{name}}}")
    return text, named


_OPENS, _CLOSES = "\x02", "\x03"
_CHINESE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
_BEFORE = re.compile(f"(?<={_CHINESE}) {_OPENS}|{_OPENS}")
_AFTER = re.compile(f"{_CLOSES} (?={_CHINESE})|{_CLOSES}")


def _is_chinese(text: str, at: int) -> bool:
    """Return whether this character is Chinese, or full-width punctuation."""
    return re.match(_CHINESE, text[at:][:1]) is not None


def _fenced(value: str) -> str:
    """Mark where Chinese begins and ends a value, for what stands beside it."""
    if not value:
        return value
    opened = _OPENS if _is_chinese(value, 0) else ""
    return f"{opened}{value}{_CLOSES if _is_chinese(value, -1) else ''}"


def _closed_up(text: str) -> str:
    """Take out the spaces of a text between Chinese and a Chinese value."""
    return _AFTER.sub("", _BEFORE.sub("", text)) if _OPENS in text or _CLOSES in text else text
