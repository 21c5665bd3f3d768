"""Writes that autograd does not record, to what has a history and is used afterwards.

The graph knows nothing of `x.data.mul_(2)`: what is computed from `x` after that has the
derivative of what was written, and the graph hands it on as that of what stood there before. The
replay puts a node into its graph at each such write. A gradient that comes through it to an
element that was written is a doubt, and no fault: straight-through estimators are written so.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import ref

import torch
from msgspec import structs
from torch._C._autograd import CreationMeta, _get_creation_meta
from torch.autograd.graph import GradientEdge

from inplace_tui.model.doubt import Doubt, Reason
from inplace_tui.worker.replay.copies import copied
from inplace_tui.worker.replay.moves import noise
from inplace_tui.worker.state.safe_reads import is_opaque, outside_modes

MAX_STORAGES = 1_000
"""After which those that are gone are forgotten."""

SHIFTS = ("Tensor.add_", "Tensor.sub_")
"""Where a number is the operand, or a leaf is, their derivative by what stood there is 1."""

_UNWRITABLE = (CreationMeta.MULTI_OUTPUT_NODE, CreationMeta.IN_CUSTOM_FUNCTION)
_storage_of = torch.Tensor.untyped_storage
_apply = torch.autograd.Function.__dict__["apply"]
"""The ways that the replay itself changes."""


class UnseenWrites:
    """The tensors whose memory the program has without their history, and the first doubt."""

    def __init__(self, place: Callable[[torch.Tensor], tuple[int, str]]) -> None:
        """Ask `place` for the line that runs and what a tensor is called there."""
        self.doubt: Doubt | None = None
        self.backwards = 0
        """How many were begun."""

        self._place = place
        self._of: dict[int, ref[torch.Tensor]] = {}
        """By the address of their storage, which is another's when the tensor is gone."""

    def register(self, tensor: torch.Tensor) -> None:
        """Remember whose memory it is that a tensor without its history now has, too."""
        if is_opaque(tensor):
            return
        with outside_modes(), suppress(Exception):
            if len(self._of) > MAX_STORAGES:
                self._of = {k: each for k, each in self._of.items() if each() is not None}
            of, known = _whole(tensor), self.owner(tensor)
            if known is None or known.is_leaf:
                self._of[_storage_of(of).data_ptr()] = ref(of)

    def owner(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return which registered tensor has the memory of one; modes are shut out."""
        address = _storage_of(tensor).data_ptr() if self._of else 0
        of = self._of[address]() if address in self._of else None
        return None if of is None or _storage_of(of).data_ptr() != address else of

    def begin(self, op: str, tensor: object, *args: object, **kwargs: object) -> UnseenWrite | None:
        """Return what becomes of a write if autograd won't see it, and would have to."""
        recorded = torch.is_grad_enabled()
        if not isinstance(tensor, torch.Tensor) or (recorded and not self._of):
            return None
        if self.doubt is not None or is_opaque(tensor) or tensor.is_inference():
            return None
        with outside_modes(), suppress(Exception):
            own, of = _whole(tensor), self.owner(tensor)
            if of is None or of is own or of.is_leaf:
                of = None if recorded else own
            if of is None or of.is_leaf or (op in SHIFTS and self._is_other(of, args, kwargs)):
                return None
            return UnseenWrite(self, op, of, tensor)
        return None

    def _is_other(self, of: torch.Tensor, args: Any, kwargs: dict[str, object]) -> bool:
        """Whether the operand of an addition is a number or a leaf."""
        other = args[0] if args else kwargs.get("other")
        if isinstance(other, torch.Tensor):
            other = other if other.is_leaf and other.requires_grad else self.owner(other)
            return other is not None and other is not of and other.is_leaf
        return isinstance(other, (int, float, complex))

    def mark(self, op: str, of: torch.Tensor, changed: torch.Tensor, view: torch.Tensor) -> None:
        """Put a node into the graph, where these elements of a view of a tensor changed."""
        line, name = self._place(of)
        whole = bool(changed.all()) and view.numel() == of.numel()
        places = None if whole else _places(of, view, changed)
        doubt = Doubt(reason=Reason.WRITTEN, detail=name, line=line, op=op)

        def come(gradient: torch.Tensor | None) -> None:
            with outside_modes(), suppress(Exception):
                if self.doubt is None and gradient is not None:
                    given = gradient.detach().reshape(-1)
                    if bool((given if places is None else given[places]).count_nonzero()):
                        self.doubt = structs.replace(doubt, backward=self.backwards)

        with torch.enable_grad():
            if of._is_view():
                of.register_hook(come)  # torch refuses a node: earlier uses count, too
            else:
                _apply.__get__(None, Written)(of, come)


class UnseenWrite:
    """A write that is under way."""

    def __init__(
        self, writes: UnseenWrites, op: str, of: torch.Tensor, tensor: torch.Tensor
    ) -> None:
        self._writes, self._op, self._of, self._tensor = writes, op, of, tensor
        self._before = copied(tensor.detach())

    def end(self) -> None:
        with outside_modes(), suppress(Exception):
            before, now = self._before, self._tensor.detach()
            changed = (before != now) & ~(before.isnan() & now.isnan())
            if bool(changed.any()) and not _is_shifted(before, now):
                self._writes.mark(self._op, self._of, changed, now)


class Written(torch.autograd.Function):  # type: ignore[misc]  # torch has no type for it
    """Stands in the graph for a write that is not in it."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, come: Callable[..., None]) -> torch.Tensor:
        ctx.come = come
        ctx.set_materialize_grads(False)
        ctx.mark_dirty(tensor)
        return tensor

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor | None) -> tuple[torch.Tensor | None, None]:
        ctx.come(gradient)
        return gradient, None


def without_marks(root: Any) -> Any:
    """Return where the gradient of a tensor arrives in the program's own graph."""
    node: Any = root.grad_fn if isinstance(root, torch.Tensor) else None
    number = 0
    if not _is_mark(node):
        return root
    while _is_mark(node):
        node, number = node.next_functions[0]
    return GradientEdge(node, number)


def _is_mark(node: Any) -> bool:
    return getattr(node, "_forward_cls", None) is Written


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor that a view is of, unless torch lets nobody write the view in place."""
    base = tensor._base
    is_alone = base is None or _get_creation_meta(tensor) in _UNWRITABLE
    return tensor if is_alone else base


def _places(of: torch.Tensor, view: torch.Tensor, changed: torch.Tensor) -> torch.Tensor | None:
    """Return which elements of a tensor they are; None where that can't be told: any."""
    if view.dtype != of.dtype or _storage_of(view).data_ptr() != _storage_of(of).data_ptr():
        return None
    cells = torch.zeros(_storage_of(of).nbytes() // of.itemsize, dtype=torch.bool)
    cells.as_strided(view.shape, view.stride(), view.storage_offset()).copy_(changed)
    return cells.as_strided(of.shape, of.stride(), of.storage_offset()).reshape(-1).nonzero()[:, 0]


def _is_shifted(before: torch.Tensor, now: torch.Tensor) -> bool:
    """Whether elements that are not all alike moved by the same amount."""
    if not before.is_floating_point():
        return False
    was = before.double()
    step = now.double() - was
    near = noise(before, now)
    return bool(was.max() - was.min() > 4 * near and step.max() - step.min() <= near)
