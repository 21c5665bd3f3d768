"""What a learner keeps an eye on among many tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from inplace_tui.common.run.snapshot import Tensor


@dataclass(frozen=True)
class Watch:
    """Which tensors come first, and which are left out."""

    pinned: tuple[str, ...] = ()
    """Names that come first, in the order in which they were pinned."""

    without_modules: bool = False
    """What only modules and optimizers reach is left out."""

    def pins(self, tensor: Tensor) -> int | None:
        places = [self.pinned.index(name) for name in tensor.names if name in self.pinned]
        return min(places, default=None)

    def with_pin(self, tensor: Tensor) -> Watch:
        if self.pins(tensor) is not None:
            return replace(self, pinned=tuple(n for n in self.pinned if n not in tensor.names))
        return replace(self, pinned=(*self.pinned, *tensor.names[:1]))


def module_tensors(tensors: Iterable[Tensor]) -> frozenset[int]:
    """Return the tensors that are reached through modules and optimizers alone.

    Parameters, the buffers beside them, what an optimizer keeps for them, and
    the gradients of these; a variable of its own takes a tensor out.
    """
    listed = [tensor for tensor in tensors if tensor.names]
    inside = [each for each in listed if not any(name.isidentifier() for name in each.names)]
    named = (name for each in inside if each.is_parameter for name in each.names)
    owners = {_owner(name) for name in named} - {""}
    found = {
        each.id
        for each in inside
        if each.is_parameter or all(_belongs(name, owners) for name in each.names)
    }
    return frozenset(found)


def _owner(name: str) -> str:
    """Return the expression of what holds it: `net.lin` of `net.lin.weight`."""
    return name.rpartition(".")[0]


def _belongs(name: str, owners: set[str]) -> bool:
    is_kept = ".state[" in name or ".param_groups[" in name
    return is_kept or _owner(name.removesuffix(".grad")) in owners
