"""Which names reach which tensors: walked again only where something moved.

Most lines move nothing, or give a plain variable another tensor. Both are seen
by comparing the variables themselves, and in memory whether what containers
hold is still the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType, FrameType

import msgspec
import torch

from inplace_tui.model.snapshot import MOST_NAME
from inplace_tui.worker.naming.evidence import Evidence
from inplace_tui.worker.naming.names import MOST_OBJECTS, Reached, reach
from inplace_tui.worker.naming.variables import Changes, Variables, variables_of
from inplace_tui.worker.state.passive import PLAIN, grad_of


class Renamed(msgspec.Struct, frozen=True, gc=False):
    """A variable that now means something else."""

    space: int
    """0 for the innermost frame's, and so on outwards."""

    name: str
    """As it is written."""

    old: int | None
    """The object that it was, by its address; None if that was no tensor."""

    new: torch.Tensor | None
    """A plain tensor that no other name reaches and that has no gradient."""


class Roster:
    """What names reached when they were last looked at."""

    def __init__(self) -> None:
        self._spaces: list[Variables] = []
        self._names: dict[int, list[str]] = {}
        self._bearing: set[int] = set()
        """Tensors after whose names others are named."""

        self._evidence = Evidence(None)
        self._in_transform = True
        """Or nothing is known yet."""

    def look(self, frames: Sequence[FrameType], *, acted: bool) -> Reached | list[Renamed]:
        """Return which variables mean something else than before, or all there is.

        Args:
            frames: as for `names.reach`.
            acted: whether anything ran since that may do more than compute.
        """
        spaces = variables_of(frames)
        known = self._spaces
        if (
            self._in_transform
            or torch._C._functorch.peek_interpreter_stack() is not None
            or len(spaces) != len(known)
        ):
            return self.walk(frames)
        changes: list[tuple[int, Changes]] = []
        for at, space in enumerate(known):
            code, variables = spaces[at]
            if id(variables) != space.at or code is not space.code:
                return self.walk(frames)
            change = space.changes(variables, acted=acted)
            if change is None or (at == 0 and space.added and _hides(space.added, spaces)):
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
        self._spaces = [Variables(code, variables) for code, variables in variables_of(frames)]
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
            if len(name) > MOST_NAME:
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
                assert isinstance(value, torch.Tensor)
                if grad_of(value) is not None:
                    return None
                names[id(value)] = [name]
            found.append(Renamed(at, name, old, value))
        return found


def _hides(keys: list[str], spaces: list[tuple[CodeType, dict[str, object]]]) -> bool:
    """Whether new variables of the innermost frame hide some of the module's."""
    return len(spaces) > 1 and any(key in spaces[-1][1] for key in keys)
