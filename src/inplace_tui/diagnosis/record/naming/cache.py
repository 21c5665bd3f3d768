"""Which names reach which tensors: read again only where a name or a container has changed.

Most lines change nothing, or bind a variable to another tensor. Both are seen by comparing
identities with those of the last look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress, count
from operator import ne
from types import FrameType
from typing import TypeAlias

import msgspec
import torch

from inplace_tui.common.run.snapshot import MAX_NAME
from inplace_tui.common.run.step import Rebound
from inplace_tui.diagnosis.record.compat import variables
from inplace_tui.diagnosis.record.naming.names import (
    ACCESSORS,
    MAX_OBJECTS,
    TENSOR,
    Accessor,
    ReachableTensors,
    Scope,
    is_variable,
    reach,
    signature,
    spaces_of,
)
from inplace_tui.diagnosis.record.state.records import TrackedTensor
from inplace_tui.diagnosis.record.state.safe_reads import PLAIN, grad_of

Changes: TypeAlias = list[tuple[str, int | None, torch.Tensor | None]]
"""Variables of a frame: (name, address of the tensor before, tensor now)."""

Content: TypeAlias = int | Accessor | None
"""Of a variable: the `TensorImpl` of a tensor, how to read a container, None of anything else."""


class Renamed(msgspec.Struct, frozen=True, gc=False):
    """A variable that is bound to another tensor, or to none any more."""

    space: int
    """0 for the innermost frame's, and so on outwards."""

    name: str
    """As it is written."""

    old: int | None
    """The object that it was bound to, by its address; None if that was no tensor."""

    new: torch.Tensor | None
    """A plain tensor that no other name reaches and that has no gradient."""


class Variables:
    """What the variables of one frame were bound to at the last look.

    Known by address: no object is held. A line that binds each variable once makes the new
    object before the old one dies, so the addresses differ. After any other line what is at
    an address is compared, too.
    """

    __slots__ = ("_containers", "_contents", "_ids", "code", "frame", "names", "prefix")

    def __init__(self, space: Scope) -> None:
        self.frame, self.code, self.prefix, variables = space
        self.names = list(variables)
        values = list(variables.values())
        self._ids = list(map(id, values))
        self._contents = _contents(values)
        named = enumerate(zip(self.names, self._contents, strict=True))
        self._containers = [
            at for at, (name, found) in named if isinstance(found, Accessor) and is_variable(name)
        ]
        """Their places among the variables."""

    def bound(self) -> list[int]:
        """Return the objects that may reach a tensor, by their addresses."""
        found = zip(self.names, self._ids, self._contents, strict=True)
        return [id_ for name, id_, content in found if content and is_variable(name)]

    def containers(self, variables: Mapping[str, object]) -> list[object]:
        values = list(variables.values())
        return [values[at] for at in self._containers]

    def changes(self, variables: Mapping[str, object], *, stored: bool) -> Changes | None:
        """Return which variables are bound to another tensor, or to one no longer.

        None where a container took part, or a variable was deleted: then everything has to
        be looked at.
        """
        names, values = list(variables), list(variables.values())
        ids, known = list(map(id, values)), len(self.names)
        if names != self.names:
            if len(names) <= known or names[:known] != self.names:
                return None
            self.names = names
            self._ids += [0] * (len(names) - known)
            self._contents += [None] * (len(names) - known)
        elif not stored and ids == self._ids:
            return []
        before = self._contents
        now = _contents(values) if stored else before.copy()
        places: Iterable[int] = compress(count(), map(ne, ids, self._ids))
        if stored:
            places = {*places, *compress(count(), map(ne, now, before))}
        found = Changes()
        for at in sorted(places):
            name, value = names[at], values[at]
            (now[at],) = _contents((value,))
            if (before[at] or now[at]) and is_variable(name):
                if isinstance(before[at], Accessor) or isinstance(now[at], Accessor):
                    return None
                old = self._ids[at] if before[at] else None
                found.append((name, old, value if now[at] else None))
        self._ids, self._contents = ids, now
        return found


class NameCache:
    """What names reached when they were last looked at."""

    def __init__(self) -> None:
        self._spaces: list[Variables] = []
        self._names: dict[int, list[str]] = {}
        self._bearing: set[int] = set()
        """Tensors whose names are part of the names of others."""

        self._containers: list[object] = []
        """As `signature` has them."""

        self._in_transform = True
        """Or nothing is known yet."""

    def update(
        self, frames: Sequence[FrameType], *, stored: bool
    ) -> ReachableTensors | list[Renamed]:
        """Return which variables are bound to another tensor than before, or all there is."""
        found = self._renames(frames, stored=stored)
        return self.walk(frames) if found is None else found

    def walk(self, frames: Sequence[FrameType]) -> ReachableTensors:
        found = reach(frames)
        self._names = found.names
        self._bearing = found.optimized | found.grads.keys()
        spaces = spaces_of(frames)
        self._spaces = [Variables(space) for space in spaces]
        self._containers = self._signature([space.variables for space in spaces])
        self._in_transform = torch._C._functorch.peek_interpreter_stack() is not None
        return found

    def forget(self) -> None:
        self._in_transform = True

    def order(self) -> dict[int, int]:
        """Return in which order variables hold objects, by the addresses of these."""
        ids = [id_ for space in self._spaces for id_ in space.bound()]
        return {id_: at for at, id_ in reversed(list(enumerate(ids)))}

    def _renames(self, frames: Sequence[FrameType], *, stored: bool) -> list[Renamed] | None:
        """Return which variables are bound to other tensors; None: look at everything instead."""
        spaces, known = spaces_of(frames), self._spaces
        if (
            self._in_transform
            or torch._C._functorch.peek_interpreter_stack() is not None
            or [space[:2] for space in spaces] != [(each.frame, each.code) for each in known]
        ):
            return None
        namespaces = [space.variables for space in spaces]
        found: list[tuple[int, Changes]] = []
        for at, (space, namespace) in enumerate(zip(known, namespaces, strict=True)):
            count = len(space.names)
            changes = space.changes(namespace, stored=stored)
            if changes is None:
                return None
            if at == 0 and len(namespaces) > 1 and namespaces[-1].keys() & space.names[count:]:
                return None  # new variables of the innermost frame hide some of the module's
            if changes:
                found.append((at, changes))
        if stored and self._signature(namespaces) != self._containers:
            return None
        renamed: list[Renamed] = []
        for at, changes in found:
            of_space = self._renamed(at, changes, namespaces)
            if of_space is None:
                return None
            renamed += of_space
        return renamed

    def _signature(self, namespaces: list[Mapping[str, object]]) -> list[object]:
        found = zip(self._spaces, namespaces, strict=True)
        return signature(chain.from_iterable(space.containers(each) for space, each in found))

    def _renamed(
        self, at: int, changes: Changes, namespaces: list[Mapping[str, object]]
    ) -> list[Renamed] | None:
        """Apply the changes of one frame; return None where a walk might name things otherwise."""
        names = self._names
        if len(names) > MAX_OBJECTS - len(changes):
            return None
        found: list[Renamed] = []
        left: set[int] = set()
        for key, was, value in changes:
            space = self._spaces[at]
            hides = space.frame == 0 and key in namespaces[0]
            name = f"<module>:{key}" if hides else space.prefix + key
            if len(name) > MAX_NAME:
                return None
            old = was if was in names else None
            if old is not None:
                if old in self._bearing or name not in names[old]:
                    return None
                names[old].remove(name)
                left.add(old)
                if not names[old]:
                    del names[old]
            if value is not None:
                if type(value) not in PLAIN or id(value) in names or id(value) in left:
                    return None
                if grad_of(value) is not None:
                    return None
                names[id(value)] = [name]
            found.append(Renamed(at, name, old, value))
        return found


def _contents(values: Sequence[object]) -> list[Content]:
    kinds = map(ACCESSORS.__getitem__, map(type, values))
    found = zip(values, kinds, strict=True)
    return [value._cdata if kind is TENSOR else kind for value, kind in found]  # type: ignore[attr-defined]


class Bindings:
    """The tensor that each plain name is bound to.

    By the number of a frame; by the address of its variables for a module.
    """

    def __init__(self) -> None:
        self._bound: dict[int, dict[str, int]] = {}
        self._scope = 0
        self._renamed: dict[tuple[int, str], int | None] = {}
        self._is_reset = True

    def enter(
        self, named: Iterable[TrackedTensor], frames: Sequence[FrameType], scope: int
    ) -> None:
        if scope:
            self._bound[scope] = _read(named, frames, scope)[scope]

    def leave(self, scope: int) -> None:
        self._bound.pop(scope, None)

    def reset(self) -> None:
        self._is_reset = True

    def rename(self, space: int, name: str, tensor: int | None) -> None:
        if ":" not in name:
            self._renamed[space, name] = tensor

    def rebound(
        self,
        named: Iterable[TrackedTensor],
        frames: Sequence[FrameType],
        scope: int,
        *,
        is_moved: bool,
    ) -> tuple[Rebound, ...]:
        """Return the names that are bound to another tensor than at the last call.

        `frames` are as for `names.reach`, `scope` is the number of the innermost one.
        """
        renamed, self._renamed = self._renamed, {}
        is_reset, self._is_reset = self._is_reset, False
        is_other, self._scope = scope != self._scope, scope
        if is_other or (is_reset and is_moved):
            return tuple(self._compared(_read(named, frames, scope)))
        if is_reset:
            return ()
        found: list[Rebound] = []
        for (space, name), now in renamed.items():
            bound = self._bound.setdefault(_module(frames) if space or not scope else scope, {})
            before = bound.pop(name, None)
            if now is not None:
                bound[name] = now
                if before is not None and before != now:
                    found.append(Rebound(name=name, before=before, after=now))
        if len(found) > 1:
            found.sort(key=lambda each: (len(each.name), each.name))
        return tuple(found)

    def _compared(self, bound: dict[int, dict[str, int]]) -> Iterable[Rebound]:
        for number, names in bound.items():
            before = self._bound.get(number, {})
            if before != names:
                other = {n for n, id_ in names.items() if before.get(n, id_) != id_}
                for name in sorted(other, key=lambda n: (len(n), n)):
                    if _root(name) == name or _root(name) not in other:
                        yield Rebound(name=name, before=before[name], after=names[name])
                self._bound[number] = names


def _read(
    named: Iterable[TrackedTensor], frames: Sequence[FrameType], scope: int
) -> dict[int, dict[str, int]]:
    """Return the tensor of each plain name: the innermost frame's, and its module's."""
    module = _module(frames)
    bound: dict[int, dict[str, int]] = {scope or module: {}, module: {}}
    mine = variables(frames[0]) if frames and scope else {}
    for known in named:
        for name in known.names:
            root = _root(name)
            if ":" not in root:
                bound[scope if root in mine else module][name] = known.id
    return bound


def _module(frames: Sequence[FrameType]) -> int:
    return id(frames[0].f_globals) if frames else 0


@lru_cache(maxsize=4096)
def _root(name: str) -> str:
    """Return the variable that an expression begins with.

    >>> _root("layers[0].bias")
    'layers'
    """
    return name.partition("[")[0].partition(".")[0]
