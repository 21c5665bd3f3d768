"""What must hold of a question beyond its shape: each kind has keys of its own.

Works on nodes, so that a mistake in one place does not hide those in others.
"""

from __future__ import annotations

from collections.abc import Iterator

from inplace_tui.engine.lessons.anchors import Marked
from inplace_tui.engine.lessons.ordering import in_one_block
from inplace_tui.engine.lessons.strict_yaml import ListNode, MapNode, Node, ScalarNode, child
from inplace_tui.engine.problems import Problems, nearest
from inplace_tui.model.lesson import Kind
from inplace_tui.texts.authoring import AuthoringTexts

_OF_KIND: dict[Kind, frozenset[str]] = {
    Kind.OUTCOME: frozenset({"choices"}),
    Kind.VALUE: frozenset({"choices"}),
    Kind.ATTRIBUTE: frozenset({"choices"}),
    Kind.LINE: frozenset({"choices", "elsewhere"}),
    Kind.ORDER: frozenset({"lines", "goal", "why", "right"}),
}
"""The keys that a question of each kind needs, and others may not have."""

_LEAST = {"choices": 2, "lines": 2, "why": 1}
"""How many of each there must be."""

ROLES = ("raised_by", "saved_by", "changed_by")
"""Keys of a claim that name a line by what it did in the whole run."""

OF_THE_STEP = ("tensors", "prints")
"""Keys of a claim that speak of one step, in `line` that of the choice's own line."""


def kinds(root: Node, problems: Problems) -> None:
    """Every question has the keys of its kind, and no others."""
    for asked, kind in _questions(root):
        needed = _OF_KIND[kind]
        for name in sorted(set().union(*_OF_KIND.values()) - needed):
            if name in asked.keys:
                problems.add(asked.keys[name].at, AuthoringTexts.not_of_kind, key=name, kind=kind)
        _needs(asked, needed, kind, problems)
        for name in sorted(needed & _LEAST.keys() & asked.values.keys()):
            below = asked.values[name]
            if isinstance(below, ListNode) and len(below.items) < _LEAST[name]:
                problems.add(below.at, AuthoringTexts.too_few, count=_LEAST[name])
        for choice in _items(asked, "choices"):
            _needs(choice, frozenset({"at" if kind is Kind.LINE else "text"}), kind, problems)
            if kind is not Kind.LINE and "at" in choice.keys:
                problems.add(choice.keys["at"].at, AuthoringTexts.not_of_kind, key="at", kind=kind)


def lines(root: Node, marked: Marked, problems: Problems) -> None:
    """The lines that a question names can be pointed at, or moved."""
    for asked, kind in _questions(root):
        if kind is Kind.LINE:
            _own_lines(asked, problems)
        elif kind is Kind.ORDER:
            _movable(asked, marked, problems)


def _questions(root: Node) -> Iterator[tuple[MapNode, Kind]]:
    steps = child(root, "steps")
    for step in steps.items if isinstance(steps, ListNode) else ():
        asked = child(step, "ask")
        kind = child(step, "ask", "kind")
        if isinstance(asked, MapNode) and isinstance(kind, ScalarNode) and kind.text in set(Kind):
            yield asked, Kind(kind.text)


def _items(node: Node, *path: str) -> Iterator[MapNode]:
    below = child(node, *path)
    for item in below.items if isinstance(below, ListNode) else ():
        if isinstance(item, MapNode):
            yield item


def _needs(node: MapNode, needed: frozenset[str], kind: Kind, problems: Problems) -> None:
    """Complain of what is missing, unless it was probably misspelt, which was said already."""
    missing = sorted(needed - node.keys.keys())
    meant = {nearest(name, missing) for name in node.keys} if missing else set()
    for name in missing:
        if name not in meant:
            problems.add(node.at, AuthoringTexts.missing_of_kind, key=name, kind=kind)


def _own_lines(asked: MapNode, problems: Problems) -> None:
    """Each choice stands for a line of its own, and its claim speaks of this line."""
    seen: dict[str, int] = {}
    for choice in _items(asked, "choices"):
        at, when = child(choice, "at"), child(choice, "when")
        if not isinstance(at, ScalarNode) or not isinstance(when, MapNode):
            continue
        name = at.text.partition("#")[0]
        if name in seen:
            problems.add(at.at, AuthoringTexts.line_taken, name=name, line=seen[name])
        seen.setdefault(name, at.at.line)
        spoken = False
        for role in ROLES:
            named = child(when, role)
            if not isinstance(named, ScalarNode):
                continue
            spoken = True
            if named.text.partition("#")[0] != name:
                problems.add(
                    named.at, AuthoringTexts.not_own_line, name=name, role=role, other=named.text
                )
        if not spoken and not any(key in when.keys for key in OF_THE_STEP):
            problems.add(when.at, AuthoringTexts.no_own_line, name=name)


def _movable(asked: MapNode, marked: Marked, problems: Problems) -> None:
    """The lines of an `order` are different statements of one block."""
    named = child(asked, "lines")
    nodes = [
        node
        for node in (named.items if isinstance(named, ListNode) else ())
        if isinstance(node, ScalarNode) and isinstance(node.value, str)
    ]
    names: list[str] = []
    for node in nodes:
        name, visit, _ = node.text.partition("#")
        if visit:
            problems.add(node.at, AuthoringTexts.order_visit, name=name)
        elif name in names:
            problems.add(node.at, AuthoringTexts.order_twice, name=name)
        elif name in marked.spans:
            names.append(name)
    if len(names) == len(nodes) > 1 and not in_one_block(marked, names):
        assert named is not None
        problems.add(named.at, AuthoringTexts.order_block)
