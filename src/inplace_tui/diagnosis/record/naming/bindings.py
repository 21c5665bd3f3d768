"""Which tensor each name is bound to, to find names that are bound to another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import FrameType

from inplace_tui.common.run.step import Rebound
from inplace_tui.diagnosis.record.compat import variables
from inplace_tui.diagnosis.record.state.records import TrackedTensor


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
        """Record that a variable is bound to another tensor."""
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
