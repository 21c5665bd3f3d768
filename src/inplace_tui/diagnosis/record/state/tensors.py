"""The row of one tensor, read so that neither torch nor the program notices."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from inplace_tui.common.run.snapshot import (
    SAMPLE_ELEMENTS,
    WHOLE_BYTES,
    Elements,
    Tensor,
    Unreadable,
)
from inplace_tui.diagnosis.record.state.memory import Block
from inplace_tui.diagnosis.record.state.records import Fingerprint, TrackedTensor
from inplace_tui.diagnosis.record.state.safe_reads import PLAIN, bytes_needed, is_outdated, text_of
from inplace_tui.diagnosis.record.torch_memory.live import read

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
        return OUTDATED if meta == _CREATED_PLAINLY else REFUSED
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
        plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
        return Elements(head=read(plain.data_ptr(), plain.numel() * plain.itemsize))


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
    places = (sum(map(int.__mul__, _index(n, shape), stride)) for n in range(start, start + count))
    return b"".join([read(address + place * size, size) for place in places])


def _index(number: int, shape: Sequence[int]) -> list[int]:
    """Return the row-major index of element `number`, first dimension first.

    >>> _index(5, (2, 3))
    [1, 2]
    """
    index: list[int] = []
    for extent in reversed(shape):
        number, at = divmod(number, extent)
        index.append(at)
    return index[::-1]
