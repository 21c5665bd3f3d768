"""YAML without surprises: text in, nodes with their places out.

What two YAML readers could read differently (`no`, `010`, `1:30`, dates) is
refused instead of guessed at, and so is what a lesson never needs: tags,
aliases, merge keys. The C parser does the reading; only its events are used, not
the resolvers of PyYAML.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import msgspec
import yaml

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import START, FilePosition, LessonError, Problems
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import MAX_BYTES

MAX_DEPTH = 24
MAX_QUOTED = 40
"""Lines above an error that are searched for a quote that was never closed."""

MAX_DIGITS = 40
"""Python reads no number of thousands, and torch has none of more than twenty."""


Plain = str | int | float | bool | None
Path = tuple[str | int, ...]


class ScalarNode(msgspec.Struct, frozen=True):
    """A value, or a key."""

    at: FilePosition
    value: Plain
    text: str
    """As written, without the quotes."""

    style: str = ""
    """`|`, `>`, `'`, `"`, or empty for a plain one."""

    refused: bool = False
    """It was reported already: add no more problems for it."""


class ListNode(msgspec.Struct):
    """A list."""

    at: FilePosition
    items: list[Node] = msgspec.field(default_factory=list)


class MapNode(msgspec.Struct):
    """A mapping. Of a duplicate key the first is kept."""

    at: FilePosition
    keys: dict[str, ScalarNode] = msgspec.field(default_factory=dict)
    values: dict[str, Node] = msgspec.field(default_factory=dict)


Node = ScalarNode | ListNode | MapNode


def value(node: Node) -> object:
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [value(item) for item in node.items]
        case MapNode():
            return {key: value(below) for key, below in node.values.items()}


def child(node: Node | None, *path: str | int) -> Node | None:
    """Return what lies at `path` below `node`, or None if there is no such thing."""
    for part in path:
        if isinstance(node, MapNode) and isinstance(part, str):
            node = node.values.get(part)
        elif isinstance(node, ListNode) and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
        else:
            return None
    return node


def items(node: Node | None, *path: str | int) -> list[Node]:
    below = child(node, *path)
    return below.items if isinstance(below, ListNode) else []


def position(node: Node, *path: str | int) -> FilePosition:
    """Return where `path` is written: its key if it has one, else the value.

    Where it is missing, the nearest thing above it that is there.
    """
    at = node.at
    for part in path:
        below = child(node, part)
        if below is None:
            return at
        at = node.keys[part].at if isinstance(node, MapNode) and isinstance(part, str) else below.at
        node = below
    return at


def position_in(text: str, *path: str | int) -> FilePosition:
    """Return where `path` is written in a text that can be read."""
    return position(_read(text), *path)


@lru_cache(maxsize=1)  # several positions are looked up in one file
def _read(text: str) -> Node:
    root = parse(text, Problems(""))
    assert root is not None, "a lesson was made of it"
    return root


def decode(data: bytes, path: str) -> str:
    """Return the text of a lesson file.

    Raises:
        LessonError: too large for a lesson, or not UTF-8.
    """
    problems = Problems(path)
    if len(data) > MAX_BYTES:
        problems.add(START, AuthoringTexts.too_large, size=len(data), limit=MAX_BYTES)
        raise LessonError(problems.sorted())
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        at = _position_in(before, len(before))
        problems.add(at, AuthoringTexts.not_utf8, byte=f"0x{data[error.start]:02x}")
        raise LessonError(problems.sorted()) from None


def parse(text: str, problems: Problems) -> Node | None:
    """Return the only document in `text`; None if it can't be read at all."""
    clean = _normalized(text, problems)
    if clean is None:
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # wheels have it, some builds don't
    composer = _Composer(yaml.parse(clean, Loader=loader), problems)
    try:
        return composer.document()
    except yaml.YAMLError as error:
        _add_refusal(error, clean, problems)
    except _TooDeepError as error:
        problems.add(error.at, AuthoringTexts.too_deep, limit=MAX_DEPTH)
    return None


def _add_refusal(error: yaml.YAMLError, text: str, problems: Problems) -> None:
    """Say where it is no YAML: at what an author gets wrong most, if that is in the lines at fault.

    A sign of a Chinese keyboard, a tab, a quote that the parser found closed far below.
    """
    mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if mark is None:
        problems.add(START, AuthoringTexts.not_yaml, why=error)
        return
    lines = text.split("\n")
    for number in range((began or mark).line, min(mark.line, len(lines) - 1) + 1):
        if found := _FULL_WIDTH.search(lines[number]):
            sign = found[1] or found[2]
            at = FilePosition(number + 1, found.start(1 if found[1] else 2) + 1)
            ascii_sign = unicodedata.normalize("NFKC", sign)
            problems.add(at, AuthoringTexts.full_width, sign=sign, ascii=ascii_sign)
            return
    at = FilePosition(mark.line + 1, mark.column + 1)
    line = "".join(lines[mark.line : mark.line + 1])
    before, sign = line[: mark.column], line[mark.column : mark.column + 1]
    if sign == "\t":
        problems.add(at, AuthoringTexts.tab)
        return
    if found := _SIGN_FIRST.search(before + sign):
        which = found.lastindex or 0
        first = FilePosition(at.line, found.start(which) + 1)
        problems.add(first, AuthoringTexts.sign_first, sign=found[which])
        return
    if sign == ":" and _UNQUOTED.search(before):
        problems.add(at, AuthoringTexts.colon)
        return
    for number in range(min(mark.line, len(lines) - 1), max(-1, mark.line - MAX_QUOTED), -1):
        if found := _OPEN_QUOTE.search(lines[number]):
            there = FilePosition(number + 1, found.start(1) + 1)
            problems.add(there, AuthoringTexts.open_quote, line=at.line)
            return
    why = str(getattr(error, "problem", None) or error)
    is_colon = why.startswith("mapping values are not allowed")
    problems.add(at, AuthoringTexts.colon if is_colon else AuthoringTexts.not_yaml, why=why)


_OPEN_QUOTE = re.compile(r"""[\w"']:\s+("(?:[^"\\]|\\.)*|'[^']*)$""")
"""A value whose quote is not closed on its line."""

_SIGN_FIRST = re.compile(
    r"""(?:^|[-:,]\s|[\[{])\s*([`@%*&|>])[^,"']*$|\w:\s+([-?])$"""
    r"""|^\s*(?:en|zh):\s+([{\["']).*[]}"']\s+\S$"""
)
"""A text that begins with a sign, of a value's too, up to where it is no YAML."""

_UNQUOTED = re.compile(r"""[\w-]+:\s+[^\s"'`{\[|>]""")
"""A key, and a text without quotes."""

_FULL_WIDTH = re.compile(r"""^[\s{-]*[\w-]+(：)|["'}\]\w](，)\s*[\w-]+\s*[:：]""", re.ASCII)
"""A full-width colon behind a key, or comma before one."""

_INVISIBLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    "|[\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb\U000e0000-\U000e0fff"
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]"
)
"""Not printable to YAML, a line end to some readers only, or nothing that anybody sees:
what is hidden, or turns the direction, can make a program look like another. Those of the
last line may be parts of a name: two that look alike are two."""


def _normalized(text: str, problems: Problems) -> str | None:
    """Return `text` fit for the parser, lines and columns kept, or None."""
    if len(text) > MAX_BYTES:
        problems.add(START, AuthoringTexts.too_large, size=len(text), limit=MAX_BYTES)
        return None
    if text.startswith("\ufeff"):
        problems.add(START, AuthoringTexts.bom)
        text = text[1:]
    if "\r" in text:
        problems.add(_position_in(text, text.index("\r")), AuthoringTexts.carriage_return)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    odd = _INVISIBLE.search(text)
    if odd is not None:
        at = _position_in(text, odd.start())
        problems.add(at, AuthoringTexts.character, code=_code(odd))
        return None
    if not text.strip():
        problems.add(START, AuthoringTexts.empty)
        return None
    return text


def _code(found: re.Match[str]) -> str:
    return f"U+{ord(found.group()):04X}"


def _position_in(text: str, index: int) -> FilePosition:
    start = text.rfind("\n", 0, index) + 1
    return FilePosition(text.count("\n", 0, index) + 1, index - start + 1)


class _TooDeepError(Exception):
    def __init__(self, at: FilePosition) -> None:
        self.at = at


class _Composer:
    """Makes nodes of the parser's events, and collects problems."""

    def __init__(self, events: Iterator[yaml.Event], problems: Problems) -> None:
        self._events = events
        self._problems = problems
        self._depth = 0

    def document(self) -> Node | None:
        root: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._problems.add(_at(event), AuthoringTexts.several)
                    return root
                root = self._node(next(self._events))
        if root is None:
            self._problems.add(START, AuthoringTexts.empty)
        return root

    def _node(self, event: yaml.Event) -> Node:
        at = _at(event)
        if isinstance(event, yaml.AliasEvent):
            self._problems.add(at, AuthoringTexts.alias, name=event.anchor)
            return ScalarNode(at, None, "", refused=True)
        tagged = self._refuse_properties(event, at)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, at, tagged=tagged)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _TooDeepError(at)
        node = self._list(at) if isinstance(event, yaml.SequenceStartEvent) else self._map(at)
        self._depth -= 1
        return node

    def _refuse_properties(self, event: yaml.Event, at: FilePosition) -> bool:
        """Refuse `&anchor` and `!tag`; True if there was one of them."""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor is not None:
            self._problems.add(at, AuthoringTexts.anchor, name=anchor)
        if tag is not None:
            self._problems.add(at, AuthoringTexts.tag, tag=tag.replace("tag:yaml.org,2002:", "!!"))
        return anchor is not None or tag is not None

    def _scalar(self, event: yaml.ScalarEvent, at: FilePosition, *, tagged: bool) -> ScalarNode:
        text, style = event.value, event.style or ""
        odd = _INVISIBLE.search(text)
        if odd is not None:  # YAML has escapes for what a file may not hold
            self._problems.add(at, AuthoringTexts.character, code=_code(odd))
            return ScalarNode(at, text, text, style, refused=True)
        if style or tagged:
            return ScalarNode(at, text, text, style, refused=tagged)
        refusal = _refusal(text)
        if refusal is not None:
            word = text if len(text) <= MAX_DIGITS else f"{text[: MAX_DIGITS - 1]}…"
            boolean = _BOOLEAN_WORDS.get(text.lower(), "")
            self._problems.add(at, refusal, word=word, boolean=boolean, limit=MAX_DIGITS)
            return ScalarNode(at, text, text, refused=True)
        return ScalarNode(at, _plain(text), text)

    def _list(self, at: FilePosition) -> ListNode:
        node = ListNode(at)
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            node.items.append(self._node(event))
        return node

    def _map(self, at: FilePosition) -> MapNode:
        node = MapNode(at)
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event)
            below = self._node(next(self._events))
            if self._accepts(node, key):
                assert isinstance(key, ScalarNode)
                node.keys[key.text] = key
                node.values[key.text] = below
        return node

    def _accepts(self, node: MapNode, key: Node) -> bool:
        """Whether `key` is a new key made of text; complain if not."""
        if not isinstance(key, ScalarNode):
            self._problems.add(key.at, AuthoringTexts.key_not_text)
        elif key.text == "<<" and not key.style:
            self._problems.add(key.at, AuthoringTexts.merge)
        elif not isinstance(key.value, str):
            if not key.refused:
                self._problems.add(key.at, AuthoringTexts.key_not_text)
        elif key.text in node.keys:
            line = node.keys[key.text].at.line
            self._problems.add(key.at, AuthoringTexts.duplicate_key, key=key.text, line=line)
        else:
            return True
        return False


def _at(event: yaml.Event) -> FilePosition:
    mark = event.start_mark
    assert mark is not None  # every event of a parser has one
    return FilePosition(mark.line + 1, mark.column + 1)


_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?")
_INFINITE = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}
_BOOLEAN_WORDS = {
    **dict.fromkeys(("yes", "on", "true"), "true"),
    **dict.fromkeys(("no", "off", "false"), "false"),
}
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?")
_ODD_NUMBER = re.compile(
    r"[-+]?(0[xXoObB]?[0-9a-fA-F_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"
    r"|[0-9](?=[0-9]*_)[0-9_.]*|\.(Inf|INF)|\.(NaN|NAN))"
)


def _refusal(text: str) -> LocalText | None:
    if text.lower() in _BOOLEAN_WORDS and text not in ("true", "false"):
        cased = (text.lower(), text.upper(), text.capitalize())
        return AuthoringTexts.boolean_word if text in cased else None
    if _DATE.fullmatch(text):
        return AuthoringTexts.date
    if len(text) > MAX_DIGITS and _INTEGER.fullmatch(text):
        return AuthoringTexts.long_number
    ordinary = _INTEGER.fullmatch(text) or _FLOAT.fullmatch(text)
    return AuthoringTexts.odd_number if not ordinary and _ODD_NUMBER.fullmatch(text) else None


def _plain(text: str) -> Plain:
    """Return what a plain scalar means to every reader."""
    if text in ("true", "false"):
        return text == "true"
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) or text in _INFINITE:
        return float(_INFINITE.get(text, text))
    return text
