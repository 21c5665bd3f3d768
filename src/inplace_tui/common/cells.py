"""Text measured in terminal cells: Chinese text takes two a character.

Screens and pages agree on these widths; a test holds them against what the
screen library draws. `clean` is for what is laid out, line by line; `sanitize` is the last check,
where text of any origin leaves the program: no control character gets through, whatever made it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

from inplace_tui.common.rows import Row, Span, Style, Target

MAX_MARKS = 6
"""Combining characters in a row; no script needs more, and a flood of them has no width."""

_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\u115f\u1160\u3164\uffa0"
    "\u061c\u180e\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Joiners, direction marks and the like: what they do to a width differs between terminals."""

_WIDE = re.compile("[\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff]")
"""Trigrams and hexagrams: two cells since Unicode 16, which Python 3.11 does not know."""

_FLOOD = re.compile(f"[^ -~\u2000-\u9fff\uac00-\ud7af]{{{MAX_MARKS + 1},}}")
"""Enough characters for a flood of such that have no width; `re` knows no categories."""

_CLOSING = "，。、；：？！）】》」』”’…,.;:?!)]}%"
"""What must not begin a line."""

_ATOMS = re.compile(r"\n|[!-~]+ *|[^\n]")
"""Pieces of a text within which no line may break."""

_BETWEEN_NAMES = re.compile(" = |, ")
_PART = re.compile(r"[.\[]?[^.\[]+|[.\[]")
_NUMBER = re.compile(r"\d")

_OPENING = "（《「『“‘([{"
"""What must not end one."""

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Controls of both kinds, all but line end and tab, and what turns or hides text."""

_LINE_END = re.compile("\r+\n?")

_MOVING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")


@lru_cache(maxsize=4096)
def _width_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Mc", "Cc", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff":  # Korean vowels that join the consonant before
        return 0
    wide = unicodedata.east_asian_width(character) in "WF" or _WIDE.match(character)
    return 2 if wide else 1


def width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_width_of, text))


def clean(text: str) -> str:
    """Return one line of foreign text without what would move the terminal's cursor.

    A control character shows as its picture (`␛`), a tab as spaces.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _INVISIBLE.sub("", text.expandtabs(4))
    if not text.isprintable():  # character by character: Chinese prints are many
        text = "".join(map(visible, text))
    return _FLOOD.sub(_thinned, text)


def _thinned(found: re.Match[str]) -> str:
    """Return some characters of which all could be without a width, with few such in a row."""
    kept, marks = [], 0
    for character in found.group():
        marks = 0 if _width_of(character) else marks + 1
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def clip(text: str, room: int, *, mark: str = "…") -> str:
    """Return `text` in at most `room` cells, ending in `mark` if something was cut."""
    if width(text) <= room:
        return text
    room -= width(mark)
    if room < 0:
        return ""
    kept, used = [], 0
    for character in text:
        used += _width_of(character)
        if used > room:
            break
        kept.append(character)
    return "".join(kept) + mark


def shorten(name: str, room: int) -> str:
    """Return a name in at most `room` cells: many differ towards their end, or by a number.

    Of several names the last ones go first, as long as one of them fits.

    >>> shorten("model.blocks[0].fc.weight", 20), shorten("gradient_penalty", 9)
    ('…blocks[0].fc.weight', 'gr…enalty')
    """
    if width(name) <= room:
        return name
    first = _BETWEEN_NAMES.split(name, maxsplit=1)[0]
    if first != name and width(first) < room:
        return clip(name, room)
    if width(first) <= room or (brief := in_parts(first, room)):
        return first if width(first) <= room else brief
    numbered = [part.start() for part in _PART.finditer(first) if _NUMBER.search(part[0])]
    if numbered:
        return clip(f"…{first[numbered[-1] :].lstrip('.')}" if numbered[-1] else first, room)
    head = clip(first, (room - 1) // 3, mark="")
    tail = clip(first[::-1], room - 1 - width(head), mark="")[::-1]
    while tail and not _width_of(tail[0]):  # a mark whose letter was cut off
        tail = tail[1:]
    return f"{head}…{tail}" if head and tail else clip(first, room)


def in_parts(name: str, room: int, wanted: int = -1) -> str:
    """Return the last part of a name and that with its last number, and as many more as fit.

    Those with a number come first of these, then the one that is `wanted`, then the last ones.
    Nothing where there is no room.

    >>> in_parts("model.blocks[0].attention.query.weight", 17)
    '…[0]…query.weight'
    """
    parts = _PART.findall(name)
    numbered = [at for at, part in enumerate(parts) if _NUMBER.search(part)]
    kept = {len(parts) - 1, *numbered[-1:]}
    for at in (*reversed(numbered), wanted % len(parts), *reversed(range(len(parts)))):
        if width(_with_gaps(parts, kept | {at})) <= room:
            kept.add(at)
    found = _with_gaps(parts, kept)
    if 0 not in kept and 1 in kept and parts[1].startswith("["):  # an index says little alone
        found = clip(parts[0], room - width(found) + 1) + found[1:]
    return found if width(found) <= room else ""


def _with_gaps(parts: Sequence[str], kept: set[int]) -> str:
    """Return some parts of a name, with `…` for those between and before them."""
    return "".join(
        part if at == 0 or at - 1 in kept else f"…{part.lstrip('.')}"
        for at, part in enumerate(parts)
        if at in kept
    )


def pad(text: str, room: int) -> str:
    """Return `text` in exactly `room` cells: clipped, or with spaces after it."""
    text = clip(text, room)
    return text + " " * (room - width(text))


def spans_width(spans: Iterable[Span]) -> int:
    return width("".join([span.text for span in spans]))


def clip_spans(spans: Sequence[Span], room: int) -> tuple[Span, ...]:
    """Return the spans in at most `room` cells, ending in `…` if something was cut."""
    if spans_width(spans) <= room:
        return tuple(spans)
    kept: list[Span] = []
    for span in spans:
        taken = width(span.text)
        if taken <= room - 1:
            kept.append(span)
            room -= taken
            continue
        kept.append(Span(clip(f"{span.text} ", room), span.style, span.target))
        break
    return tuple(kept)


def pad_spans(spans: Sequence[Span], room: int) -> tuple[Span, ...]:
    """Return the spans in exactly `room` cells."""
    kept = clip_spans(spans, room)
    left = room - spans_width(kept)
    return (*kept, Span(" " * left)) if left > 0 else kept


def wrap(spans: Iterable[Span], room: int) -> list[tuple[Span, ...]]:
    """Break styled text into lines of at most `room` cells.

    English breaks at spaces, Chinese between any two characters, and neither
    before a closing punctuation mark. A line break in the text stays one.
    """
    room = max(2, room)
    lines: list[tuple[Span, ...]] = []
    line: list[Span] = []
    used = 0
    for word in _words(spans):
        if word[0].text == "\n":
            lines.append(_joined(line))
            line, used = [], 0
            continue
        for piece in _fitting(word, room):
            text = "".join([span.text for span in piece])
            if line and used + width(text.rstrip(" ")) > room:
                lines.append(_joined(line))
                line, used = [], 0
            if line or text.strip(" "):
                line += piece
                used += width(text)
    lines.append(_joined(line))
    return lines


def wrapped(spans: Iterable[Span], room: int) -> list[Row]:
    return [Row(line) for line in wrap(spans, room)]


def hanging(lead: Span, spans: Iterable[Span], room: int, target: Target) -> list[Row]:
    """Break styled text into rows behind a lead; below it, rows begin where the text does."""
    before = width(lead.text)
    lines = wrap(spans, room - before)
    leads = [lead, *[Span(" " * before)] * (len(lines) - 1)]
    return [Row((first, *line), target) for first, line in zip(leads, lines, strict=True)]


def flow(parts: Iterable[str], room: int, between: str) -> list[str]:
    """Put short texts side by side, as many to a line as fit."""
    lines = flow_spans(map(Span, parts), room, between)
    return ["".join(span.text for span in line) for line in lines]


def flow_spans(parts: Iterable[Span], room: int, between: str) -> list[tuple[Span, ...]]:
    """Put short pieces side by side, as many to a line as fit; each keeps its target."""
    lines: list[list[Span]] = []
    for part in parts:
        if lines and spans_width(lines[-1]) + width(between) + width(part.text) <= room:
            lines[-1] += [Span(between, part.style), part]
        else:
            lines.append([part])
    return [clip_spans(line, room) for line in lines]


def _words(spans: Iterable[Span]) -> list[list[Span]]:
    """Split into pieces between which a line may break, whatever styles they have."""
    words: list[list[tuple[Style, list[str]]]] = []
    last = "\n"
    for span in spans:
        for text in _ATOMS.findall(span.text):
            word = words[-1] if words and _together(last, text[0]) else []
            if not word:
                words.append(word)
            if word and word[-1][0] is span.style:
                word[-1][1].append(text)
            else:
                word.append((span.style, [text]))
            last = text[-1]
    return [[Span("".join(texts), style) for style, texts in word] for word in words]


def _together(before: str, character: str) -> bool:
    """Whether a line must not break between `before` and `character`."""
    if "\n" in (before, character):
        return False
    if character == " " or before in _OPENING:
        return True
    if character in _CLOSING and before != " ":  # " .grad" begins a word, it closes nothing
        return True
    wide = _width_of(character) == 2 or _width_of(before) == 2
    return not wide and before != " "


def _fitting(word: list[Span], room: int) -> list[list[Span]]:
    """Cut a word that is wider than a whole line."""
    left = width("".join([span.text for span in word]).rstrip(" "))
    if left <= room:
        return [word]
    pieces: list[list[Span]] = []
    piece: list[Span] = []
    used = 0
    for span in word:
        begin = 0
        for place, character in enumerate(span.text):
            taken = _width_of(character)
            if used + taken > room and left > room:
                if begin < place:
                    piece.append(Span(span.text[begin:place], span.style))
                pieces.append(piece)
                piece, begin = [], place
                left, used = left - used, 0
            used += taken
        piece.append(Span(span.text[begin:], span.style))
    return [*pieces, piece]


def merged(pieces: Iterable[Span]) -> list[Span]:
    """Return spans with neighbours of the same style merged."""
    written = (piece for piece in pieces if piece.text)
    return [
        Span("".join([piece.text for piece in same]), style)
        for style, same in groupby(written, attrgetter("style"))
    ]


def _joined(line: list[Span]) -> tuple[Span, ...]:
    """Merge neighbours of one style, without the spaces at the end."""
    spans = merged(line)
    if spans:
        spans[-1] = Span(spans[-1].text.rstrip(" "), spans[-1].style)
    return tuple(span for span in spans if span.text)


def sanitize(text: str) -> str:
    """Return text of one line or many that is safe to write to a terminal.

    A control character shows as its picture, a carriage return begins a new line.
    """
    if text.isascii() and text.isprintable():
        return text
    return _OBEYED.sub(_replaced, _LINE_END.sub("\n", text))


def _replaced(found: re.Match[str]) -> str:
    character = found.group()
    return visible(character) if ord(character) < 0xA0 else ""


def visible(character: str) -> str:
    """Return a character, or the picture of one that has no shape."""
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "␡"
    if unicodedata.category(character) in ("Cc", "Cn", "Cs", "Zl", "Zp"):
        return "�"
    return character


def without_controls(text: str) -> str:
    """Return drawn text without what moves the cursor; as wide as a terminal drew it.

    Such characters were measured as having no width, so nothing replaces them.
    """
    if text.isascii() and text.isprintable():
        return text
    return _MOVING.sub("", text)
