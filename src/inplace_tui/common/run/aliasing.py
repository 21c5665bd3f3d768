"""Which tensors look at the same storage, and whether they touch the same elements of it."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.common.run.snapshot import Saved, SlotState, Snapshot, Tensor
from inplace_tui.common.run.timeline import Timeline

MAX_POSITIONS = 65_536
"""Views that touch more positions than this are compared by their bounds only."""


def letter(rank: int) -> str:
    """Return the letter of storage number `rank`, in order of creation.

    >>> [letter(rank) for rank in (0, 25, 26, 27, 702)]
    ['A', 'Z', 'AA', 'AB', 'AAA']
    """
    letters = ""
    rank += 1
    while rank:
        rank, place = divmod(rank - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


def letter_of(storage: int | None, timeline: Timeline) -> str:
    """Return the letter of a storage, the same at every step; `–` where there is none."""
    rank = None if storage is None else timeline.index.ranks.get(storage)
    return "–" if rank is None else letter(rank)


def sharing(snapshot: Snapshot) -> Mapping[int, tuple[Tensor, ...]]:
    """Return, for each storage, the tensors that look at it, oldest first."""
    found: dict[int, tuple[Tensor, ...]] = {}
    for tensor in snapshot.tensors.values():
        if tensor.storage is not None:
            found[tensor.storage] = (*found.get(tensor.storage, ()), tensor)
    return found


def holders(snapshot: Snapshot, storage: int) -> tuple[Saved, ...]:
    return tuple(
        saved
        for saved in snapshot.saved.values()
        if saved.storage == storage and saved.state is not SlotState.FREED
    )


def reach(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> frozenset[int]:
    """Return the storage positions a view touches.

    Two tensors overlap exactly when they share a storage and their reaches
    intersect, so this is what decides whether writing one changes the other.

    Args:
        shape: extent of each dimension; () is a scalar, any 0 is an empty view.
        stride: step of each dimension, in *elements* (torch's unit, not bytes);
            0 means the dimension was expanded. Same length as `shape`.
        offset: first position, in elements from the start of the storage.

    Returns:
        At most `prod(shape)` positions; fewer when a stride is 0.

    Raises:
        ValueError: `shape` and `stride` differ in length.

    >>> reach((3,), (0,), 5)
    frozenset({5})
    """
    axes = list(zip(shape, stride, strict=True))
    if 0 in shape:
        return frozenset()
    positions = {offset}
    for size, step in axes:
        if step:
            positions = {at + step * place for at in positions for place in range(size)}
    return frozenset(positions)


def overlap(one: Tensor, other: Tensor) -> bool | None:
    """Return whether writing one tensor changes elements of the other.

    None where that would take too long to find out, or where they have different dtypes.
    """
    if one.storage is None or one.storage != other.storage or 0 in (*one.shape, *other.shape):
        return False
    if one.dtype != other.dtype:
        return None  # a view of another dtype counts its positions in other units
    (first, last), (first_other, last_other) = _bounds(one), _bounds(other)
    if last < first_other or last_other < first:
        return False
    if first == first_other or last == last_other:
        return True
    if _positions(one) > MAX_POSITIONS or _positions(other) > MAX_POSITIONS:
        return None
    mine = reach(one.shape, one.stride, one.offset)
    return not mine.isdisjoint(reach(other.shape, other.stride, other.offset))


def _bounds(tensor: Tensor) -> tuple[int, int]:
    extent = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride, strict=True))
    return tensor.offset, tensor.offset + extent


def _positions(tensor: Tensor) -> int:
    count = 1
    for size, step in zip(tensor.shape, tensor.stride, strict=True):
        count *= size if step else 1
    return count
