"""What changed between two runs: the text, the ending, gradients, output, tensors.

And where the recordings diverge: the first line that one ran and the other did
not, or that left something else behind.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.step import Muted, Printed, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.history.divergence import (
    Divergence,
    find_divergence,
    gradient_of,
    largest_difference,
    traits,
)
from inplace_tui.tutorial.history.runs import KeptRun

AROUND = 3
"""Lines shown before and after a change."""

MAX_OUTPUT = 2_000
"""Lines of output that are compared: the last ones. Comparing more would be felt."""


Pair = tuple[str, Tensor | None, Tensor | None]
"""A name, and the tensor that it means at the end of each run."""


@dataclass(frozen=True)
class TraitChange:
    """One thing about one tensor, before and after."""

    key: str
    """Of a facet: `version`, `values`."""

    before: str
    after: str
    difference: float | None = None
    """The largest difference of two elements, where numbers are compared."""


@dataclass(frozen=True)
class TensorChange:
    """A tensor at the end of the two runs."""

    name: str
    changes: tuple[TraitChange, ...] = ()
    only_before: bool = False
    only_after: bool = False


@dataclass(frozen=True)
class GradientChange:
    """What a leaf had in `.grad` at the end; None is no gradient."""

    name: str
    before: str | None
    after: str | None
    difference: float | None = None


@dataclass(frozen=True)
class RunComparison:
    """What changed from `before` to `after`."""

    before: KeptRun
    after: KeptRun
    text: tuple[str, ...]
    """The lines of a unified diff, without its head; none if the text is the same."""

    output: tuple[str, ...]
    """Likewise, of what was printed and warned of."""

    gradients: tuple[GradientChange, ...]
    gradients_alike: int
    tensors: tuple[TensorChange, ...]
    tensors_alike: int
    divergence: Divergence | None
    """None where the recordings are alike from their first line to their last."""


def compare(before: KeptRun, after: KeptRun) -> RunComparison:
    old, new = _end(before.timeline), _end(after.timeline)
    pairs = _pairs(old, new)
    gradients, gradients_alike = _gradients(pairs, old, new)
    tensors = [_tensor(pair, old, new) for pair in pairs]
    return RunComparison(
        before,
        after,
        text=_diff(lines_of(before.program.source), lines_of(after.program.source)),
        output=_diff(_output(before.timeline), _output(after.timeline)),
        gradients=gradients,
        gradients_alike=gradients_alike,
        tensors=tuple(each for each in tensors if each is not None),
        tensors_alike=sum(each is None for each in tensors),
        divergence=find_divergence(before, after),
    )


def _end(timeline: Timeline) -> Snapshot:
    return timeline.at(len(timeline) - 1)


def _diff(old: list[str], new: list[str]) -> tuple[str, ...]:
    found = list(difflib.unified_diff(old, new, n=AROUND, lineterm=""))
    return tuple(found[2:])


def _output(timeline: Timeline) -> list[str]:
    """Return the lines that the program wrote, warnings among them."""
    text, muted = [], False
    for index in timeline.index.output:
        for event in timeline.steps[index].events:
            match event:
                case Printed(text=printed):
                    text.append(printed)
                case Warned(category=category, message=message):
                    text.append(f"{category}: {message}\n")
                case Muted():
                    muted = True
                case _:
                    pass
    lines = lines_of("".join(text))
    return [*lines[-MAX_OUTPUT:], *(["…"] if muted else [])]


def _pairs(old: Snapshot, new: Snapshot) -> list[Pair]:
    """Return the tensors of both ends by a name that they share; gradients have no row."""
    known, found, taken = old.by_name, list[Pair](), set[int]()
    for tensor in _named(new):
        shared = [name for name in tensor.names if name in known]
        there = known[shared[0]] if shared and known[shared[0]].id not in taken else None
        if there is not None:
            taken.add(there.id)
        found.append((shared[0] if there else tensor.names[0], there, tensor))
    left = [tensor for tensor in _named(old) if tensor.id not in taken]
    return [*found, *((tensor.names[0], tensor, None) for tensor in left)]


def _named(snapshot: Snapshot) -> list[Tensor]:
    own = {tensor.grad for tensor in snapshot.tensors.values()}
    return [each for each in snapshot.tensors.values() if each.names and each.id not in own]


def _tensor(pair: Pair, old: Snapshot, new: Snapshot) -> TensorChange | None:
    name, before, after = pair
    if before is None or after is None:
        return TensorChange(name, only_before=after is None, only_after=before is None)
    both = zip(traits(before, old), traits(after, new), strict=True)
    changes = [
        TraitChange(now.key, was.text, now.text, largest_difference(was, now))
        for was, now in both
        if was.exact != now.exact
    ]
    return TensorChange(name, tuple(changes)) if changes else None


def _gradients(
    pairs: list[Pair], old: Snapshot, new: Snapshot
) -> tuple[tuple[GradientChange, ...], int]:
    found, alike = [], 0
    for name, before, after in pairs:
        was = None if before is None else gradient_of(before, old)
        now = None if after is None else gradient_of(after, new)
        if was is None and now is None:
            continue
        if was is not None and now is not None and was.exact == now.exact:
            alike += 1
            continue
        far = largest_difference(was, now) if was is not None and now is not None else None
        before_text, after_text = (None if each is None else each.text for each in (was, now))
        found.append(GradientChange(name, before_text, after_text, far))
    return tuple(found), alike
