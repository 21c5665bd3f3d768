"""What a replay finds out while it runs, writes that autograd does not record above all.

The graph knows nothing of `x.data.mul_(2)`: what is computed from `x` after that has the
derivative of what was written, and the graph hands it on as that of what stood there before. The
replay puts a node into its graph at each such write. A gradient that comes through it to an
element that was written is a doubt, and no fault: straight-through estimators are written so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any
from weakref import ref

import torch
from msgspec import structs
from torch._C._autograd import CreationMeta, _get_creation_meta
from torch.autograd.graph import GradientEdge, Node
from torch.utils.hooks import RemovableHandle

from inplace_tui.common.run.doubt import Doubt, Reason
from inplace_tui.common.run.program import Unrecorded
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.replay.copies import copied
from inplace_tui.diagnosis.record.state.safe_reads import is_opaque, outside_modes

MAX_LENT, MAX_LENT_BYTES = 8, 2**22
"""Tensors that are looked at after each line, and the size of one; the oldest is let go."""

MAX_STORAGES = 1_000
"""After which those that are gone are forgotten."""

SHIFTS = ("Tensor.add_", "Tensor.sub_")
"""Where a number is the operand, or a leaf is, their derivative by what stood there is 1."""

ROUNDED = 4
"""Times the precision of the tensor that a move may be off."""

ROUGH = 1e-3
"""Of a move, what may be off where its size alone tells."""

_UNWRITABLE = (CreationMeta.MULTI_OUTPUT_NODE, CreationMeta.IN_CUSTOM_FUNCTION)
_storage_of = torch.Tensor.untyped_storage
_apply = torch.autograd.Function.__dict__["apply"]
"""The ways that the replay itself changes."""


class UnseenWrites:
    """The tensors whose memory the program has without their history, and the first doubt."""

    def __init__(self, files: OwnFiles) -> None:
        self.doubt: Doubt | None = None
        self.backwards = 0
        """How many were begun."""

        self._files = files
        self._called: dict[int, str] = {}
        """What is written, by line."""

        self._of: dict[int, ref[torch.Tensor]] = {}
        """By the address of their storage, which is another's when the tensor is gone."""

        self._lent: list[tuple[ref[object], UnseenWrite]] = []
        """Whose memory others than torch may write, and what might be written there just now."""

        self._line = 0

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

    def lend(self, tensor: torch.Tensor, array: object) -> None:
        """Look at this memory after every line: numpy writes without torch."""
        tracer, files = sys.gettrace(), self._files
        if self.doubt is not None or is_opaque(tensor):
            return
        if tracer not in (None, self._see) or "compile" in files.text:
            return  # a debugger's, or a compiler would take ours for a part of the program
        with outside_modes(), suppress(Exception):
            of = self.owner(tensor)
            of = _whole(tensor) if of is None else of
            if of.is_leaf or of.nbytes > MAX_LENT_BYTES:
                return
            lent = ref(array), UnseenWrite(self, "Tensor.numpy", of, of)
            self._lent = [*self._lent[1 - MAX_LENT :], lent]
            frames = files.frames()
            self._line = files.line(frames[0])
            for frame in frames:
                frame.f_trace = self._see
            sys.settrace(self._see)

    def _see(self, frame: FrameType, _event: str, _argument: object) -> Any:
        if frame.f_code not in self._files:
            return None
        with outside_modes(), suppress(Exception):
            for _, write in self._lent:
                write.look(self._line)
            self._lent = [each for each in self._lent if each[0]() is not None]
        self._line = self._files.line(frame)
        if not self._lent:
            sys.settrace(None)
        return self._see if self._lent else None

    def renew(self, of: torch.Tensor) -> None:
        """Take what is in memory for what has to be there."""
        for _, write in self._lent:
            write.renew(of)

    def mark(
        self, op: str, of: torch.Tensor, changed: torch.Tensor, view: torch.Tensor, line: int | None
    ) -> None:
        """Put a node into the graph, where these elements of a view of a tensor changed."""
        line, name = self._place(of, line)
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

    def _place(self, tensor: torch.Tensor, line: int | None) -> tuple[int, str]:
        """Return the line that is running, and what a tensor is called there."""
        frames = self._files.frames()
        line = line or (self._files.line(frames[0]) if frames else 0)
        if line not in self._called:
            near = [(n, t) for n, t in names.named_tensors(frames) if t.requires_grad]
            same = [n for n, t in near if t is tensor] + [n for n, t in near if t._base is tensor]
            self._called[line] = same[0] if same else type(tensor.grad_fn).__name__
        return line, self._called[line]


class UnseenWrite:
    """A write that is under way, or may be."""

    def __init__(
        self, writes: UnseenWrites, op: str, of: torch.Tensor, tensor: torch.Tensor
    ) -> None:
        self._writes, self._op, self._of, self._tensor = writes, op, ref(of), ref(tensor)
        self.renew(of)

    def renew(self, of: torch.Tensor) -> None:
        tensor, is_same = self._tensor(), of is self._of()
        if tensor is not None and is_same:
            self._before, self._version = copied(tensor.detach()), of._version

    def look(self, line: int) -> None:
        """End it, if torch has not counted a write of its own since."""
        of = self._of()
        if of is not None and of._version != self._version:
            self.renew(of)
        self.end(line)

    def end(self, line: int | None = None) -> None:
        with outside_modes(), suppress(Exception):
            of, tensor, before = self._of(), self._tensor(), self._before
            if of is None or tensor is None:
                return
            now = tensor.detach()
            changed = (before != now) & ~(before.isnan() & now.isnan())
            if bool(changed.any()):
                if not _is_shifted(before, now):
                    self._writes.mark(self._op, of, changed, now, line)
                self._writes.renew(of)


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
    while getattr(node, "_forward_cls", None) is Written:
        node, number = node.next_functions[0]
        root = GradientEdge(node, number)
    return root


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor that a view is of, unless torch lets nobody write the view in place."""
    base = tensor._base
    return tensor if base is None or _get_creation_meta(tensor) in _UNWRITABLE else base


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
    was, becomes = before.double().reshape(-1), now.double().reshape(-1)
    near = ROUNDED * torch.finfo(before.dtype).eps * torch.maximum(was.abs(), becomes.abs())
    off, least = becomes - was, near.argmin()  # an element that rounding hides least
    alike = (was - was[least]).abs() <= ROUNDED * near
    return not alike.all() and bool(((off - off[least]).abs() <= near + near[least]).all())


class GradientMove:
    """A tensor, and its gradient when that was taken. Asked with the program's modes shut out.

    A meta-learner that cuts its inner update moves it so: the gradient was taken with
    `create_graph=True`, no backward used that graph, and what it is subtracted by is not recorded.
    """

    def __init__(self, tensor: torch.Tensor, gradient: torch.Tensor, line: int) -> None:
        self.tensor = ref(tensor)
        self.line = line
        self.is_used = False
        """A backward went through the graph of the gradient."""

        self.name: str | None = None
        """Of the tensor, once a loss of another line depends on where it was moved."""

        self.backward: int | None = None
        """The number of that loss's."""

        self._is_along: bool | None = None
        self._held = tensor.detach().clone(), gradient.detach().clone()
        assert gradient.grad_fn is not None
        gradient.grad_fn.register_prehook(self._use)

    def is_made(self) -> bool:
        """Whether it was moved along the gradient before this was asked for the first time."""
        if self._is_along is None:
            tensor, self._is_along = self.tensor(), False
            with suppress(Exception):
                self._is_along = tensor is not None and _is_along(*self._held, tensor)
            del self._held
        return self._is_along

    def _use(self, _gradients: object) -> None:
        self.is_used = True


def _is_along(before: torch.Tensor, gradient: torch.Tensor, now: torch.Tensor) -> bool:
    """Whether the difference is a multiple of the gradient, or a first step of Adam's by it."""
    if not now.is_floating_point():
        return False
    step, along = (now.detach().double() - before.double()), gradient.double()
    largest = float(torch.stack([before, now]).abs().max())
    near, sizes = ROUNDED * torch.finfo(now.dtype).eps * largest, step.abs()[along != 0]
    if not bool(step.abs().max() > ROUNDED * near):
        return False
    rate = float((step * along).sum() / (along * along).sum())
    if now.numel() == 1:  # always a multiple: a rate that somebody wrote has few digits
        error = near / float(sizes.max()) * abs(rate)
        return rate < 0 and abs(rate - float(f"{rate:.3g}")) <= error < ROUGH * abs(rate)
    if bool((step - rate * along).abs().max() <= near):
        return True
    descends = bool((step * along <= 0).all())
    return descends and bool(sizes.max() - sizes.min() <= ROUGH * sizes.max() + near)


class Findings:
    """Doubts about its worth, and the writes that it had to put into its graph."""

    def __init__(self, files: OwnFiles) -> None:
        self.doubts: list[Doubt] = []
        self.unrecorded: list[Unrecorded] = []
        self.unrolled = False
        """A reentrant checkpoint was recorded as it ran."""

        self.untracked: dict[int, torch.Tensor] = {}
        """The leaves in what a reentrant checkpoint did not record at all, by identity."""

        self.has_functions = False
        """A custom Function was called: code of the program's runs in backward."""

        self.unhooked = RemovableHandle.next_id
        """The number of the next handle as long as the program has registered no hook, at a tensor,
        a node or a module: each makes one."""

        self.unseen = UnseenWrites(files)
        self.files = files
        self._unreached: dict[Node, tuple[int, ref[torch.Tensor] | None]] = {}

    def add_doubt(self, reason: Reason, detail: str) -> None:
        """Add a reason why equal gradients of the two runs prove nothing."""
        found = Doubt(reason=reason, detail=detail)
        if found not in self.doubts:
            self.doubts.append(found)

    def expect(self, written: torch.Tensor, of: torch.Tensor | None = None) -> None:
        """Expect a backward through what was written to another tensor's memory."""
        base = written._base if written._base is not None else written
        of = self.unseen.owner(base) if of is None else of
        if of is None or of is base or base.grad_fn is None:
            return
        node, is_leaf = base.grad_fn, of.is_leaf
        self._unreached[node] = self.line(), ref(of) if is_leaf else None
        node.register_prehook(lambda _: self._unreached.pop(node, None) and None)

    def unreached(self, delivered: set[int]) -> Iterator[tuple[int, Node, torch.Tensor | None]]:
        """Yield the lines of writes with a history that no backward went through, and the leaves.

        To a leaf that has had no gradient, whoever writes may have an average of weights there.
        """
        for node, (line, leaf) in self._unreached.items():
            if leaf is None or id(leaf()) in delivered:
                yield line, node, None if leaf is None else leaf()

    def add_unrecorded(self, op: str, *, in_function: bool = False) -> None:
        """Add a write that this graph has and the program's own graph lacks."""
        self.add(Unrecorded(line=self.line(), op=op, in_function=in_function))

    def add(self, found: Unrecorded) -> None:
        if found not in self.unrecorded:
            self.unrecorded.append(found)

    def line(self) -> int:
        return self.files.running_line() or 0
