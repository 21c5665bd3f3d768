"""Whether a claim about one tensor holds in a snapshot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import UNSET

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.values import flat, text
from inplace_tui.common.texts.authoring import ClaimTexts
from inplace_tui.tutorial.course.lesson import TensorClaim, Values

Seen = str | LocalText


def tensor_reasons(name: str, claim: TensorClaim, snapshot: Snapshot) -> Iterator[LocalText]:
    tensor = snapshot.named(name)
    if tensor is None:
        yield _no_tensor(name, snapshot)
        return
    for field in FIELDS:
        claimed, seen = getattr(claim, field), read(field, tensor, snapshot)
        if claimed is not UNSET and claimed != seen:
            yield _field(name, field, _formatted(claimed), _formatted(seen))
    if claim.values is not UNSET:
        yield from _values(f"{name}.values", claim.values, tensor, snapshot)
    if claim.grad is not UNSET:
        yield from _grad(name, claim.grad, tensor, snapshot)
    if claim.shares is not UNSET:
        yield from _memory(name, claim.shares, tensor, snapshot, shared=True)
    if claim.apart is not UNSET:
        yield from _memory(name, claim.apart, tensor, snapshot, shared=False)
    if claim.view_of is not UNSET:
        yield from _view_of(name, claim.view_of, tensor, snapshot)


FIELDS = (
    *("version", "requires_grad", "is_leaf", "retains_grad", "is_inference"),
    *("grad_fn", "shape", "dtype"),
)
"""Fields of a claim that are compared by equality."""


def read(field: str, tensor: Tensor, snapshot: Snapshot) -> object:
    """Return a field as claims have it; where torch refuses to say, why."""
    found = getattr(tensor, field)
    if field == "grad_fn" and isinstance(found, int):
        return snapshot.nodes[found].name
    return list(found) if field == "shape" else found


def _no_tensor(name: str, snapshot: Snapshot) -> LocalText:
    names = sorted(each.names[0] for each in snapshot.tensors.values() if each.names)
    return fill(ClaimTexts.no_tensor, name=name, names=tuple(names) or ClaimTexts.none)


def _field(name: str, field: str, claimed: Seen, seen: Seen) -> LocalText:
    return fill(ClaimTexts.field, name=name, field=field, claimed=claimed, seen=seen)


def _formatted(value: object) -> Seen:
    match value:
        case Unreadable(reason=reason):
            return fill(ClaimTexts.unreadable, reason=reason)
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(str(_formatted(each)) for each in value)}]"
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)


def _grad(
    name: str, claimed: Values | None, tensor: Tensor, snapshot: Snapshot
) -> Iterator[LocalText]:
    grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
    if claimed is None:
        if tensor.grad is not None:
            seen = "[…]" if grad is None else _formatted_values(grad, snapshot)
            yield _field(name, "grad", "null", seen)
    elif grad is None:
        yield _field(name, "grad", _formatted(claimed), "null")
    else:
        yield from _values(f"{name}.grad", claimed, grad, snapshot)


def _values(name: str, claimed: Values, tensor: Tensor, snapshot: Snapshot) -> Iterator[LocalText]:
    """Compare numbers: the shape as nested lists have it, or flat for any shape."""
    owner, _, field = name.rpartition(".")
    shape, numbers = _flattened(claimed)
    read = flat(tensor, snapshot)
    seen = _formatted_values(tensor, snapshot)
    if isinstance(read, Unreadable):
        yield _field(owner, field, _formatted(claimed), seen)
        return
    elements, whole = read
    if not whole:
        yield _field(owner, field, _formatted(claimed), ClaimTexts.sampled)
    elif shape != tensor.shape and (len(shape) != 1 or shape[0] != len(elements)):
        claimed_shape = fill(ClaimTexts.shape, shape=list(shape))
        actual_shape = fill(ClaimTexts.shape, shape=list(tensor.shape))
        yield _field(owner, field, claimed_shape, actual_shape)
    elif not all(map(close, numbers, elements)):
        yield _field(owner, field, _formatted(claimed), seen)


def _formatted_values(tensor: Tensor, snapshot: Snapshot) -> Seen:
    read = flat(tensor, snapshot)
    if isinstance(read, Unreadable):
        return fill(ClaimTexts.unreadable, reason=read.reason)
    elements = [text(each, tensor.dtype) for each in read[0][:20]]
    more = ", …" if len(read[0]) > 20 or not read[1] else ""
    return f"[{', '.join(elements)}{more}]" if tensor.shape else elements[0]


def _flattened(values: object) -> tuple[tuple[int, ...], list[float]]:
    """Return the shape that nested lists have, and their numbers.

    >>> _flattened([[1, 2], [3, 4]])
    ((2, 2), [1, 2, 3, 4])
    """
    if not isinstance(values, list):
        assert isinstance(values, int | float)
        return (), [values]
    below = [_flattened(each) for each in values]
    shapes = {shape for shape, _ in below}
    # Ragged lists have no shape, and so fit no tensor.
    inner = shapes.pop() if len(shapes) == 1 else (-1,) if shapes else ()
    return (len(values), *inner), [number for _, numbers in below for number in numbers]


def close(claimed: float, seen: Element) -> bool:
    """Whether two numbers agree to four significant digits; NaN agrees with NaN.

    >>> close(2.718, 2.7182817), close(2.72, 2.7182817)
    (True, False)
    """
    if isinstance(seen, complex):
        return seen.imag == 0 and close(claimed, seen.real)
    if math.isnan(claimed) or math.isnan(seen):
        return math.isnan(claimed) and math.isnan(seen)
    if math.isinf(claimed) or math.isinf(seen) or claimed == seen:
        return claimed == seen
    size = max(abs(claimed), abs(seen))
    unit = 10.0 ** (math.floor(math.log10(size)) - 3)
    # Half a unit for the author's rounding, and a little for floating point.
    return abs(claimed - seen) <= 0.501 * unit


def _memory(
    name: str, other: str, tensor: Tensor, snapshot: Snapshot, *, shared: bool
) -> Iterator[LocalText]:
    theirs = snapshot.named(other)
    if theirs is None:
        yield _no_tensor(other, snapshot)
    elif (tensor.storage == theirs.storage is not None) != shared:
        yield fill(ClaimTexts.shares if shared else ClaimTexts.apart, name=name, other=other)


def _view_of(
    name: str, claimed: str | None, tensor: Tensor, snapshot: Snapshot
) -> Iterator[LocalText]:
    base = None if tensor.base is None else snapshot.tensors.get(tensor.base)
    names: Sequence[str] = () if base is None else base.names
    if (claimed in names) if claimed is not None else not tensor.is_view:
        return
    seen: Seen = "null"
    if tensor.is_view:
        seen = names[0] if names else ClaimTexts.unnamed
    yield _field(name, "view_of", claimed or "null", seen)
