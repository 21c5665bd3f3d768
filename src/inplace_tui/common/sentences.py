"""Sentences about one program: a text, filled in, with the line that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter

from msgspec.structs import replace

from inplace_tui.common.cells import clean, clip
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.files import lines_of, place_of
from inplace_tui.common.run.values import said
from inplace_tui.common.source_text import quoted_line
from inplace_tui.common.texts import counted, places_named, say
from inplace_tui.common.texts.blame import BlameTexts

QUOTED = 60
"""A quoted line of the program is cut to this many cells."""

_CHINESE = re.compile(r"[\u3001-\u9fff]")
_ENDS_APART, _STARTS_APART = re.compile(r"[\u3001-\u9fff] $"), re.compile(r" [\u3001-\u9fff]")

Value = str | int | float | Span | tuple[Span, ...]


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the line of the program that it speaks of."""

    spans: tuple[Span, ...]
    line: int | None = None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


class SentenceBuilder:
    """Makes sentences about one program in one language."""

    def __init__(self, source: str, language: str, *, marks: bool = True) -> None:
        """Build sentences about `source`; without `marks`, code has a style and no backquotes."""
        self.language = language
        self._marks = marks
        self.source = source
        self._lines = len(lines_of(source))

    def __call__(self, text: LocalText, *, line: int | None = None, **values: Value) -> Sentence:
        """Return a text, filled in; with `line`, that line can be quoted."""
        if line is not None:
            values = {"line": self.place(line), "code": self.quoted(line), **values}
        spans = filled(text, self.language, values, marks=self._marks)
        return Sentence(tuple(spans), line)

    def place(self, line: int) -> str:
        """Return how a line is named: by its file too, unless that is the main one."""
        return place_of(self.source, line).text

    def quoted(self, line: int) -> Span:
        """Return a line as it is quoted: its first line, without its indentation."""
        text = quoted_line(self.source, line) if 0 < line <= self._lines else "…"
        return Span(clip(clean(text), QUOTED), Style.CODE)

    def tensor(self, name: str | None) -> Span:
        if name is None:
            return Span(say(BlameTexts.a_tensor, self.language))
        return Span(said(clean(name)), Style.NAME)


def filled(
    text: LocalText, language: str, values: Mapping[str, Value], *, marks: bool = True
) -> list[Span]:
    """Fill in the values; what stands between backquotes is code.

    A value is never searched for backquotes: a learner's line may hold one. `marks` leaves the
    backquotes where they are, for pages without styles.
    """
    spans: list[Span] = []
    quoted, template = False, text[language]
    template, values = places_named(template, values, language)
    for literal, name, nouns, _ in Formatter().parse(template):
        for piece in re.split("(`)", literal):
            quoted ^= piece == "`"
            if piece == "`" and not marks:
                continue
            spans.append(Span(piece, Style.CODE if quoted or piece == "`" else Style.PLAIN))
        if name is not None:
            value = values[name]
            match value:
                case Span():
                    spans.append(value)
                case tuple():
                    spans += value
                case int() if nouns:
                    spans.append(Span(counted(value, nouns, language)))
                case _:
                    spans.append(Span(str(value)))
    return _closed_up([span for span in spans if span.text])


def _closed_up(spans: list[Span]) -> list[Span]:
    """Remove the spaces between Chinese characters that stood around a name.

    >>> [span.text for span in _closed_up([Span("想写 "), Span("一个张量"), Span("。")])]
    ['想写', '一个张量', '。']
    """
    for place in range(len(spans) - 1):
        span, after = spans[place : place + 2]
        if _ENDS_APART.search(span.text) and _CHINESE.match(after.text):
            spans[place] = replace(span, text=span.text[:-1])
        elif _STARTS_APART.match(after.text) and _CHINESE.match(span.text[-1]):
            spans[place + 1] = replace(after, text=after.text[1:])
    return spans
