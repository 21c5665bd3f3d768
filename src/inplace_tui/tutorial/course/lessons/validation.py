"""Whether nodes have the shape of a type of ours; everything that is not so, with its place.

The types are those that msgspec decodes into, so a field is declared once.
msgspec itself stops at the first mistake and knows no lines.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.problems import NOTHING, FilePosition, Problems, did_you_mean, fill, nearest
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import Anchor, Slug, Values
from inplace_tui.tutorial.course.lessons.strict_yaml import (
    ListNode,
    MapNode,
    Node,
    Path,
    ScalarNode,
    value,
)

S = TypeVar("S", bound=msgspec.Struct)


@dataclass
class Collected:
    """What later rules want to see again."""

    anchors: list[tuple[Path, ScalarNode]] = field(default_factory=list)
    """Every value and key that names an anchor."""

    texts: list[MapNode] = field(default_factory=list)
    """Every text, in the languages that it is there in."""


def validate(node: Node, kind: type[S], problems: Problems) -> tuple[S | None, Collected]:
    """Return `node` as a `kind`, or None after noting everything that is wrong.

    Nor is it made of a file in which the parser refused something.
    """
    walk = _Walk(problems)
    walk.check(node, decodable(kind), ())
    if problems:
        return None, walk.found
    return msgspec.convert(value(node), kind), walk.found


class _Walk:
    """Goes through nodes and annotations side by side."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.found = Collected()

    def check(self, node: Node, annotation: Any, path: Path) -> None:
        if isinstance(node, ScalarNode) and node.refused:
            return
        nullable, kind, metas = _split_annotation(annotation)
        if nullable and isinstance(node, ScalarNode) and node.value is None and node.text:
            return
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            self._struct(node, kind, path)
        elif get_origin(kind) is list:
            self._list(node, kind, metas, path)
        elif get_origin(kind) is dict:
            self._dict(node, kind, metas, path)
        else:
            self._leaf(node, annotation, path)

    def _struct(self, node: Node, kind: type[msgspec.Struct], path: Path) -> None:
        fields = _fields(kind)
        if not isinstance(node, MapNode):
            either = kind is LocalText
            names = tuple(name for name, each in fields.items() if each.required or either)
            key = AuthoringTexts.mapping if names else AuthoringTexts.any_mapping
            self._expected(node, fill(key, names=names))
            return
        meant = self._unknown(node, fields)
        for name, each in fields.items():
            if name in node.values:
                self.check(node.values[name], each.type, (*path, name))
            elif each.required and name not in meant:
                missing = kind is LocalText
                key = AuthoringTexts.missing_language if missing else AuthoringTexts.missing_key
                self.problems.add(node.at, key, key=name)
        if kind is LocalText and "en" in node.values and node.values.keys() <= fields.keys():
            self.found.texts.append(node)

    def _unknown(self, node: MapNode, known: Iterable[str]) -> set[str]:
        """Complain of unknown keys; return those that were probably meant by them."""
        meant: set[str] = set()
        free = [name for name in known if name not in node.keys]
        for name, key in node.keys.items():
            if name in known:
                continue
            hint = did_you_mean(name, free)
            self.problems.add(key.at, AuthoringTexts.unknown_key, key=name, hint=hint)
            near = nearest(name, free)
            meant |= set() if near is None else {near}
        return meant

    def _list(self, node: Node, kind: Any, metas: tuple[msgspec.Meta, ...], path: Path) -> None:
        if not isinstance(node, ListNode):
            self._expected(node, AuthoringTexts.list)
            return
        self._length(node.at, len(node.items), metas)
        (below,) = get_args(kind)
        for index, item in enumerate(node.items):
            self.check(item, below, (*path, index))

    def _dict(self, node: Node, kind: Any, metas: tuple[msgspec.Meta, ...], path: Path) -> None:
        if not isinstance(node, MapNode):
            self._expected(node, AuthoringTexts.any_mapping)
            return
        self._length(node.at, len(node.values), metas)
        key_kind, below = get_args(kind)
        for name, item in node.values.items():
            self._leaf(node.keys[name], key_kind, (*path, name))
            self.check(item, below, (*path, name))

    def _length(self, at: FilePosition, length: int, metas: tuple[msgspec.Meta, ...]) -> None:
        for meta in metas:
            if meta.min_length is not None and length < meta.min_length:
                self.problems.add(at, AuthoringTexts.too_few, count=meta.min_length)
            if meta.max_length is not None and length > meta.max_length:
                self.problems.add(at, AuthoringTexts.too_many, count=meta.max_length)

    def _leaf(self, node: Node, annotation: Any, path: Path) -> None:
        if isinstance(node, ScalarNode) and _is_anchor(annotation):
            self.found.anchors.append((path, node))
        empty = isinstance(node, ScalarNode) and node.value is None and not node.text
        try:
            found = msgspec.convert(value(node), annotation)
        except msgspec.ValidationError:
            hint, kind = NOTHING, _split_annotation(annotation)[1]
            is_member = isinstance(kind, type) and issubclass(kind, StrEnum)
            if is_member and isinstance(node, ScalarNode):
                hint = did_you_mean(node.text, _members(annotation))
            self._expected(node, _described(annotation), hint)
        else:
            # `say:` with nothing behind it is a line left unfinished, not a null.
            if empty or (isinstance(found, StrEnum) and found not in _members(annotation)):
                self._expected(node, _described(annotation))

    def _expected(self, node: Node, what: LocalText, hint: LocalText = NOTHING) -> None:
        got = _shown(node)
        problem = fill(AuthoringTexts.expected, what=what, got=got)
        self.problems.say(node.at, in_each(lambda each: problem[each] + hint[each]))


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return a type's fields; msgspec evaluates the annotations anew each time."""
    return {each.encode_name: each for each in msgspec.structs.fields(kind)}


@functools.cache
def _split_annotation(annotation: Any) -> tuple[bool, Any, tuple[msgspec.Meta, ...]]:
    """Return whether null is allowed, the type, and the annotations of it."""
    metas: tuple[msgspec.Meta, ...] = ()
    nullable = False
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metas += tuple(more)
            continue
        if get_origin(annotation) in (Union, types.UnionType):
            nullable = nullable or type(None) in get_args(annotation)
            members = [m for m in get_args(annotation) if m not in (type(None), msgspec.UnsetType)]
            if len(members) == 1:
                annotation = members[0]
                continue
        return nullable, annotation, metas


@functools.cache
def _is_anchor(annotation: Any) -> bool:
    return annotation == Anchor or Anchor in get_args(annotation)


def _members(annotation: Any) -> tuple[str, ...]:
    """Return what may be chosen of an enumeration."""
    _, kind, metas = _split_annotation(annotation)
    return next((meta.extra["among"] for meta in metas if meta.extra), tuple(kind))


def _described(annotation: Any) -> LocalText:
    nullable, kind, metas = _split_annotation(annotation)
    what = _described_kind(annotation, kind, metas)
    # Elsewhere null only means what leaving the key out means.
    claims_none = nullable and msgspec.UnsetType in get_args(annotation)
    return fill(AuthoringTexts.or_null, what=what) if claims_none else what


def _described_kind(annotation: Any, kind: Any, metas: tuple[msgspec.Meta, ...]) -> LocalText:
    if annotation == Slug or _is_anchor(annotation):
        return AuthoringTexts.slug if annotation == Slug else AuthoringTexts.anchor_name
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return fill(AuthoringTexts.one_of, names=_members(annotation))
    if kind is bool:
        return AuthoringTexts.boolean
    if kind is int:
        return _described_integer(metas)
    if kind is str:
        some = AuthoringTexts.some_text if metas else AuthoringTexts.text
        return AuthoringTexts.identifier if any(meta.pattern for meta in metas) else some
    assert set(get_args(Values)) <= set(get_args(annotation)), annotation
    return AuthoringTexts.numbers


def _described_integer(metas: tuple[msgspec.Meta, ...]) -> LocalText:
    bounds = ((meta.ge, meta.le) for meta in metas if meta.ge is not None and meta.le is not None)
    least, most = next(bounds, (None, None))
    if least is None:
        return AuthoringTexts.integer
    if least == most:
        return LocalText(str(least))
    return fill(AuthoringTexts.integer_between, least=least, most=most)


def _shown(node: Node) -> LocalText | str:
    match node:
        case ListNode():
            return AuthoringTexts.list
        case MapNode():
            return AuthoringTexts.any_mapping
        case ScalarNode(value=None):
            return AuthoringTexts.null if node.text else AuthoringTexts.nothing
        case ScalarNode(value=str()):
            first = node.text.split("\n", 1)[0]
            return f"'{first if len(first) <= 40 else first[:39] + '…'}'"
        case ScalarNode():
            return f"`{node.text}`"
