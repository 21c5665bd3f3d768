"""What there is, line by line: the tables of tensors, storages, counters and nodes.

`look` compares everything that a name reaches with what was last told of it,
and returns only what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType

import torch

from inplace_tui.model.event import Rebound
from inplace_tui.model.snapshot import Node, Saved, Storage, Tensor, Unreadable
from inplace_tui.worker.counters import Counters
from inplace_tui.worker.graph import Graph, Maker
from inplace_tui.worker.memory import Block, Blocks
from inplace_tui.worker.names import reach
from inplace_tui.worker.ordinals import Ordinals
from inplace_tui.worker.slots import Fn, SavedSlot
from inplace_tui.worker.tensors import (
    Known,
    describe,
    fingerprint,
    geometry,
    grad_fn_of,
    place_of,
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

        self.moved: list[tuple[Known, Block, Block]] = []
        """Tensors that the last look found on another storage: (which, before, after)."""

        self._graph = Graph(
            blocks=self.blocks, counters=self.counters, leaf=self._number, maker=maker
        )
        self._sent: dict[int, Known] = {}
        self._scope = 0
        self._bound: dict[int, dict[str, int]] = {}

    def notice(
        self, frames: Sequence[FrameType], *, anew: bool = True
    ) -> list[tuple[Known, torch.Tensor, torch.Tensor | None]]:
        """Take down what the names reach now, so that writes to it will be seen.

        Args:
            frames: as for `names.reach`.
            anew: whether a tensor may have got another storage since the last time.

        Returns:
            Each tensor with its gradient.
        """
        found: list[tuple[Known, torch.Tensor, torch.Tensor | None]] = []
        named: dict[int, Known] = {}
        reached = reach(frames)
        for key, tensor in reached.tensors.items():
            known = self._reach(tensor, reached.names[key], anew)
            found.append((known, tensor, reached.grads.get(key)))
            named[known.id] = known
        if named.keys() != self.named.keys():
            for id_, known in self.named.items():
                if id_ not in named:
                    self._unname(known)
        self.named = named
        return found

    def look(self, frames: Sequence[FrameType], scope: int, *, anew: bool, thorough: bool) -> Look:
        """Return what changed since the last look.

        Args:
            frames: as for `names.reach`.
            scope: a number of the innermost frame's own; 0 for the module.
            anew: whether something may have been written that no counter saw.
            thorough: whether saved tensors may have been freed.
        """
        self.moved.clear()
        found = self.notice(frames, anew=anew)
        roots: dict[int, Fn] = {}
        changed: list[Tensor] = []
        new: list[Known] = []
        for known, tensor, grad in found:
            fn = grad_fn_of(tensor, known.is_view) if tensor.requires_grad else None
            node: int | Unreadable | None = None
            if isinstance(fn, Unreadable):
                node = fn
            elif fn is not None:
                node = self._graph.number(fn)
                roots[node] = fn
            had_node = known.had_node
            row = self._told(known, tensor, node, grad=grad, anew=anew)
            if row is not None:
                # Detached in place: what saved it can't be used any more.
                thorough = thorough or (node is None and had_node)
                changed.append(row)
                if not known.sent:
                    known.sent = True
                    new.append(known)
        self._graph.keep(roots)
        if thorough or self._graph.is_unsettled():
            self._graph.check(roots)
        slots = tuple(self._graph.new_slots())
        nodes, lost, saved = self._graph.news()
        storages, freed = self.blocks.news()
        gone = tuple(sorted(self._sent.keys() - self.named.keys()))
        moved = bool(changed or gone or scope != self._scope)
        self._sent, self._scope = self.named, scope
        self.tensors.prune()
        return Look(
            tensors=tuple(changed),
            gone=gone,
            storages=storages,
            freed=freed,
            nodes=nodes,
            lost=lost,
            saved=saved,
            rebound=tuple(self._rebound(frames, scope)) if moved else (),
            new=tuple(new),
            slots=slots,
        )

    def find(self, frames: Sequence[FrameType], number: int) -> torch.Tensor | None:
        """Return the tensor of that ordinal, if a name still reaches it."""
        reached = reach(frames)
        for tensor in (*reached.tensors.values(), *reached.grads.values()):
            known = self.tensors.get(tensor)
            if known is not None and known.id == number:
                return tensor
        return None

    def hold(self, tensor: object, *, firmly: bool) -> None:
        """Let go of a tensor for a moment in which it can't die, or take hold again."""
        if isinstance(tensor, torch.Tensor):
            hold = torch._C._WeakTensorRef(tensor) if firmly else None
            known = self.tensors.get(tensor)
            if known is not None:
                known.hold = hold
            self.counters.hold(tensor, hold)

    def enter(self, frames: Sequence[FrameType], scope: int) -> None:
        """Take down what a function was called with."""
        self.notice(frames)
        self._bound[scope] = self._meanings(frames, scope)[scope]

    def leave(self, scope: int) -> None:
        """Forget what the names of a frame meant."""
        self._bound.pop(scope, None)

    def _number(self, tensor: torch.Tensor) -> int:
        return self.tensors.of(tensor).id

    def _reach(self, tensor: torch.Tensor, names: list[str], anew: bool) -> Known:
        known = self.tensors.of(tensor)
        if len(names) > 1:
            names.sort(key=len)
        if not known.names:
            known.counter = self.counters.name(known, tensor)
            anew = True
        known.names = tuple(names)
        if anew or (known.counter is not None and known.print[1:2] != (known.counter.version,)):
            placed = known.place.raw
            if placed != known.placed:
                known.placed = placed
                self._place(known, self.blocks.of(tensor))
        return known

    def _place(self, known: Known, block: Block | None) -> None:
        """Take down which storage a tensor has now."""
        old = known.block
        if block is not old:
            self.blocks.name(old, -1)
            self.blocks.name(block, 1)
            known.block = block
            if old is not None and block is not None:
                self.moved.append((known, old, block))

    def _unname(self, known: Known) -> None:
        self.counters.unname(known)
        self.blocks.name(known.block, -1)
        known.names = known.print = ()
        known.placed = b""
        known.counter = known.block = None

    def _told(
        self,
        known: Known,
        tensor: torch.Tensor,
        node: int | Unreadable | None,
        *,
        grad: torch.Tensor | None,
        anew: bool,
    ) -> Tensor | None:
        """Return what to tell of a tensor; None if nothing of it changed."""
        known.had_node = isinstance(node, int)
        number = None if grad is None else self._number(grad)
        print_ = fingerprint(known, tensor, node, number)
        block = known.block
        if print_ == known.print and not (
            anew and (block is None or known.seen != (known.place.raw, block.seen))
        ):
            return None
        known.seen = ()
        try:
            form = geometry(tensor, block)
            if print_ == known.print and form == known.geometry:
                known.seen = place_of(known, tensor)
                return None
            base = tensor._base if known.is_view else None
            row = describe(
                known, tensor, node, grad=number, base=None if base is None else self._number(base)
            )
        except (RuntimeError, NotImplementedError) as refusal:
            form = (str(refusal),)
            if print_ == known.print and form == known.geometry:
                return None
            dtype = str(tensor.dtype).removeprefix("torch.")
            values = Unreadable(str(refusal))
            row = Tensor(id=known.id, names=known.names, shape=(), dtype=dtype, values=values)
        else:
            known.seen = place_of(known, tensor)
        known.print, known.geometry = print_, form
        return row

    def _rebound(self, frames: Sequence[FrameType], scope: int) -> Iterable[Rebound]:
        """Yield the names of the innermost frame and of the module that mean another tensor."""
        for number, names in self._meanings(frames, scope).items():
            before = self._bound.get(number, {})
            if before != names:
                other = {n for n, id_ in names.items() if before.get(n, id_) != id_}
                for name in sorted(other, key=lambda n: (len(n), n)):
                    if _root(name) == name or _root(name) not in other:
                        yield Rebound(name=name, before=before[name], after=names[name])
                self._bound[number] = names

    def _meanings(self, frames: Sequence[FrameType], scope: int) -> dict[int, dict[str, int]]:
        """Return what each plain name means: the innermost frame's, and the module's under 0."""
        meanings: dict[int, dict[str, int]] = {scope: {}, 0: {}}
        mine = frames[0].f_locals if frames and scope else {}
        for known in self.named.values():
            for name in known.names:
                root = _root(name)
                if ":" not in root:
                    meanings[scope if root in mine else 0][name] = known.id
        return meanings


@lru_cache(maxsize=4096)
def _root(name: str) -> str:
    """Return the variable that an expression begins with.

    >>> _root("layers[0].bias")
    'layers'
    """
    return name.partition("[")[0].partition(".")[0]
