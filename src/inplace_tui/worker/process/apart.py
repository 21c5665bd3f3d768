"""Keeps what is read here apart from what the program has set up around itself."""

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


def apart() -> AbstractContextManager[None]:
    """Keep the program's own modes away from what is read here."""
    if torch._C._len_torch_dispatch_stack():
        return _apart_from_dispatch()
    plainly: AbstractContextManager[None] = torch._C.DisableTorchFunction()
    return plainly


@contextmanager
def _apart_from_dispatch() -> Iterator[None]:
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield
