"""What there is, line by line: the tables of tensors, storages, counters and nodes.

`look` compares everything that a name reaches with what was last told of it,
and returns only what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType

import torch

from inplace_tui.model.event import Rebound
from inplace_tui.model.snapshot import Node, Saved, Storage, Tensor, Unreadable
from inplace_tui.worker.counters import Counters
from inplace_tui.worker.graph import Fn, Graph, Maker, SavedSlot
from inplace_tui.worker.memory import Blocks
from inplace_tui.worker.names import bindings
from inplace_tui.worker.ordinals import Ordinals
from inplace_tui.worker.passive import is_opaque
from inplace_tui.worker.tensors import (
    Known,
    describe,
    fingerprint,
    grad_fn_of,
    grad_ordinal,
)


@dataclass(frozen=True, slots=True)
class Look:
    """What differs from the look before; the fields are those of a `Step`."""

    tensors: tuple[Tensor, ...]
    gone: tuple[int, ...]
    storages: tuple[Storage, ...]
    freed: tuple[int, ...]
    nodes: tuple[Node, ...]
    lost: tuple[int, ...]
    saved: tuple[Saved, ...]
    rebound: tuple[Rebound, ...]
    new: tuple[Known, ...]
    """Tensors that were never told of before."""

    slots: tuple[SavedSlot, ...]
    """Slots of nodes that were never told of before."""


class Ledger:
    """Everything that is known of the program's tensors."""

    def __init__(self, maker: Callable[[int], Maker]) -> None:
        self.counters = Counters()
        self.blocks = Blocks()
        self.tensors: Ordinals[Known] = Ordinals(Known)
        self.named: dict[int, Known] = {}
        """By ordinal, what a name reaches."""

        self._graph = Graph(
            blocks=self.blocks, counters=self.counters, leaf=self._number, maker=maker
        )
        self._sent: dict[int, Known] = {}
        self._bound: dict[int, dict[str, int]] = {}

    def notice(self, frames: Sequence[FrameType]) -> list[tuple[Known, torch.Tensor]]:
        """Take down what the names reach now, so that writes to it will be seen."""
        reached: dict[int, tuple[torch.Tensor, list[str]]] = {}
        for name, tensor in bindings(frames):
            known = reached.get(id(tensor))
            if known is None:
                reached[id(tensor)] = (tensor, [name])
            else:
                known[1].append(name)
        found: list[tuple[Known, torch.Tensor]] = []
        named: dict[int, Known] = {}
        for tensor, names in reached.values():
            known_ = self._reach(tensor, names)
            if known_ is not None:
                found.append((known_, tensor))
                named[known_.id] = known_
        for id_, known_ in self.named.items():
            if id_ not in named:
                self._unname(known_)
        self.named = named
        return found

    def look(self, frames: Sequence[FrameType], scope: int, *, thorough: bool) -> Look:
        """Return what changed since the last look.

        Args:
            frames: as for `bindings`.
            scope: a number of the innermost frame's own; 0 for the module.
            thorough: whether saved tensors may have been freed.
        """
        found = self.notice(frames)
        roots: dict[int, Fn] = {}
        nodes: list[int | Unreadable | None] = []
        for _, tensor in found:
            fn = grad_fn_of(tensor)
            if fn is None or isinstance(fn, Unreadable):
                nodes.append(fn)
                continue
            number = self._graph.number(fn)
            roots[number] = fn
            nodes.append(number)
        changed: list[Tensor] = []
        for (known, tensor), node in zip(found, nodes, strict=True):
            had_node = known.had_node
            row = self._told(known, tensor, node)
            if row is not None:
                # Detached in place: what saved it can't be used any more.
                thorough = thorough or (node is None and had_node)
                changed.append(row)
        self._graph.keep(roots)
        if thorough:
            self._graph.check(roots)
        new = tuple(known for known, _ in found if not known.sent)
        for known in new:
            known.sent = True
        slots = tuple(self._graph.new_slots())
        told, lost, saved = self._graph.news()
        storages, freed = self.blocks.news()
        gone = tuple(id_ for id_ in self._sent if id_ not in self.named)
        self._sent = self.named
        self.tensors.prune()
        return Look(
            tensors=tuple(changed),
            gone=gone,
            storages=storages,
            freed=freed,
            nodes=told,
            lost=lost,
            saved=saved,
            rebound=tuple(self._rebound(frames, scope)),
            new=new,
            slots=slots,
        )

    def leave(self, scope: int) -> None:
        """Forget what the names of a frame meant."""
        self._bound.pop(scope, None)

    def _number(self, tensor: torch.Tensor) -> int:
        return self.tensors.of(tensor).id

    def _reach(self, tensor: torch.Tensor, names: list[str]) -> Known | None:
        """Take down one tensor; None where it can't be read at all."""
        known = self.tensors.get(tensor)
        if known is None:
            if is_opaque(tensor):
                return None
            known = self.tensors.of(tensor)
        if not known.names:
            known.counter = self.counters.of(tensor, known.hold)
            if known.counter is not None:
                known.counter.tensors.append(known)
                known.counter.changed = True
        if len(names) > 1:
            names.sort(key=len)
        known.names = tuple(names)
        block = self.blocks.of(tensor)
        if block is not known.block:
            if known.block is not None:
                known.block.users -= 1
            if block is not None:
                block.users += 1
            known.block = block
        return known

    def _unname(self, known: Known) -> None:
        known.names = ()
        known.print = ()
        if known.counter is not None:
            known.counter.tensors.remove(known)
            known.counter.changed = True
            self.counters.release(known.counter)
            known.counter = None
        if known.block is not None:
            known.block.users -= 1
            known.block = None

    def _told(
        self, known: Known, tensor: torch.Tensor, node: int | Unreadable | None
    ) -> Tensor | None:
        """Return what to tell of a tensor; None if nothing of it changed."""
        known.had_node = isinstance(node, int)
        try:
            grad = grad_ordinal(tensor, self._number)
            print_ = fingerprint(known, tensor, node, grad)
            if print_ == known.print:
                return None
            known.print = print_
            base = tensor._base if known.is_view else None
            return describe(
                known, tensor, node, grad=grad, base=None if base is None else self._number(base)
            )
        except (RuntimeError, NotImplementedError) as refusal:
            if known.print == (known.names, str(refusal)):
                return None
            known.print = (known.names, str(refusal))
            dtype = str(tensor.dtype).removeprefix("torch.")
            values = Unreadable(str(refusal))
            return Tensor(id=known.id, names=known.names, shape=(), dtype=dtype, values=values)

    def _rebound(self, frames: Sequence[FrameType], scope: int) -> Iterable[Rebound]:
        """Yield the names of the innermost frame and of the module that mean another tensor."""
        local, module = dict[str, int](), dict[str, int]()
        mine = frames[0].f_locals if frames else {}
        for known in self.named.values():
            for name in known.names:
                root = _root(name)
                if ":" not in root:
                    is_local = scope and root in mine
                    (local if is_local else module)[name] = known.id
        for number, names in ((scope, local), (0, module)):
            if number == 0 and names is local:
                continue
            before = self._bound.get(number, {})
            if before != names:
                other = {n for n, id_ in names.items() if before.get(n, id_) != id_}
                for name in sorted(other, key=lambda n: (len(n), n)):
                    if _root(name) == name or _root(name) not in other:
                        yield Rebound(name=name, before=before[name], after=names[name])
                self._bound[number] = names


def _root(name: str) -> str:
    """Return the variable that an expression begins with.

    >>> _root("layers[0].bias")
    'layers'
    """
    return name.partition("[")[0].partition(".")[0]
