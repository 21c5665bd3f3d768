"""What differs between two snapshots, tensor by tensor and facet by facet."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import MAX_ELEMENTS, element_reader


@dataclass(frozen=True)
class Diff:
    """Ids of tensors; the keys of facets for those that are there in both."""

    new: frozenset[int]
    gone: frozenset[int]
    changed: dict[int, frozenset[str]]


def diff(before: Snapshot, after: Snapshot) -> Diff:
    if before is after:
        return Diff(frozenset(), frozenset(), {})
    ours, theirs = before.tensors.keys(), after.tensors.keys()
    facets = ((number, changed_facets(number, before, after)) for number in ours & theirs)
    changed = {number: found for number, found in facets if found}
    return Diff(frozenset(theirs - ours), frozenset(ours - theirs), changed)


def changed_facets(number: int, before: Snapshot, after: Snapshot) -> frozenset[str]:
    """Return the keys of the facets in which a tensor differs.

    Values are compared by their bytes: a NaN that stays is no change, and 0.0
    that becomes -0.0 is one.
    """
    old, new = before.tensors[number], after.tensors[number]
    if old is new and old.grad is None and before.storage_of(old) is after.storage_of(new):
        return frozenset()
    changed = set()
    for facet in FACETS:
        if facet.key == "values":
            differs = values_differ(old, new, before, after)
        elif facet.key == "grad":
            differs = _grads_differ(old, new, before, after)
        else:
            differs = any(getattr(old, field) != getattr(new, field) for field in facet.fields)
        if differs:
            changed.add(facet.key)
    return frozenset(changed)


def _grads_differ(old: Tensor, new: Tensor, before: Snapshot, after: Snapshot) -> bool:
    if old.grad is None or old.grad != new.grad:
        return old.grad != new.grad
    if old.grad not in before.tensors or old.grad not in after.tensors:
        return False
    return values_differ(before.tensors[old.grad], after.tensors[old.grad], before, after)


def values_differ(old: Tensor, new: Tensor, before: Snapshot, after: Snapshot) -> bool:
    if (old.shape, old.dtype, old.values) != (new.shape, new.dtype, new.values):
        return True
    if old.values is not None:
        return False
    data, data_now = _data(old, before), _data(new, after)
    if data == data_now and (old.stride, old.offset) == (new.stride, new.offset):
        return False
    return _elements(old, before) != _elements(new, after)


def _data(tensor: Tensor, snapshot: Snapshot) -> tuple[bytes | None, int]:
    storage = snapshot.storage_of(tensor)
    return (storage.data, storage.nbytes) if storage else (None, 0)


def _elements(tensor: Tensor, snapshot: Snapshot) -> list[str] | Unreadable:
    """Return the elements as text, so that NaN equals NaN and 0.0 is not -0.0."""
    found = element_reader(tensor, snapshot)
    if isinstance(found, Unreadable):
        return found
    return [repr(found.element(index)) for index in range(min(found.head, MAX_ELEMENTS))]


def earlier_step(timeline: Timeline, ran: Step | None, tensor: Tensor) -> int | None:
    """Return the step before what `ran` left; None where the tensor was not there yet."""
    earlier = -1 if ran is None else ran.began - 1
    if earlier < 0 or tensor.id not in timeline.at(earlier).tensors:
        return None
    return earlier
