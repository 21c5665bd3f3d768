"""Arguments and results as trees of tuples, lists and dictionaries with tensors at their ends."""

from __future__ import annotations

from typing import Any, Callable

import torch

Tree = Any


def tensors_in(tree: Tree) -> list[torch.Tensor]:
    if isinstance(tree, torch.Tensor):
        return [tree]
    if isinstance(tree, dict):
        return [each for value in tree.values() for each in tensors_in(value)]
    if isinstance(tree, (tuple, list)):
        return [each for value in tree for each in tensors_in(value)]
    return []


def with_tensors(tree: Tree, change: Callable[[torch.Tensor], torch.Tensor]) -> Tree:
    """The same tree with other tensors."""
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, dict):
        return {key: with_tensors(value, change) for key, value in tree.items()}
    if isinstance(tree, list):
        return [with_tensors(value, change) for value in tree]
    if isinstance(tree, tuple):
        values = [with_tensors(value, change) for value in tree]
        if type(tree) is tuple or isinstance(tree, torch.Size):
            return tuple(values) if tensors_in(tree) else tree
        return type(tree)(*values) if hasattr(tree, "_fields") else type(tree)(values)
    return tree


def fresh(tensor: torch.Tensor) -> torch.Tensor:
    """A copy in memory that nothing else holds, and that does not require grad."""
    with torch.no_grad():
        copy = tensor.detach().clone()
    return copy.resolve_conj().resolve_neg() if copy.layout == torch.strided else copy


def is_differentiable(tensor: torch.Tensor) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def named_tensors(result: Tree, name: str = "out") -> list[tuple[str, torch.Tensor]]:
    """The tensors of a result by the names a caller has for them: its fields, or `out[0]`."""
    if isinstance(result, torch.Tensor):
        return [(name, result)]
    if isinstance(result, dict):
        parts = [(f"{name}[{key!r}]", value) for key, value in result.items()]
    elif type(result).__module__ == "torch.return_types":
        fields = [each for each in dir(type(result)) if not each.startswith("_")]
        by_position = {
            id(getattr(result, field)): field for field in fields if _is_field(result, field)
        }
        parts = [
            (by_position.get(id(value), f"{name}[{i}]"), value) for i, value in enumerate(result)
        ]
    elif isinstance(result, (tuple, list)):
        fields_of_tuple = getattr(result, "_fields", None)
        parts = [
            (fields_of_tuple[i] if fields_of_tuple else f"{name}[{i}]", value)
            for i, value in enumerate(result)
        ]
    else:
        return []
    return [each for part, value in parts for each in named_tensors(value, part)]


def _is_field(result: Any, field: str) -> bool:
    return isinstance(getattr(result, field), torch.Tensor)


def snapshot(tensor: torch.Tensor) -> Any:
    """What can be compared later to see whether the tensor's values changed, NaN included."""
    with torch.no_grad():
        if tensor.layout != torch.strided:
            return tensor.detach().clone()
        plain = tensor.detach()
        return (tuple(plain.shape), fresh(plain))


def same_snapshot(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return bool(one[0] == other[0]) and same_values(one[1], other[1])
    try:
        return same_values(one.to_dense(), other.to_dense())
    except (RuntimeError, NotImplementedError):
        return False


def same_values(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    equal = one == other
    if is_differentiable(one):
        equal = equal | (torch.isnan(one) & torch.isnan(other))
    return bool(equal.all())


def nearly_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Up to what the order of a sum may change: a gradient that depends on a write is far off."""
    if one.layout != torch.strided or other.layout != torch.strided:
        return same_snapshot(one, other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not is_differentiable(one):
        return same_values(one, other)
    exact = one.dtype in (torch.float64, torch.complex128)
    relative = 1e-7 if exact else 1e-3
    return bool(torch.allclose(one, other, rtol=relative, atol=relative / 1e3, equal_nan=True))


def requiring(tree: Tree) -> list[torch.Tensor]:
    return [each for each in tensors_in(tree) if each.requires_grad]


Arguments = dict[str, Tree]
