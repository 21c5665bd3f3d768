"""The names that torch offers: what an editor can propose after a dot."""

from __future__ import annotations

import msgspec

TENSOR, MODULE = "torch.Tensor", "torch.nn.Module"


class Name(msgspec.Struct, frozen=True, kw_only=True):
    """One public name of a module or a class."""

    name: str
    kind: str
    """`function`, `class`, `module` or `attribute`."""

    signature: str = ""
    """Its parameters with their brackets, as torch writes them; "" where it does not."""

    gives: str = ""
    """Dotted name of what a call, or the attribute, gives; "" where that is not known."""


class TorchNames(msgspec.Struct, frozen=True, kw_only=True):
    """Names by the dotted name of what has them: `torch.nn.functional`, `torch.Tensor`."""

    members: dict[str, tuple[Name, ...]]
