"""Names for tensors: of parameters and buffers, in the modules that are alive."""

from __future__ import annotations

import gc
from typing import Any

PASSING = ("TBackward", "TransposeBackward", "ViewBackward", "ExpandBackward", "ToCopyBackward")
"""Nodes that hand a parameter on to the one that uses it."""

COMPILED = "_orig_mod"
"""Under which `torch.compile` keeps the module that it was given."""


def storage_address(tensor: Any) -> int | None:
    try:
        storage = getattr(tensor, "untyped_storage", None) or tensor.storage
        return int(storage().data_ptr()) or None
    except Exception:  # sparse tensors and those of functorch have no storage
        return None


def parameters_used(node: Any) -> list[Any]:
    """Return the leaves that a node uses directly, or through a transpose or a view of them."""
    found = []
    for before, _ in node.next_functions:
        if before is None:
            continue
        if before.name().startswith(PASSING):
            found += [each.variable for each, _ in before.next_functions if _is_leaf(each)]
        elif _is_leaf(before):
            found.append(before.variable)
    return found


def _is_leaf(node: Any) -> bool:
    return node is not None and hasattr(node, "variable")


def names_of(tensors: list[Any]) -> list[str | None]:
    """Return the name of each that is a parameter or a buffer, such as `Net.layers.0.weight`."""
    import torch

    wanted = [storage_address(each) for each in tensors]
    if not any(wanted):
        return [None] * len(tensors)
    alive = [each for each in gc.get_objects() if issubclass(type(each), torch.nn.Module)]
    modules = [each for each in alive if COMPILED not in each._modules]
    inner = {id(child) for module in modules for child in module._modules.values()}
    known: dict[int, dict[int, str]] = {}
    for module in modules:
        if id(module) not in inner:
            held = [*module.named_parameters(), *module.named_buffers()]
            for name, tensor in held:
                address = storage_address(tensor)
                if address is not None:
                    on_it = known.setdefault(address, {})
                    whole = f"{type(module).__name__}.{name}".replace(f".{COMPILED}", "")
                    on_it.setdefault(tensor.storage_offset(), whole)
    return [
        # Where several share one memory, only the place tells which it is.
        names.get(each.storage_offset(), next(iter(names.values())) if len(names) == 1 else None)
        if (names := known.get(address or 0))
        else None
        for each, address in zip(tensors, wanted)
    ]
