"""Which names reach which tensors: walked again only where something moved.

Most lines move nothing, or give a plain variable another tensor. Both are seen
by comparing the variables themselves, and in memory whether what containers
hold is still the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_uint64
from operator import is_
from types import CodeType, FrameType
from typing import NamedTuple

import torch

from inplace_tui.worker.evidence import TAG, Evidence
from inplace_tui.worker.names import INSIDE, MOST_OBJECTS, Inside, Reached, itself, reach
from inplace_tui.worker.passive import PLAIN, grad_of


class Renamed(NamedTuple):
    """A variable that now means something else."""

    space: int
    """0 for the innermost frame's, and so on outwards."""

    name: str
    """As it is written."""

    old: int | None
    """The object that it was, by its address; None if that was no tensor."""

    new: torch.Tensor | None
    """A plain tensor that no other name reaches and that has no gradient."""


class _Space:
    """The variables of one frame, as they were when last looked at."""

    __slots__ = ("_ids", "_insides", "_keys", "_tag", "_types", "_wanted", "at", "code", "seen")

    def __init__(self, code: CodeType, variables: dict[str, object]) -> None:
        self.code = code
        self.at = id(variables)
        self._tag = c_uint64.from_address(self.at + TAG)
        self.seen = -1
        self._keys: list[str] = []
        self._types: list[type] = []
        self._insides: list[Inside | None] = []
        self._wanted: list[str] = []
        self._ids: list[int] = []
        self.take(variables)

    @property
    def count(self) -> int:
        """How many variables there are."""
        return len(self._keys)

    @property
    def ids(self) -> list[int]:
        """The objects that may reach a tensor, by their addresses."""
        return self._ids

    def take(self, variables: dict[str, object]) -> None:
        """Take down what the variables are now."""
        self.seen = self._tag.value
        self._keys = list(variables)
        self._types = list(map(type, variables.values()))
        self._insides = [
            INSIDE[kind] if type(name) is str and name[:2] != "__" else None
            for name, kind in zip(self._keys, self._types, strict=True)
        ]
        self._choose(variables)

    def _choose(self, variables: dict[str, object]) -> None:
        self._wanted = [
            k for k, inside in zip(self._keys, self._insides, strict=True) if inside is not None
        ]
        self._ids = list(map(id, map(variables.__getitem__, self._wanted)))

    def is_same(self, variables: dict[str, object]) -> bool:
        """Whether the variables are what they were, as far as tensors go."""
        tag = self._tag.value
        if tag == self.seen:
            return True
        if (
            len(variables) != len(self._keys)
            or not all(map(is_, variables, self._keys))
            or not all(map(is_, map(type, variables.values()), self._types))
            or list(map(id, map(variables.__getitem__, self._wanted))) != self._ids
        ):
            return False
        self.seen = tag
        return True

    def changes(self, variables: dict[str, object]) -> list[tuple[str, int | None, object]] | None:
        """Return which variables are others: (which, object before, value).

        None where more than plain tensors and what reaches none took part; then,
        and only then, they must be taken down anew.
        """
        count, keys = len(self._keys), list(variables)
        if len(keys) < count or not all(map(is_, self._keys, keys)):
            return None
        ids = dict(zip(self._wanted, self._ids, strict=True))
        types = list(map(type, variables.values()))
        insides = self._insides.copy()
        found: list[tuple[str, int | None, object]] = []
        for at, (key, kind) in enumerate(zip(keys, types, strict=True)):
            was = now = self._insides[at] if at < count else None
            if at >= count or kind is not self._types[at]:
                now = INSIDE[kind] if type(key) is str and key[:2] != "__" else None
                insides[at : at + 1] = [now]
            if was is None and now is None:
                continue
            old, value = ids.get(key), variables[key]
            if old == id(value) and was is now:
                continue
            if was not in _SIMPLE or now not in _SIMPLE:
                return None
            found.append((key, old, None if now is None else value))
        self._keys, self._types, self._insides = keys, types, insides
        self.seen = self._tag.value
        self._choose(variables)
        return found


_SIMPLE = (None, itself)


class Roster:
    """What names reached when they were last looked at."""

    def __init__(self) -> None:
        self._spaces: list[_Space] = []
        self._names: dict[int, list[str]] = {}
        self._bearing: set[int] = set()
        """Tensors after whose names others are named."""

        self._evidence = Evidence(None)
        self._in_transform = True
        """Or nothing is known yet."""

    def look(self, frames: Sequence[FrameType]) -> Reached | list[Renamed]:
        """Return which variables mean something else than before, or all there is.

        Args:
            frames: as for `names.reach`.
        """
        spaces = _variables(frames)
        known = self._spaces
        if (
            self._in_transform
            or torch._C._functorch.peek_interpreter_stack() is not None
            or len(spaces) != len(known)
        ):
            return self.walk(frames)
        others: list[int] = []
        for at, ((code, variables), space) in enumerate(zip(spaces, known, strict=True)):
            if id(variables) != space.at or code is not space.code:
                return self.walk(frames)
            if not space.is_same(variables):
                others.append(at)
        if not self._evidence.holds():
            return self.walk(frames)
        found: list[Renamed] = []
        for at in others:
            renamed = self._renamed(at, spaces)
            if renamed is None:
                return self.walk(frames)
            found += renamed
        return found

    def walk(self, frames: Sequence[FrameType]) -> Reached:
        """Look at everything."""
        evidence = Evidence(self._evidence)
        found = reach(frames, evidence)
        evidence.seal()
        self._evidence = evidence
        self._names = found.names
        self._bearing = found.optimized | found.grads.keys()
        self._spaces = [_Space(code, variables) for code, variables in _variables(frames)]
        self._in_transform = torch._C._functorch.peek_interpreter_stack() is not None
        return found

    def forget(self) -> None:
        """Look at everything the next time."""
        self._in_transform = True

    def order(self) -> dict[int, int]:
        """Return in which order variables hold objects, by the addresses of these."""
        ids = [id_ for space in self._spaces for id_ in space.ids]
        return {id_: at for at, id_ in reversed(list(enumerate(ids)))}

    def _renamed(
        self, at: int, spaces: list[tuple[CodeType, dict[str, object]]]
    ) -> list[Renamed] | None:
        """Return the variables of one frame that mean something else; None: walk instead."""
        code, variables = spaces[at]
        space, outermost = self._spaces[at], spaces[-1][1]
        names, before = self._names, space.count
        changes = space.changes(variables)
        if changes is None or len(names) > MOST_OBJECTS - len(changes):
            return None
        is_new = space.count > before and at == 0 and outermost is not variables
        if is_new and any(key in outermost for key, _, _ in changes):
            return None  # it may hide a variable of the module's
        found: list[Renamed] = []
        left: set[int] = set()
        for key, was, value in changes:
            name = key
            if at and variables is outermost:
                name = f"<module>:{key}" if key in spaces[0][1] else key
            elif at:
                name = f"{code.co_name}:{key}"
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
                assert isinstance(value, torch.Tensor)
                if grad_of(value) is not None:
                    return None
                names[id(value)] = [name]
            found.append(Renamed(at, name, old, value))
        return found


def _variables(frames: Sequence[FrameType]) -> list[tuple[CodeType, dict[str, object]]]:
    """Return the variables of frames as `names.reach` looks at them, the innermost first."""
    if not frames:
        return []
    inner = frames[0]
    plain, outside = inner.f_locals, inner.f_globals
    found = [(inner.f_code, plain)]
    found += [(f.f_code, f.f_locals) for f in frames[1:] if f.f_globals is not f.f_locals]
    if outside is not plain:
        found.append((inner.f_code, outside))
    return found
