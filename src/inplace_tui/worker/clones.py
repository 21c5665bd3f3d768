"""The replay that tells what a gradient should have been.

Every tensor is cloned when a node saves it, so that no later write can reach
it: what arrives at the leaves is the gradient of the graph as it was recorded.
The hooks that do this switch torch's version check off: never in another run.

What nothing here can protect is said in `doubts`, and then no equality of the
two runs counts as proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from inplace_tui.worker.gradients import undisturbed
from inplace_tui.worker.passive import is_opaque

Pack = Callable[[torch.Tensor], object]
Unpack = Callable[[Any], torch.Tensor]

SPREAD = 4
"""A view that spans more than this many times its elements is not worth its gaps."""


@contextmanager
def cloned() -> Iterator[list[str]]:
    """Clone whatever is kept for backward, until the block is left.

    Yields:
        Reasons why the replay may be as wrong as the run; grows while it runs.
    """
    doubts: list[str] = []
    hooks = torch._C._autograd
    push = hooks._push_saved_tensors_default_hooks

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        return _clone(tensor, doubts)

    def push_on_top(pack: Pack, unpack: Unpack) -> None:
        """Compose: hooks of the program would otherwise hide ours."""
        if pack.__module__ == "torch.utils.checkpoint":
            _doubt(doubts, "checkpoint runs code again in backward, at the values of then")
        push(lambda tensor: pack(keep(tensor)), unpack)

    push(keep, lambda kept: kept)
    hooks._push_saved_tensors_default_hooks = push_on_top
    try:
        with _functions_protected(doubts), _hooks_protected():
            yield doubts
    finally:
        hooks._push_saved_tensors_default_hooks = push
        hooks._pop_saved_tensors_default_hooks()


def _clone(tensor: torch.Tensor, doubts: list[str]) -> torch.Tensor:
    try:
        with undisturbed():
            return _copied(tensor.detach())
    except Exception as refusal:
        _doubt(doubts, f"a saved tensor can't be cloned: {refusal}")
        return tensor


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy with the same strides, also where elements share memory."""
    if is_opaque(tensor) or tensor.layout is not torch.strided or tensor.is_nested:
        return tensor.clone()
    count = tensor.numel()
    span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    end = (tensor.storage_offset() + span) * tensor.element_size()
    if count and not tensor.is_meta and tensor.untyped_storage().nbytes() < end:
        # Reading it would be a segmentation fault.
        raise BufferError("its storage was resized to less than it needs")
    plain = tensor.is_contiguous() or tensor.is_conj() or tensor.is_neg()
    if plain or not count or span > SPREAD * count:
        return tensor.clone()
    whole = tensor.as_strided((span,), (1,)).clone()
    return whole.as_strided(tensor.shape, tensor.stride(), 0)


@contextmanager
def _functions_protected(doubts: list[str]) -> Iterator[None]:
    """Clone what custom Functions keep on `ctx`, and the gradients they are given."""
    function, backward = torch.autograd.Function, BackwardCFunction
    apply, apply_backward = function.__dict__["apply"], backward.apply

    def protected_apply(cls: type, /, *args: object, **kwargs: object) -> object:
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        before = [_version(tensor) for tensor in tensors]
        result = apply.__get__(None, cls)(*args, **kwargs)
        outputs = result if isinstance(result, tuple) else (result,)
        for tensor, version in zip(tensors, before, strict=True):
            if _version(tensor) != version and not any(tensor is value for value in outputs):
                _doubt(doubts, f"{cls.__name__} wrote its input without mark_dirty")
        if cls.__module__ == "torch.utils.checkpoint":
            _doubt(doubts, "checkpoint runs code again in backward, at the values of then")
        for value in outputs:
            if isinstance(value, torch.Tensor) and isinstance(value.grad_fn, BackwardCFunction):
                _clone_attributes(value.grad_fn, doubts)
        return result

    def protected_backward(self: BackwardCFunction, *args: object) -> object:
        return apply_backward(self, *map(_unshared, args))

    function.apply = classmethod(protected_apply)
    backward.apply = protected_backward
    try:
        yield
    finally:
        function.apply = apply
        backward.apply = apply_backward


@contextmanager
def _hooks_protected() -> Iterator[None]:
    """Give hooks a gradient of their own: one that is written would change others."""
    register = torch.Tensor.register_hook

    def protected_register(self: torch.Tensor, hook: Callable[[torch.Tensor], object]) -> object:
        @wraps(hook, assigned=("__doc__",), updated=())
        def protected(grad: torch.Tensor) -> object:
            return hook(grad.clone())

        return register(self, protected)

    torch.Tensor.register_hook = protected_register
    try:
        yield
    finally:
        torch.Tensor.register_hook = register


def _clone_attributes(ctx: object, doubts: list[str]) -> None:
    """Clone the tensors on `ctx`: nothing checks their versions."""
    for name, value in list(vars(ctx).items()):
        if isinstance(value, torch.Tensor):
            setattr(ctx, name, _clone(value, doubts))
        elif type(value) in (list, tuple) and any(isinstance(v, torch.Tensor) for v in value):
            kept = (_clone(v, doubts) if isinstance(v, torch.Tensor) else v for v in value)
            setattr(ctx, name, type(value)(kept))


def _unshared(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _version(tensor: torch.Tensor) -> int | None:
    return None if tensor.is_inference() else tensor._version


def _doubt(doubts: list[str], reason: str) -> None:
    if reason not in doubts:
        doubts.append(reason)
