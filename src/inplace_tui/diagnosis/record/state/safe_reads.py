"""Reads of a tensor that change nothing, in torch or in the program.

Each has to be asked for by name here, because the obvious attribute is not
always one of them: `is_leaf`, `grad_fn` and `grad` of an outdated view make a
new node or raise, `grad` of a tensor that keeps none warns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache

import torch
from torch import nn
from torch._guards import _TLS
from torch.utils._python_dispatch import _disable_current_modes

from inplace_tui.diagnosis.record.readings import readings
from inplace_tui.diagnosis.record.torch_memory import read

PLAIN = frozenset({torch.Tensor, nn.Parameter})
"""The classes whose answers are torch's own."""


detached: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.detach
"""The program's own calls of it are noticed by the replay."""


def has_no_modes() -> bool:
    """Whether torch answers alone: no mode of the program's would be asked about a plain tensor."""
    return not (torch._C._len_torch_function_stack() or torch._C._len_torch_dispatch_stack())


@contextmanager
def outside_modes() -> Iterator[None]:
    """Shut out the program's modes: its default device, its dispatch modes, its subclasses."""
    records = torch.is_grad_enabled()
    with without_modes():
        torch._C._set_grad_enabled(False)
        try:
            yield
        finally:
            torch._C._set_grad_enabled(records)


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return its `.grad`, or None where asking for it would warn or act."""
    if tensor._is_view() and is_outdated(tensor):
        return None
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def is_outdated(view: torch.Tensor) -> bool:
    """Whether torch would make the `grad_fn` of a view anew, or raise, when asked for it."""
    return readings().outdated(view)


def state_of(tensor: torch.Tensor, *, is_view: bool) -> tuple[object, ...]:
    """Return what may change of a tensor though its counter does not move.

    Its storage, how its elements lie there, its history, its gradient and its flags.
    """
    needs_grad, node = tensor.requires_grad, None
    if needs_grad:
        is_readable = not (is_view and is_outdated(tensor))
        fn = tensor.grad_fn if is_readable else None
        node = is_readable if fn is None else fn._sequence_nr()
    grad = grad_of(tensor)
    flags = (needs_grad, needs_grad and tensor.retains_grad, grad is not None and grad._cdata, node)
    try:
        storage = tensor.untyped_storage()._cdata
        return (storage, tensor.shape, tensor.stride(), tensor.storage_offset(), flags)
    except (RuntimeError, NotImplementedError):  # no strides, or not even a shape
        return (flags,)


def is_opaque(tensor: torch.Tensor) -> bool:
    """Whether even its shape can't be read without running code of the program's.

    True of tensors inside `torch.func` transforms, of `FakeTensor`, and of every other
    subclass that answers through `__torch_dispatch__` or with attributes of its own.
    """
    kind = type(tensor)
    if kind is not torch.Tensor:
        answers = kind.__torch_dispatch__
        if answers not in (_DISABLED, torch.Tensor.__torch_dispatch__):
            return True
        if _answers_itself(kind):  # type: ignore[arg-type]  # a class can be hashed
            return True
    return _is_wrapped(tensor)


def span_of(tensor: torch.Tensor) -> int:
    """Return how many cells there are from the first element to the last."""
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return int(1 + sum((size - 1) * step for size, step in steps))


def bytes_needed(tensor: torch.Tensor) -> int:
    """Return how large a storage has to be for what a tensor says of its elements."""
    count = tensor.numel()
    if count == 0:
        return 0
    cells = count if tensor.is_contiguous() else span_of(tensor)
    return int((tensor.storage_offset() + cells) * tensor.itemsize)


def is_held(tensor: torch.Tensor) -> bool:
    """Whether its storage has all its elements: to read others is a segmentation fault.

    What is on `meta` has as many as you like.
    """
    return bool(tensor.is_meta or tensor.untyped_storage().nbytes() >= bytes_needed(tensor))


def index_of(number: int, shape: Sequence[int]) -> list[int]:
    """Return the row-major index of element `number`, first dimension first.

    >>> index_of(5, (2, 3))
    [1, 2]
    """
    index: list[int] = []
    for extent in reversed(shape):
        number, at = divmod(number, extent)
        index.append(at)
    return index[::-1]


def row_major(plain: torch.Tensor) -> torch.Tensor:
    """Return a dense tensor whose memory is its elements in their order."""
    if plain.is_cpu and plain.is_contiguous() and not plain.is_conj() and not plain.is_neg():
        return plain
    return plain.cpu().resolve_conj().resolve_neg().contiguous()


def bytes_of(plain: torch.Tensor) -> bytes:
    """Return the elements of a dense tensor, not through numpy: it has no bfloat16."""
    tensor = row_major(plain)
    return read(tensor.data_ptr(), tensor.numel() * tensor.element_size())


_ASKED = ("requires_grad", "grad_fn", "grad", "is_leaf", "retains_grad", "_is_view")


@lru_cache(maxsize=1_000)
def _answers_itself(kind: type) -> bool:
    """Whether a subclass puts something of its own in the place of what is asked here."""
    own = kind.__mro__[: kind.__mro__.index(torch.Tensor)]
    return any(name in vars(each) for each in own for name in _ASKED)


@lru_cache(maxsize=256)
def text_of(kind: torch.dtype | torch.device | torch.layout) -> str:
    return str(kind).removeprefix("torch.")


_DISABLED = torch._C._disabled_torch_dispatch_impl
_is_wrapped: Callable[[torch.Tensor], bool] = torch._C._functorch.is_functorch_wrapped_tensor


def is_compiling() -> bool:
    """Whether frames that run now are torch's way of reading the program."""
    # What `TracingContext.try_get` does: this is asked at every line.
    context = vars(_TLS).get("tracing_context")
    return context is not None or torch._C._get_tracing_state() is not None


def without_modes() -> AbstractContextManager[None]:
    """Suspend the program's modes: what runs in this block does not reach them."""
    if torch._C._len_torch_dispatch_stack():
        return _without_dispatch()
    plainly: AbstractContextManager[None] = torch._C.DisableTorchFunction()
    return plainly


@contextmanager
def _without_dispatch() -> Iterator[None]:
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield
