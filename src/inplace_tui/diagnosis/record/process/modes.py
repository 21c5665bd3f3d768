"""Reads outside the modes that the program has set up around itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
from torch._guards import _TLS
from torch.utils._python_dispatch import _disable_current_modes


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
