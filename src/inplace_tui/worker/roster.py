"""Which names reach which tensors: walked again only where something moved.

Most lines move nothing, or give a plain variable another tensor. Both are seen
by comparing the variables themselves, and in memory whether what containers
hold is still the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_uint64
from itertools import compress
from operator import is_, is_not, ne
from types import CodeType, FrameType
from typing import NamedTuple, TypeAlias

import torch

from inplace_tui.worker.evidence import TAG, Evidence
from inplace_tui.worker.names import INSIDE, MOST_OBJECTS, Inside, Reached, itself, reach
from inplace_tui.worker.passive import PLAIN, grad_of

Changes: TypeAlias = list[tuple[str, int | None, object]]
"""Variables of a frame: (which, the object before by its address, the tensor now)."""


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
    def keys(self) -> list[str]:
        """The names of the variables."""
        return self._keys

    @property
    def ids(self) -> list[int]:
        """The objects that may reach a tensor, by their addresses."""
        return self._ids

    def take(self, variables: dict[str, object]) -> None:
        """Take down what the variables are now."""
        self.seen = self._tag.value
        self._keys = list(variables)
        self._types = list(map(type, variables.values()))
        self._insides = list(map(_inside, self._keys, self._types))
        self._choose(variables)

    def _choose(self, variables: dict[str, object]) -> None:
        self._wanted = [
            k for k, inside in zip(self._keys, self._insides, strict=True) if inside is not None
        ]
        self._ids = list(map(id, map(variables.__getitem__, self._wanted)))

    def changes(self, variables: dict[str, object]) -> Changes | None:
        """Return which variables are others: (which, object before, value).

        None where more than plain tensors and what reaches none took part; then
        they must be taken down anew.
        """
        tag = self._tag.value
        if tag == self.seen:
            return []
        count, keys = len(self._keys), list(variables)
        if len(keys) < count or not all(map(is_, self._keys, keys)):
            return None
        types = list(map(type, variables.values()))
        insides = self._insides
        other = [*compress(range(count), map(is_not, types, self._types)), *range(count, len(keys))]
        if other:
            insides = insides.copy()
            for at in other:
                insides[at : at + 1] = [_inside(keys[at], types[at])]
        ids = list(map(id, map(variables.__getitem__, self._wanted)))
        if not other and ids == self._ids:
            self.seen = tag
            return []
        moved = dict(compress(zip(self._wanted, self._ids, strict=True), map(ne, ids, self._ids)))
        if other:
            # A variable that had no tensor may have one now, and the other way round.
            before = dict(zip(self._wanted, self._ids, strict=True))
            moved |= {keys[at]: before.get(keys[at]) for at in other}
        places = sorted(map(keys.index, moved)) if len(moved) > 1 else map(keys.index, moved)
        found: Changes = []
        for at in places:
            key, now = keys[at], insides[at]
            was = self._insides[at] if at < count else None
            if was not in _SIMPLE or now not in _SIMPLE:
                return None
            if was is not None or now is not None:
                found.append((key, moved[key], None if now is None else variables[key]))
        self._keys, self._types, self.seen = keys, types, tag
        if other:
            self._insides = insides
            self._choose(variables)
        else:
            self._ids = ids
        return found


def _inside(name: object, kind: type) -> Inside | None:
    """Return how to look into a variable; None where it can reach no tensor or is Python's."""
    return INSIDE[kind] if type(name) is str and name[:2] != "__" else None


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
        changes: list[tuple[int, Changes]] = []
        for at, ((code, variables), space) in enumerate(zip(spaces, known, strict=True)):
            if id(variables) != space.at or code is not space.code:
                return self.walk(frames)
            count = len(space.keys)
            change = space.changes(variables)
            if change is None or (at == 0 and _hides(space.keys[count:], spaces)):
                return self.walk(frames)
            if change:
                changes.append((at, change))
        if not self._evidence.holds():
            return self.walk(frames)
        found: list[Renamed] = []
        for at, change in changes:
            renamed = self._renamed(at, change, spaces)
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
        self, at: int, changes: Changes, spaces: list[tuple[CodeType, dict[str, object]]]
    ) -> list[Renamed] | None:
        """Return the variables of one frame that mean something else; None: walk instead."""
        code, variables = spaces[at]
        names, outermost = self._names, spaces[-1][1]
        if len(names) > MOST_OBJECTS - len(changes):
            return None
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


def _hides(keys: list[str], spaces: list[tuple[CodeType, dict[str, object]]]) -> bool:
    """Whether new variables of the innermost frame hide some of the module's."""
    return len(spaces) > 1 and any(key in spaces[-1][1] for key in keys)


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
