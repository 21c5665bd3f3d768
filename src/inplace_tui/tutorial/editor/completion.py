"""What may come next where one types: names and members that begin so."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inplace_tui.common.parsing import parse
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name
from inplace_tui.tutorial.editor.indentation import code_of
from inplace_tui.tutorial.editor.names import Names

MIN_PREFIX = 2
"""Letters of a name before anything is proposed unasked."""

_TYPED = re.compile(r"(\.\s*)?([^\W\d]\w*)?$")


@dataclass(frozen=True)
class Completion:
    """One way to go on."""

    text: str
    tensor: Tensor | None = None
    """What has this name in the last run."""

    name: Name | None = None
    """What torch says of it."""

    rank: int = 0


@dataclass(frozen=True)
class TypedName:
    """What stands before the cursor: `y.ex` is `ex` of `y`."""

    prefix: str
    of: str | None = None
    """The expression before the dot; None where there is no dot."""


def typed_name(before: str) -> TypedName | None:
    """Return the name that is being typed at the end of a line; None in strings and comments.

    >>> typed_name("z = y.ex"), typed_name("f(torch."), typed_name("# no")
    (TypedName(prefix='ex', of='y'), TypedName(prefix='', of='torch'), None)
    """
    if code_of(before).text:
        return None
    found = _TYPED.search(before)
    if found is None:
        return None
    dot, prefix = found.group(1), found.group(2) or ""
    if dot is None:
        behind = before[: len(before) - len(prefix)]
        return None if behind[-1:].isalnum() or not prefix else TypedName(prefix)
    of = _expression(before[: found.start()])
    return TypedName(prefix, of) if of else None


def completions(names: Names, what: TypedName, snapshot: Snapshot) -> list[Completion]:
    tensors = {
        name: tensor
        for tensor in snapshot.tensors.values()
        for name in tensor.names
        if ":" not in name
    }
    found = _members(names, what.of, tensors) if what.of else _names(names, tensors)
    return sorted(found, key=lambda each: (each.rank, each.text.startswith("_"), each.text))


def beginning(found: Iterable[Completion], prefix: str) -> list[Completion]:
    """Return those that begin so; capitals count only if some are typed."""
    exact = prefix != prefix.lower()
    fitting = [
        each for each in found if (each.text if exact else each.text.lower()).startswith(prefix)
    ]
    if not prefix.startswith("_"):
        fitting = [each for each in fitting if not each.text.startswith("_")]
    return [] if [each.text for each in fitting] == [prefix] else fitting


def _names(names: Names, tensors: Mapping[str, Tensor]) -> list[Completion]:
    found = {name: Completion(name, rank=1) for name in names.kinds}
    for name in names.classes:
        found.setdefault(name, Completion(name, rank=1))
    for path, tensor in tensors.items():
        if path.isidentifier():
            found[path] = Completion(path, tensor=tensor)
    for name in (*keyword.kwlist, *dir(builtins)):
        found.setdefault(name, Completion(name, rank=2))
    return list(found.values())


def _members(names: Names, of: str, tensors: Mapping[str, Tensor]) -> list[Completion]:
    found: dict[str, Completion] = {}
    kind = _kind(names, of)
    parts = {path[len(of) + 1 :]: t for path, t in tensors.items() if path.startswith(f"{of}.")}
    if not kind and of in tensors:
        kind = TENSOR
    elif not kind and any(tensor.is_parameter for tensor in parts.values()):
        kind = MODULE
    for each in names.members(kind):
        found[each.name] = Completion(each.name, name=each, rank=1)
    for own in names.own_members(kind):
        found[own] = Completion(own)
    for path, tensor in parts.items():
        head = re.match(r"\w+", path)
        if head is not None:
            whole = head.group() == path
            found[head.group()] = Completion(head.group(), tensor=tensor if whole else None)
    return list(found.values())


def _kind(names: Names, of: str) -> str:
    try:
        body = parse(of).body
    except SyntaxError:
        return ""
    return names.kind_of(body[0].value) if body and isinstance(body[0], ast.Expr) else ""


def _expression(before: str) -> str:
    """Return the expression that a text ends with: names, calls and items joined by dots.

    >>> _expression("z = f(x).add(y[0])"), _expression("a + b")
    ('f(x).add(y[0])', 'b')
    """
    place, end = len(before.rstrip()), len(before.rstrip())
    while place > 0:
        letter = before[place - 1]
        if letter in ")]":
            opened = _opening(before, place - 1)
            if opened is None:
                break
            place = opened
        elif letter.isalnum() or letter in "_.":
            place -= 1
        else:
            break
    return before[place:end].lstrip(".")


def _opening(before: str, closing: int) -> int | None:
    depth = 0
    for place in range(closing, -1, -1):
        depth += (before[place] in ")]}") - (before[place] in "([{")
        if depth == 0:
            return place
    return None
