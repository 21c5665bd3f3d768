"""The values of each name, in order of time, and the gradients: what two programs are compared by.

Lines move when a program is edited and statements change places; the values
that a name goes through do not.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import takewhile
from math import prod

import msgspec

from inplace_tui.common.run import values
from inplace_tui.common.run.elements import size_of
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Backward
from inplace_tui.common.run.snapshot import Elements, Snapshot, Tensor
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import nodes, parse
from inplace_tui.diagnosis.blame.truth import Evidence, alike

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


# The gradients.


def trusted_backwards(cloned: Evidence) -> tuple[Backward, ...]:
    """Return the backwards of a replay up to the first that raised or proves nothing."""
    return tuple(takewhile(lambda each: not (each.raised or each.unsure), cloned.backwards))


def differing_leaf(got: Iterable[Backward], true: Iterable[Backward]) -> str | None:
    """Return the first leaf whose gradient is not the true one, backward by backward."""
    for mine, its in zip(got, true, strict=False):
        delivered = {each.tensor: each for each in mine.gradients}
        for gradient in its.gradients:
            found = delivered.get(gradient.tensor)
            if found is None and its.unrolled:
                continue  # a leaf that the graph of the program hides
            if found is None or not alike(found, gradient):
                return gradient.tensor
    return None


def backwards_in_pairs(
    original: str, replay: Evidence, edited: str, got: Evidence
) -> list[tuple[Backward, Backward]]:
    """Return the backwards of an edited program with those of the original, by statement."""
    theirs = _by_statement(original, replay.backwards)
    mine = _by_statement(edited, got.backwards)
    return [
        pair for key, each in theirs.items() for pair in zip(mine.get(key, ()), each, strict=False)
    ]


def alone(name: str) -> str:
    """Return a leaf's name without that of the function which has it: an edit may change that."""
    return name.rpartition(":")[2]


def leaves_with_gradients(backwards: Sequence[Backward]) -> frozenset[str]:
    return frozenset(
        alone(gradient.tensor)
        for backward in backwards
        for gradient in backward.gradients
        if gradient.data is not None
    )


def steps_with_gradients(run: Evidence) -> Counter[str]:
    """Return for each parameter at how many steps of its optimizer it had a gradient."""
    return Counter(alone(name) for step in run.steps for name in step.stepped or ())


def idle_steps(source: str, steps: Sequence[Backward]) -> set[str]:
    """Return the statements by which optimizers step, and never have a gradient for it."""
    found = _by_statement(source, steps)
    return {key for key, each in found.items() if not any(step.stepped for step in each)}


def same_backwards_reordered(original: str, replay: Evidence, edited: str, got: Evidence) -> bool:
    """Return whether each backward of the original was run, and added to each leaf the same."""
    is_trusted = len(trusted_backwards(replay)) == len(replay.backwards)
    if not isinstance(replay.outcome, Completed) or not replay.left or not is_trusted:
        return False
    pairs = backwards_in_pairs(original, replay, edited, got)
    if not len(pairs) == len(replay.backwards) == len(got.backwards):
        return False
    mine, true = ([*map(_added, each)] for each in zip(*pairs, strict=True))
    mine.append(Backward(line=None, gradients=got.left))
    true.append(Backward(line=None, gradients=replay.left))
    return differing_leaf(mine, true) is None


def _by_statement(source: str, backwards: Sequence[Backward]) -> Mapping[str, list[Backward]]:
    """Return the backwards that each statement ran, in order; its flags do not count."""
    found: dict[str, list[Backward]] = defaultdict(list)
    for backward in backwards:
        found[_spelled(source, backward.line)].append(backward)
    return found


@lru_cache(maxsize=64)
def _spelled(source: str, line: int | None) -> str:
    """Return the statement of a line as text, without saying whether the graph is kept."""
    statement = statement_on(source, line)
    tree = parse("" if statement is None else ast.unparse(statement))
    for call in nodes(ast.Call, tree):
        call.keywords = [each for each in call.keywords if each.arg != "retain_graph"]
    return ast.unparse(tree)


def _added(backward: Backward) -> Backward:
    """Return a backward with what it added, where its gradients hold sums."""
    added = tuple(
        each
        if each.added is None
        else msgspec.structs.replace(each, data=each.added, digest=None, added=None)
        for each in backward.gradients
    )
    return msgspec.structs.replace(backward, gradients=added)
