"""The tables of tensors, storages, counters and nodes, kept from line to line.

`differences` compares everything that a name reaches with what was last reported, and
returns only what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType

import msgspec
import torch

from inplace_tui.common.run.snapshot import (
    NOT_ASKED,
    SAMPLE_ELEMENTS,
    WHOLE_BYTES,
    Elements,
    Storage,
    Tensor,
    Unreadable,
)
from inplace_tui.common.run.step import Rebound
from inplace_tui.diagnosis.record.naming.cache import Bindings, NameCache, Renamed
from inplace_tui.diagnosis.record.naming.names import ReachableTensors, reach
from inplace_tui.diagnosis.record.readings import readings
from inplace_tui.diagnosis.record.state.graph import Graph, GraphChanges
from inplace_tui.diagnosis.record.state.memory import Block, Blocks
from inplace_tui.diagnosis.record.state.records import (
    Counters,
    Fingerprint,
    Fn,
    MadeAt,
    Ordinals,
    TrackedTensor,
    Watcher,
)
from inplace_tui.diagnosis.record.state.safe_reads import (
    PLAIN,
    bytes_needed,
    bytes_of,
    grad_of,
    index_of,
    is_outdated,
    text_of,
)
from inplace_tui.diagnosis.record.torch_memory import read


class Differences(msgspec.Struct, frozen=True, gc=False):
    """What changed since the last report; most fields are those of a `Step`."""

    tensors: tuple[Tensor, ...]
    gone: tuple[int, ...]
    storages: tuple[Storage, ...]
    freed: tuple[int, ...]
    graph: GraphChanges
    rebound: tuple[Rebound, ...]
    new: list[TrackedTensor]
    """Tensors that were never reported before."""


class Ledger:
    """Everything that is known of the program's tensors."""

    def __init__(self, made_at: Callable[[int], MadeAt]) -> None:
        self.counters = Counters()
        self.blocks = Blocks()
        self.tensors = Ordinals()
        self.named: dict[int, TrackedTensor] = {}
        """By ordinal, what a name reaches."""

        self.watcher = Watcher(self.blocks, self.counters)
        self._graph = Graph(self.blocks, self.counters, self._number, made_at)
        self._names = NameCache()
        self._bindings = Bindings()
        self._at: dict[int, TrackedTensor] = {}
        """What a name reaches, by the addresses of the Python objects."""

        self._grads: dict[int, int] = {}
        """Addresses of gradients, by the Python objects of their tensors."""

        self._gone: dict[int, TrackedTensor] = {}
        """By ordinal, what no name reaches any more since the last report."""

    def refresh(self, frames: Sequence[FrameType], *, stored: bool = True) -> None:
        """Record what the names reach now, so that writes to it will be seen.

        Args:
            stored: whether anything ran since that may have changed what a container holds,
                or a tensor without moving its counter.
        """
        self.blocks.fresh = None
        try:
            found = self._names.update(frames, stored=stored)
            if isinstance(found, list):
                for each in found:
                    self._rename(each)
                if self.watcher.update(self.named, self._grads, stored=stored):
                    return
                # Another tensor at the same address, or another gradient: names may differ.
                found = self._names.walk(frames)
            self._take(found)
            self.watcher.update(self.named, self._grads, stored=stored)
        except BaseException:
            self._names.forget()
            raise

    def differences(
        self, frames: Sequence[FrameType], scope: int, *, stored: bool, thorough: bool
    ) -> Differences:
        """Return what changed since the last report; `frames` and `stored` are as for `refresh`.

        `scope` is the innermost frame's own, 0 for the module. `thorough`: saved tensors may have
        been freed.
        """
        self.watcher.moved.clear()
        self.refresh(frames, stored=stored)
        changed: list[Tensor] = []
        new: list[TrackedTensor] = []
        for known in self._suspects():
            tensor = known.tensor
            fn = grad_fn_of(tensor, known.is_view) if tensor.requires_grad else None
            node = fn if fn is None or isinstance(fn, Unreadable) else self._graph.number(fn)
            self._graph.set_root(known.id, node if isinstance(node, int) else None)
            had_node = known.had_node
            grad = grad_of(tensor) if known.at in self._grads else None
            row = self._row(known, tensor, node, grad=grad)
            known.is_reported = True
            if row is not None:
                # Detached in place: what saved it can't be used any more.
                thorough = thorough or (node is None and had_node)
                changed.append(row)
                if not known.sent:
                    known.sent = True
                    new.append(known)
        self._graph.sweep()
        oldest = 0 if thorough else self._graph.oldest_to_check()
        if oldest is not None:
            self._graph.check(self._roots(), oldest)
        graph = self._graph.changes()
        storages, freed = self.blocks.changes()
        gone = tuple(sorted(self._gone)) if self._gone else ()
        rebound = self._bindings.rebound(
            self.named.values(), frames, scope, is_moved=bool(changed or gone)
        )
        for known in self._gone.values():
            known.is_reported = False
        self._gone.clear()
        self.tensors.prune()
        return Differences(tuple(changed), gone, storages, freed, graph, rebound, new)

    def find(self, frames: Sequence[FrameType], number: int) -> torch.Tensor | None:
        reached = reach(frames)
        for tensor in (*reached.tensors.values(), *reached.grads.values()):
            known = self.tensors.get(tensor)
            if known is not None and known.id == number:
                return tensor
        return None

    def hold(self, tensor: object, *, firmly: bool) -> None:
        """Release a tensor for a moment in which it can't die, or hold it again."""
        if isinstance(tensor, torch.Tensor):
            hold = torch._C._WeakTensorRef(tensor) if firmly else None
            known, named = self.tensors.get(tensor), self._at.get(id(tensor))
            if known is not None:
                known.hold = hold
            if named is not None:
                named.reference = readings().reference(tensor) if firmly else None
            readings().let_go(tensor)
            self.counters.hold(tensor, hold)

    def enter(self, frames: Sequence[FrameType], scope: int) -> None:
        self.refresh(frames)
        self._bindings.enter(self.named.values(), frames, scope)

    def leave(self, scope: int) -> None:
        self._bindings.leave(scope)

    def _number(self, tensor: torch.Tensor) -> int:
        return self.tensors.of(tensor).id

    def _take(self, reached: ReachableTensors) -> None:
        self._bindings.reset()
        self._grads = {key: grad._cdata for key, grad in reached.grads.items()}
        named: dict[int, TrackedTensor] = {}
        for key, tensor in reached.tensors.items():
            known = self._reach(tensor, reached.names[key])
            named[known.id] = known
        for id_, known in self.named.items():
            if id_ not in named:
                self._unname(known)
        self.named = named
        self._at = {known.at: known for known in named.values()}

    def _rename(self, change: Renamed) -> None:
        before = None if change.old is None else self._at[change.old]
        after = None
        if before is not None:
            if len(before.names) > 1:
                before.names = tuple([name for name in before.names if name != change.name])
                self.watcher.suspect(before)
            else:
                del self.named[before.id], self._at[before.at]
                self._unname(before)
        if change.new is not None:
            after = self._reach(change.new, [change.name])
            self.named[after.id] = self._at[after.at] = after
        self._bindings.rename(change.space, change.name, None if after is None else after.id)

    def _reach(self, tensor: torch.Tensor, names: list[str]) -> TrackedTensor:
        known = self.tensors.of(tensor)
        if len(names) > 1:
            names = sorted(names, key=len)
        if not known.names:
            known.counter = self.counters.name(known, tensor)
            self._gone.pop(known.id, None)
        if known.at != id(tensor):
            self.watcher.add(known, tensor)
        reported = tuple(names)
        if reported != known.names:
            known.names = reported
            self.watcher.suspect(known)
        return known

    def _suspects(self) -> list[TrackedTensor]:
        """Return what may have to be reported, in the order in which names reach it."""
        found = self.watcher.suspects()
        if len(found) > 1:
            order = self._names.order()
            last = len(order)
            ranks = {id_: last + at for at, id_ in enumerate(self.named)}
            found.sort(key=lambda known: order.get(known.at, ranks[known.id]))
        return found

    def _roots(self) -> list[Fn]:
        found = []
        for known in self.named.values():
            tensor = known.tensor
            if tensor.requires_grad:
                fn = grad_fn_of(tensor, known.is_view)
                if fn is not None and not isinstance(fn, Unreadable):
                    found.append(fn)
        return found

    def _unname(self, known: TrackedTensor) -> None:
        if known.is_reported:
            self._gone[known.id] = known
        self._graph.set_root(known.id, None)
        self.counters.unname(known)
        self.watcher.drop(known)
        known.names = known.fingerprint = ()
        known.counter = None
        self.tensors.forget(known)

    def _row(
        self,
        known: TrackedTensor,
        tensor: torch.Tensor,
        node: int | Unreadable | None,
        *,
        grad: torch.Tensor | None,
    ) -> Tensor | None:
        """Return the row to report of a tensor; None if nothing of it changed."""
        known.had_node = isinstance(node, int)
        number = None if grad is None else self._number(grad)
        now = fingerprint(known, tensor, node, number)
        block = known.block
        try:
            form = geometry(tensor, block)
            if now == known.fingerprint and form == known.geometry:
                return None
            base = tensor._base if known.is_view else None
            of = None if base is None else self._number(base)
            row = describe(known, tensor, node, form=form, grad=number, base=of)
        except (RuntimeError, NotImplementedError) as refusal:
            refused = (str(refusal),)
            if now == known.fingerprint and refused == known.geometry:
                return None
            dtype = str(tensor.dtype).removeprefix("torch.")
            values = Unreadable(str(refusal))
            row = Tensor(id=known.id, names=known.names, shape=(), dtype=dtype, values=values)
            known.geometry = refused
        else:
            known.geometry = form
        known.fingerprint = now
        return row


OUTDATED = Unreadable("outdated view: torch makes its grad_fn anew when it is next used")
REFUSED = Unreadable("outdated view: torch refuses to use it, since its base was modified in place")
_CREATED_PLAINLY = torch._C._autograd.CreationMeta.DEFAULT

Geometry = tuple[tuple[int, ...], tuple[int, ...], int, int]
"""Shape, strides, offset and address; no more than the shape without a storage."""


def grad_fn_of(
    tensor: torch.Tensor, is_view: bool
) -> torch.autograd.graph.Node | Unreadable | None:
    """Return the node of a tensor that requires grad, unless asking would make one."""
    if is_view and is_outdated(tensor):
        meta = torch._C._autograd._get_creation_meta(tensor)
        if meta != _CREATED_PLAINLY:
            return REFUSED
        return OUTDATED if readings().knows_age else NOT_ASKED
    return tensor.grad_fn


def fingerprint(
    known: TrackedTensor, tensor: torch.Tensor, node: int | Unreadable | None, grad: int | None
) -> Fingerprint:
    """Return what may change of a tensor without a write to it."""
    counter, block, needs_grad = known.counter, known.block, tensor.requires_grad
    return (
        known.names,
        None if counter is None else counter.version,
        needs_grad and tensor.retains_grad,
        needs_grad,
        block,
        block is not None and (block.stamp if known.own_values else block.nbytes),
        grad,
        node,
    )


def geometry(tensor: torch.Tensor, block: Block | None) -> Geometry:
    """Return what only a write can change, though not every counter sees it."""
    if block is None:
        return (tuple(tensor.shape), (), 0, 0)
    place = tensor.data_ptr() if block.nbytes else 0
    return (tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), place)


def describe(
    known: TrackedTensor,
    tensor: torch.Tensor,
    node: int | Unreadable | None,
    *,
    form: Geometry,
    grad: int | None,
    base: int | None,
) -> Tensor:
    """Return the row of a tensor; the arguments as for `fingerprint`.

    `form` is its `geometry`, `base` the ordinal of what it is a view of.
    """
    block, counter, kind = known.block, known.counter, type(tensor)
    has_memory = block is not None and block.readable
    shape, stride, offset, place = form
    values = _values(tensor, block)
    known.own_values = isinstance(values, Elements)
    is_leaf = node if isinstance(node, Unreadable) else tensor.is_leaf
    version = None if counter is None else counter.version
    data_ptr = (place or tensor.data_ptr()) if has_memory else None
    storage = None if block is None or not has_memory else block.id
    is_parameter = kind is not torch.Tensor and isinstance(tensor, torch.nn.Parameter)
    is_subclass = kind not in PLAIN
    # By position: so many names take as long to be found as all that is asked of the tensor.
    return Tensor(
        known.id,
        known.names,
        shape,
        text_of(tensor.dtype),
        stride,
        offset,
        text_of(tensor.device),
        text_of(tensor.layout),
        tensor.requires_grad,
        is_leaf,
        version,
        data_ptr,
        storage,
        base,
        known.is_view,
        grad,
        node,
        tensor.retains_grad,
        tensor.is_inference(),
        is_parameter,
        is_subclass,
        values,
    )


def _values(tensor: torch.Tensor, block: Block | None) -> Elements | Unreadable | None:
    """Return its elements, unless they can be read from its whole storage."""
    refusal = _refusal(tensor, block)
    if refusal is not None:
        return Unreadable(refusal)
    if tensor._is_zerotensor():
        return _sample(tensor)
    if tensor.is_conj() or tensor.is_neg():
        return _resolved(tensor)
    assert block is not None
    return None if block.is_whole else _sample(tensor)


def _refusal(tensor: torch.Tensor, block: Block | None) -> str | None:
    if tensor.layout is not torch.strided or block is None:
        return f"values of layout {tensor.layout} are not recorded"
    if not tensor.is_cpu:
        return f"a tensor on {tensor.device} has no values here"
    if tensor.is_quantized:
        return "quantized values are not recorded"
    needed = bytes_needed(tensor)
    if needed > block.nbytes:
        # Reading what was resized away is a segmentation fault.
        return f"its storage has {block.nbytes} bytes, its shape needs {needed}"
    return None


def _resolved(tensor: torch.Tensor) -> Elements | Unreadable:
    """Return the elements of a tensor whose memory holds their conjugate or negative."""
    if tensor.numel() * tensor.itemsize > WHOLE_BYTES:
        return Unreadable("a large tensor whose conjugation or sign is still to be applied")
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return Unreadable("its conjugation or sign is still to be applied")
    with torch.no_grad():
        return Elements(head=bytes_of(tensor.detach()))


def _sample(tensor: torch.Tensor) -> Elements:
    """Return all elements of a small tensor, both ends of a large one."""
    count = tensor.numel()
    if count * tensor.itemsize <= WHOLE_BYTES:
        return Elements(head=_gather(tensor, 0, count))
    return Elements(
        head=_gather(tensor, 0, SAMPLE_ELEMENTS),
        tail=_gather(tensor, count - SAMPLE_ELEMENTS, SAMPLE_ELEMENTS),
        whole=False,
    )


def _gather(tensor: torch.Tensor, start: int, count: int) -> bytes:
    """Return elements `start` and following in row-major order, read from memory."""
    size, address = tensor.itemsize, tensor.data_ptr()
    if tensor._is_zerotensor():
        return bytes(count * size)  # it has no memory
    if tensor.is_contiguous():
        return read(address + start * size, count * size)
    shape, stride = tensor.shape, tensor.stride()
    places = (
        sum(map(int.__mul__, index_of(n, shape), stride)) for n in range(start, start + count)
    )
    return b"".join([read(address + place * size, size) for place in places])
