"""The values of each name, in order of time, by which two programs are compared.

Lines move when a program is edited and statements change places; the values
that a name goes through do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import takewhile
from math import prod

from inplace_tui.common.run import values
from inplace_tui.common.run.elements import size_of
from inplace_tui.common.run.snapshot import Elements, Snapshot, Tensor
from inplace_tui.common.run.step import Printed, Step
from inplace_tui.common.run.timeline import Timeline

Content = tuple[str, tuple[int, ...], bytes]
"""Dtype, shape and a digest of the elements: NaN is equal to itself."""


@dataclass(frozen=True)
class HeldValue:
    """What a name held from a step on."""

    step: int
    content: Content
    tensor: int


ValueHistories = Mapping[str, Sequence[HeldValue]]

_IDS = re.compile(r"\d{9,}")
"""What `id()` gave for a key of a container: another number in each run."""


def content_of(tensor: Tensor, snapshot: Snapshot) -> Content | None:
    """Return what a tensor holds; None where it can't be read."""
    data: bytes | None = None
    if isinstance(tensor.values, Elements):
        data = tensor.values.head + tensor.values.tail
    elif tensor.values is None and (storage := snapshot.storage_of(tensor)) is not None:
        data = None if storage.data is None else _row_major(tensor, storage.data)
    if data is None:
        return None
    return tensor.dtype, tensor.shape, blake2b(data, digest_size=16).digest()


def _row_major(tensor: Tensor, data: bytes) -> bytes | None:
    """Return the elements of a tensor one after the other; None if they are not all there."""
    size, count = size_of(tensor.dtype), prod(tensor.shape)
    positions, together = [tensor.offset], count
    if not values.is_contiguous(tensor):
        together = 1
        for extent, step in zip(tensor.shape, tensor.stride, strict=True):
            positions = [at + step * place for at in positions for place in range(extent)]
            if len(positions) > values.MAX_ELEMENTS:
                return None
    found = b"".join(data[at * size : (at + together) * size] for at in positions)
    return found if len(found) == count * size else None


def changed_tensors(step: Step, snapshot: Snapshot) -> list[Tensor]:
    if not step.tensors and not step.storages:
        return []
    written = {storage.id for storage in step.storages}
    new = {tensor.id for tensor in step.tensors}
    return [
        tensor
        for tensor in snapshot.tensors.values()
        if tensor.id in new or tensor.storage in written
    ]


def value_histories(timeline: Timeline) -> ValueHistories:
    """Return what each name held; a value that follows itself counts once.

    What was seen on the way of an exception out of its frames is left out: of a call that
    returns, nobody sees what things were like in its middle.
    """
    found: dict[str, list[HeldValue]] = {}
    for step in timeline.steps:
        if step.raised is not None and step.began < step.index:
            continue
        snapshot = timeline.at(step.index)
        for tensor in changed_tensors(step, snapshot):
            # With a colon it is of a calling frame, which has it under its own name.
            names = [_IDS.sub("id", name) for name in tensor.names if ":" not in name]
            if not names or (held := content_of(tensor, snapshot)) is None:
                continue
            for history in (found.setdefault(name, []) for name in names):
                if not history or history[-1].content != held:
                    history.append(HeldValue(step.index, held, tensor.id))
    return found


def printed_text(timeline: Timeline, *, until: int | None = None) -> str:
    return "".join(
        event.text
        for step in timeline.steps[:until]
        for event in step.events
        if isinstance(event, Printed) and event.stream == "stdout"
    )


def value_summary(held: HeldValue, timeline: Timeline) -> str:
    snapshot = timeline.at(held.step)
    tensor = snapshot.tensors.get(held.tensor)
    return "?" if tensor is None else values.summary(tensor, snapshot, 32)


def common_values(one: Sequence[HeldValue], other: Sequence[HeldValue]) -> int:
    """Return how many values two histories have in common before they differ."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].content == pair[1].content, pairs))


def starts_with(longer: Sequence[HeldValue], shorter: Sequence[HeldValue]) -> bool:
    """Whether one name went through the same values as another, and perhaps on."""
    return common_values(longer, shorter) == len(shorter)


def is_gradient(name: str) -> bool:
    """Whether a name is that of a gradient: backward writes it, not the program."""
    return name.endswith(".grad")
