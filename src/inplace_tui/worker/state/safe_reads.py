"""Reads of a tensor that change nothing, in torch or in the program.

Each has to be asked for by name here, because the obvious attribute is not
always one of them: `is_leaf`, `grad_fn` and `grad` of an outdated view make a
new node or raise, `grad` of a tensor that keeps none warns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch
from torch import nn

from inplace_tui.worker.torch_memory.layout import measure

PLAIN = frozenset({torch.Tensor, nn.Parameter})
"""The classes whose answers are torch's own."""


def is_undisturbed() -> bool:
    """Whether torch answers alone: no mode of the program's would be asked about a plain tensor."""
    return not (torch._C._len_torch_function_stack() or torch._C._len_torch_dispatch_stack())


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return its `.grad`, or None where asking for it would warn or act."""
    if tensor._is_view() and measure().outdated(tensor):
        return None
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def is_opaque(tensor: torch.Tensor) -> bool:
    """Whether even its shape can't be read without running code of the program's.

    True of tensors inside `torch.func` transforms, of `FakeTensor` and of every
    other subclass that answers through `__torch_dispatch__`.
    """
    kind = type(tensor)
    if kind is not torch.Tensor:
        answers = kind.__torch_dispatch__
        if answers not in (_DISABLED, torch.Tensor.__torch_dispatch__):
            return True
    return _is_wrapped(tensor)


@lru_cache(maxsize=256)
def text_of(kind: torch.dtype | torch.device | torch.layout) -> str:
    return str(kind).removeprefix("torch.")


_DISABLED = torch._C._disabled_torch_dispatch_impl
_is_wrapped: Callable[[torch.Tensor], bool] = torch._C._functorch.is_functorch_wrapped_tensor
