"""What a learner keeps an eye on among many tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.timeline import Timeline


@dataclass(frozen=True)
class Watch:
    """Which tensors come first, and which are left out."""

    pinned: tuple[str, ...] = ()
    """Names that come first, in the order in which they were pinned."""

    without_modules: bool = False
    """What only modules and optimizers reach is left out."""

    followed: int | None = None
    """The only tensor that is shown."""

    called: str = ""
    """The name of that tensor where it was chosen."""

    def pins(self, tensor: Tensor) -> int | None:
        places = [self.pinned.index(name) for name in tensor.names if name in self.pinned]
        return min(places, default=None)

    def with_pin(self, tensor: Tensor) -> Watch:
        if self.pins(tensor) is not None:
            return replace(self, pinned=tuple(n for n in self.pinned if n not in tensor.names))
        return replace(self, pinned=(*self.pinned, *tensor.names[:1]))


NOWHERE = -1
"""A tensor that is not there."""


class Following:
    """The tensor that is followed. Programs are edited: in another one it is found by its name.

    Numbers of tensors belong to a program; the same number is another tensor in the next.
    """

    def __init__(self) -> None:
        self._source = ""
        self._name = ""
        self._tensor: int | None = None

    @property
    def is_on(self) -> bool:
        return self._tensor is not None

    def choose(self, tensor: Tensor, source: str) -> None:
        self._source, self._tensor = source, tensor.id
        self._name = next(iter(tensor.names), "")

    def stop(self) -> None:
        self._tensor = None

    def over(self, watch: Watch, source: str, snapshot: Snapshot) -> Watch:
        """Return a watch with what is followed at a moment of the run of a program."""
        if self._tensor is None:
            return replace(watch, followed=None)
        if source != self._source:
            named = (each for each in snapshot.tensors.values() if self._name in each.names)
            found = next(named, None)
            if found is None:
                return replace(watch, followed=NOWHERE, called=self._name)
            self._source, self._tensor = source, found.id
        return replace(watch, followed=self._tensor, called=self._name)


def module_tensors(tensors: Iterable[Tensor]) -> frozenset[int]:
    """Return the tensors that are reached through modules and optimizers alone.

    Parameters, the buffers beside them, what an optimizer keeps for them, and
    the gradients of these; a variable of its own takes a tensor out.
    """
    listed = [tensor for tensor in tensors if tensor.names]
    inside = [each for each in listed if not any(name.isidentifier() for name in each.names)]
    named = (name for each in inside if each.is_parameter for name in each.names)
    owners = {_owner(name) for name in named} - {""}
    found = {
        each.id
        for each in inside
        if each.is_parameter or all(_belongs(name, owners) for name in each.names)
    }
    return frozenset(found)


def _owner(name: str) -> str:
    """Return the expression of what holds it: `net.lin` of `net.lin.weight`."""
    return name.rpartition(".")[0]


def _belongs(name: str, owners: set[str]) -> bool:
    is_kept = ".state[" in name or ".param_groups[" in name
    return is_kept or _owner(name.removesuffix(".grad")) in owners


def related_tensors(snapshot: Snapshot, number: int) -> frozenset[int]:
    """Return a tensor, those on its storage, their base, and its gradient."""
    tensor = snapshot.tensors.get(number)
    if tensor is None:
        return frozenset({number})
    found = {number}
    for other in snapshot.tensors.values():
        related = other.storage is not None and other.storage == tensor.storage
        if related or number in (other.base, other.grad) or tensor.base == other.id:
            found.add(other.id)
    if tensor.grad is not None:
        found.add(tensor.grad)
    return frozenset(found)


def storages(snapshot: Snapshot, tensors: Iterable[int]) -> frozenset[int]:
    known = (snapshot.tensors.get(number) for number in tensors)
    return frozenset(each.storage for each in known if each is not None and each.storage)


def related_storages(timeline: Timeline, snapshot: Snapshot, number: int) -> frozenset[int]:
    """Return the storages of a tensor, of its views and of its gradient; the last ones it had."""
    found = storages(snapshot, related_tensors(snapshot, number))
    if found:
        return found
    row = timeline.histories.row_at(number, len(timeline) - 1)
    return frozenset() if row is None or row.storage is None else frozenset({row.storage})


def nodes_holding(snapshot: Snapshot, number: int) -> frozenset[int]:
    """Return the nodes that made a tensor, saved it, or fill its gradient."""
    tensor = snapshot.tensors.get(number)
    if tensor is None:
        return frozenset()
    found = {tensor.grad_fn} if isinstance(tensor.grad_fn, int) else set()
    found |= {node.id for node in snapshot.nodes.values() if node.leaf == number}
    for saved in snapshot.saved.values():
        is_same = saved.storage is not None and saved.storage == tensor.storage
        found |= {saved.node} if is_same or saved.tensor == number else set()
    return frozenset(found)
