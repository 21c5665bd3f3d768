"""What changed between two runs: the text, the ending, gradients, output, tensors.

And where the recordings diverge: the first line that one ran and the other did not, or that left
something else behind. Lines are matched by the difference of the two texts, so that a comment or
a line of imports above moves nothing; one that only one of them has, and that left nothing
behind, is passed over.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Muted, Printed, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import MAX_ELEMENTS, flat, summary
from inplace_tui.tutorial.history.runs import KeptRun, opcodes

WIDTH = 48
"""Characters of a tensor's values in words."""


@dataclass(frozen=True)
class Trait:
    """One thing about one tensor."""

    key: str
    """Of a facet."""

    exact: object
    """What must be equal to be the same; numbers as text, so that NaN equals NaN."""

    text: str
    numbers: tuple[complex, ...] = ()
    """The elements, where they can be read."""


def traits(tensor: Tensor, snapshot: Snapshot) -> tuple[Trait, ...]:
    shape = f"[{', '.join(map(str, tensor.shape))}]"
    return (
        Trait("shape", tensor.shape, shape),
        Trait("dtype", tensor.dtype, tensor.dtype),
        _plain("version", "none" if tensor.version is None else tensor.version),
        _plain("requires_grad", tensor.requires_grad),
        _plain("is_leaf", tensor.is_leaf),
        _plain("grad_fn", node_name(tensor, snapshot)),
        values_of(tensor, snapshot),
    )


def gradient_of(tensor: Tensor, snapshot: Snapshot) -> Trait | None:
    grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
    return None if grad is None else values_of(grad, snapshot)


def values_of(tensor: Tensor, snapshot: Snapshot) -> Trait:
    """Return the elements; of a large tensor the sample that was recorded."""
    shown = summary(tensor, snapshot, WIDTH)
    read = flat(tensor, snapshot)
    if isinstance(read, Unreadable):
        return Trait("values", read.reason, shown)
    numbers = tuple(read[0][:MAX_ELEMENTS])
    return Trait("values", (tensor.shape, tuple(map(repr, numbers))), shown, numbers)


def node_name(tensor: Tensor, snapshot: Snapshot) -> str | Unreadable:
    """Return the class name of `grad_fn`, as torch prints it."""
    if isinstance(tensor.grad_fn, Unreadable):
        return tensor.grad_fn
    node = None if tensor.grad_fn is None else snapshot.nodes.get(tensor.grad_fn)
    return "None" if node is None else node.name


def largest_difference(before: Trait, after: Trait) -> float | None:
    """Return the largest difference of two elements; None where they can't be compared."""
    if not before.numbers or len(before.numbers) != len(after.numbers):
        return None
    far = [abs(complex(b) - complex(a)) for b, a in zip(before.numbers, after.numbers, strict=True)]
    known = [each for each in far if math.isfinite(each)]
    return max(known) if len(known) == len(far) else None


def _plain(key: str, value: object) -> Trait:
    if isinstance(value, Unreadable):
        return Trait(key, value, f"⊘ {value.reason}")
    return Trait(key, value, str(value))


MAX_STEPS = 20_000
"""Steps of each recording that are compared; later ones are not."""


class DivergenceKind(StrEnum):
    """In what they differ first."""

    LINES = "lines"
    """Another line ran, or none."""

    RAISED = "raised"
    OUTPUT = "output"
    TENSOR = "tensor"


@dataclass(frozen=True)
class Divergence:
    """The first lines that differ; None stands for the end of a run."""

    how: DivergenceKind
    before: Step | None
    after: Step | None
    name: str = ""
    """Of the tensor that came out otherwise."""

    key: str = ""
    """The facet in which it differs; nothing if only one of them has it."""

    was: str = ""
    now: str = ""


def find_divergence(before: KeptRun, after: KeptRun) -> Divergence | None:
    """Return where two runs diverge; None if they don't, as far as they are compared."""
    pairs = _Pairs(before.program.source, after.program.source)
    old, new = before.timeline, after.timeline
    here = there = 0
    while here < min(len(old), MAX_STEPS) or there < min(len(new), MAX_STEPS):
        if max(here, there) >= MAX_STEPS:
            return None
        was = old.steps[here] if here < len(old) else None
        now = new.steps[there] if there < len(new) else None
        if was is not None and not pairs.has_old(was.line) and _is_quiet(was):
            here += 1
        elif now is not None and not pairs.has_new(now.line) and _is_quiet(now):
            there += 1
        elif was is None or now is None or not pairs.same(was.line, now.line):
            return Divergence(DivergenceKind.LINES, was, now)
        else:
            found = _differing(was, old, now, new)
            if found is not None:
                return found
            here, there = here + 1, there + 1
    return None


class _Pairs:
    """Which line of the one text is which of the other; one that was rewritten is the same."""

    def __init__(self, before: str, after: str) -> None:
        self._new_of: dict[int, int] = {}
        codes = opcodes(lines_of(before), lines_of(after))
        for kind, top, bottom, start, end in codes:
            if kind == "equal" or (kind == "replace" and bottom - top == end - start):
                pairs = zip(range(top, bottom), range(start, end), strict=True)
                self._new_of |= {old + 1: new + 1 for old, new in pairs}
        self._taken = frozenset(self._new_of.values())

    def has_old(self, line: int) -> bool:
        return line in self._new_of

    def has_new(self, line: int) -> bool:
        return line in self._taken

    def same(self, old: int, new: int) -> bool:
        return self._new_of.get(old) == new


def _is_quiet(step: Step) -> bool:
    """Whether a line left nothing behind that is compared."""
    return not (step.events or step.raised or step.tensors or step.storages or step.gone)


def _differing(was: Step, old: Timeline, now: Step, new: Timeline) -> Divergence | None:
    if was.raised != now.raised:
        return Divergence(
            DivergenceKind.RAISED, was, now, was=was.raised or "", now=now.raised or ""
        )
    if _written(was) != _written(now):
        return Divergence(DivergenceKind.OUTPUT, was, now)
    fields = ("tensors", "storages", "nodes", "gone")
    if all(getattr(was, field) == getattr(now, field) for field in fields):
        return None  # a cheap check that often holds
    return _differing_tensor(was, old.at(was.index), now, new.at(now.index))


def _written(step: Step) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for event in step.events:
        if isinstance(event, Printed):
            found.append((event.stream, event.text))
        elif isinstance(event, Warned):
            found.append((event.category, event.message))
    return found


def _differing_tensor(was: Step, before: Snapshot, now: Step, after: Snapshot) -> Divergence | None:
    """Compare what the two lines touched, by name."""
    old, new = _touched(was, before), _touched(now, after)
    for name in [*new, *(name for name in old if name not in new)]:
        # What only one of the lines touched may be there unchanged in the other.
        first = old.get(name) or before.named(name)
        second = new.get(name) or after.named(name)
        if first is None or second is None:
            there = ["" if each is None else name for each in (first, second)]
            return Divergence(DivergenceKind.TENSOR, was, now, name, "", *there)
        for one, other in zip(traits(first, before), traits(second, after), strict=True):
            if one.exact != other.exact:
                return Divergence(
                    DivergenceKind.TENSOR, was, now, name, one.key, one.text, other.text
                )
    return None


def _touched(step: Step, snapshot: Snapshot) -> dict[str, Tensor]:
    """Return the tensors that a line sent anew, or whose memory it wrote, by their first name."""
    written = {storage.id for storage in step.storages}
    own = [snapshot.tensors[each.id] for each in step.tensors if each.id in snapshot.tensors]
    if written:
        own += [each for each in snapshot.tensors.values() if each.storage in written]
    return {tensor.names[0]: tensor for tensor in own if tensor.names}


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
    """Of a facet: `version`, `values`; of a gradient, the name of its leaf."""

    before: str
    after: str
    """Empty if there is no gradient."""

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
class RunComparison:
    """What changed from `before` to `after`."""

    before: KeptRun
    after: KeptRun
    text: tuple[str, ...]
    """The lines of a unified diff, without its head; none if the text is the same."""

    output: tuple[str, ...]
    """Likewise, of what was printed and warned of."""

    gradients: tuple[TraitChange, ...]
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
) -> tuple[tuple[TraitChange, ...], int]:
    """Return what leaves had in `.grad` at the end, and how many had the same."""
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
        before_text, after_text = ("" if each is None else each.text for each in (was, now))
        found.append(TraitChange(name, before_text, after_text, far))
    return tuple(found), alike
