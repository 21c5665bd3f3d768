"""What changed between two runs: the text, the ending, gradients, output.

And where the recordings diverge: the first line that one ran and the other did not, or that left
other tensors behind. Lines are matched by the difference of the two texts, so that a comment or
a line of imports above moves nothing; one that only one of them has, and that touched no
tensor, is passed over.

Gradients are compared at one moment, the same visit of the same line: what one run had in its
first iteration and the other in its last says nothing about the edit.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.files import lines_of, split_files
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.step import Muted, Printed, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import MAX_ELEMENTS, flat, summary
from inplace_tui.tutorial.history.runs import KeptRun, opcodes
from inplace_tui.tutorial.state.diff import diff, values_differ

WIDTH = 48
"""Characters of a tensor's values in words."""


def traits(tensor: Tensor, snapshot: Snapshot) -> dict[str, str]:
    """Return what can be said of a tensor, its elements aside, by facet."""
    told = {key: getattr(tensor, key) for key in ("dtype", "version", "requires_grad", "is_leaf")}
    node = tensor.grad_fn
    made = snapshot.nodes.get(node) if isinstance(node, int) else None
    told |= {"shape": list(tensor.shape), "grad_fn": made.name if made is not None else node}
    return {
        key: f"⊘ {each.reason}" if isinstance(each, Unreadable) else str(each)
        for key, each in told.items()
    }


def gradient_of(tensor: Tensor | None, snapshot: Snapshot) -> Tensor | None:
    grad = None if tensor is None else tensor.grad
    return None if grad is None else snapshot.tensors.get(grad)


def change_of_values(
    key: str, one: Tensor, before: Snapshot, other: Tensor, after: Snapshot
) -> TraitChange | None:
    if not values_differ(one, other, before, after):
        return None
    texts = summary(one, before, WIDTH), summary(other, after, WIDTH)
    return TraitChange(key, *texts, _far(flat(one, before), flat(other, after)))


def _far(one: Flat, other: Flat) -> float | None:
    """Return how far two elements are apart at most, as a part of the largest of all.

    None where they can't be compared. Of a large tensor a sample is.
    """
    if isinstance(one, Unreadable) or isinstance(other, Unreadable):
        return None
    before, after = one[0][:MAX_ELEMENTS], other[0][:MAX_ELEMENTS]
    if not before or len(before) != len(after):
        return None
    far = [abs(complex(b) - complex(a)) for b, a in zip(before, after, strict=True)]
    if not all(map(math.isfinite, far)):
        return None
    return max(far) / (max(map(abs, before + after)) or 1)


MAX_STEPS = 20_000
"""Steps of each recording that are compared; later ones are not."""


@dataclass(frozen=True)
class TraitChange:
    """One thing about one tensor, before and after."""

    key: str
    """Of a facet: `version`, `values`; of a gradient, the name of its leaf."""

    before: str
    after: str
    """Empty if there is no gradient."""

    difference: float | None = None
    """How far elements are apart at most, where numbers are compared."""


Flat = tuple[list[Element], bool] | Unreadable

Moment = tuple[Step, Step]
"""The same visit of the same line, in each run."""


@dataclass(frozen=True)
class Divergence:
    """The first lines that differ; None stands for the end of a run."""

    steps: tuple[Step | None, Step | None]
    parted: bool = False
    """They are different lines, or one run was over; else what they did differs."""

    last: Moment | None = None
    """The lines before them, which did the same."""

    name: str = ""
    """Of the first tensor that came out otherwise; none where what the lines raised differs."""

    tensors: tuple[Tensor | None, Tensor | None] = (None, None)
    changes: tuple[TraitChange, ...] = ()
    """None where only one of them has it."""


def find_divergence(
    pairs: Pairs, old: Timeline, new: Timeline, *, values: bool = True
) -> Divergence | None:
    """Return where two runs diverge, in more than values if those are not to be compared.

    None if they don't, as far as they are compared.
    """
    last: Moment | None = None
    for was, now in zip_longest(_compared(old, pairs.new_of), _compared(new, pairs.old_of)):
        if was is None or now is None or pairs.new_of.get(was.line) != now.line:
            return Divergence((was, now), parted=True, last=last)
        if MAX_STEPS in (was.index, now.index):
            return None
        if found := _differing(was, old, now, new, values=values):
            return found
        last = was, now
    return None


class Pairs:
    """Which line of the one text is which of the other; one that was rewritten is the same."""

    def __init__(self, before: str, after: str) -> None:
        self.new_of: dict[int, int] = {}
        self._edited: tuple[set[int], set[int]] = set(), set()
        for kind, top, bottom, start, end in opcodes(lines_of(before), lines_of(after)):
            old, new = range(top + 1, bottom + 1), range(start + 1, end + 1)
            if len(old) == len(new):
                self.new_of.update(zip(old, new, strict=True))
            if kind != "equal":
                self._edited[0].update(old)
                self._edited[1].update(new)
        self.old_of = {new: old for old, new in self.new_of.items()}

    def edit_ran(self, found: Divergence, *timelines: Timeline) -> bool:
        """Whether a line that was edited had run when two runs diverged."""
        return any(
            steps[0] <= (len(timeline) if last is None else last.index)
            and not edited.isdisjoint(range(line, timeline.index.ends[line] + 1))
            for timeline, last, edited in zip(timelines, found.steps, self._edited, strict=True)
            for line, steps in timeline.index.visits.items()
        )


def _compared(timeline: Timeline, matched: Mapping[int, int]) -> Iterator[Step]:
    """Yield the steps but those of a line of one text alone that left nothing behind.

    What they printed is compared by itself. The last one is where the comparison ends.
    """
    for step in timeline.steps[:MAX_STEPS]:
        left = step.mutations or step.raised or step.tensors or step.storages or step.gone
        if left or step.line in matched:
            yield step
    yield from timeline.steps[MAX_STEPS : MAX_STEPS + 1]


def _differing(
    was: Step, old: Timeline, now: Step, new: Timeline, *, values: bool
) -> Divergence | None:
    """Compare what two lines touched, by name."""
    if was.raised != now.raised:
        return Divergence((was, now))
    fields = ("tensors", "storages", "nodes", "gone")
    if all(getattr(was, field) == getattr(now, field) for field in fields):
        return None  # a cheap check that often holds
    before, after = old.at(was.index), new.at(now.index)
    first, second = _touched(was, before), _touched(now, after)
    for name in dict.fromkeys((*second, *first)):
        # What only one of the lines touched may be there unchanged in the other.
        one = first.get(name) or before.named(name)
        other = second.get(name) or after.named(name)
        changes: list[TraitChange] = []
        if one is not None and other is not None:
            told, told_after = traits(one, before), traits(other, after)
            changes = [TraitChange(k, told[k], t) for k, t in told_after.items() if told[k] != t]
            change = values and change_of_values("values", one, before, other, after)
            changes += [change] if change else []
        if changes or one is None or other is None:
            return Divergence((was, now), name=name, tensors=(one, other), changes=tuple(changes))
    return None


def _touched(step: Step, snapshot: Snapshot) -> dict[str, Tensor]:
    """Return the tensors that a line sent anew, or whose memory it wrote, by their first name."""
    written = {storage.id for storage in step.storages}
    own = [snapshot.tensors[each.id] for each in step.tensors if each.id in snapshot.tensors]
    if written:
        own += [each for each in snapshot.tensors.values() if each.storage in written]
    return {tensor.names[0]: tensor for tensor in own if tensor.names}


AROUND = 2
"""Lines shown before and after a change."""

MAX_OUTPUT = 2_000
"""Lines of output that are compared: the last ones. Comparing more would be felt."""


@dataclass(frozen=True)
class Gradients:
    """What leaves had in `.grad` after the same backward."""

    moment: Moment | None = None
    """The first one after which they differ, else the last; None where no backward is of both."""

    changes: tuple[TraitChange, ...] = ()
    alike: int = 0
    same: int = 0
    """How many backwards, up to there, left the same in both."""

    missing: tuple[str, ...] = ()
    """The leaves to which the backward of one run brought something, and that of the other, which
    failed, did not."""


@dataclass(frozen=True)
class RunComparison:
    """What changed from `before` to `after`."""

    before: KeptRun
    after: KeptRun
    pairs: Pairs
    text: tuple[tuple[str | None, tuple[str, ...]], ...]
    """The files that differ, and the lines of a unified diff, without its head; None stands for
    the main file. No lines where only one of the runs has that file."""

    output: tuple[str, ...]
    """Likewise, of what was printed and warned of."""

    gradients: Gradients
    divergence: Divergence | None
    """The first one that an edit may have caused; None where there is none."""

    drawn: Divergence | None
    """Where values differed first, if no line that was edited had run by then."""


def compare(before: KeptRun, after: KeptRun) -> RunComparison:
    old, new = before.timeline, after.timeline
    texts = before.program.source, after.program.source
    pairs = Pairs(*texts)
    one, other = ({part.name: lines_of(part.source) for part in split_files(t)} for t in texts)
    drawn, divergence = None, find_divergence(pairs, old, new)
    in_values = divergence and {each.key for each in divergence.changes} == {"values"}
    if divergence and in_values and not pairs.edit_ran(divergence, old, new):
        drawn, divergence = divergence, find_divergence(pairs, old, new, values=False)
    text = tuple(
        (name, _diff(one[name], other[name]) if name in one and name in other else ())
        for name in dict.fromkeys((*other, *one))
        if one.get(name) != other.get(name)
    )
    output, gradients = _diff(_output(old), _output(new)), _gradients(pairs, old, new)
    return RunComparison(before, after, pairs, text, output, gradients, divergence, drawn)


def _diff(old: list[str], new: list[str]) -> tuple[str, ...]:
    return tuple(difflib.unified_diff(old, new, n=AROUND, lineterm=""))[2:]


def _output(timeline: Timeline) -> list[str]:
    """Return the lines that the program wrote, warnings among them."""
    events = [each for at in timeline.index.output for each in timeline.steps[at].events]
    text = "".join(
        each.text if isinstance(each, Printed) else f"{each.category}: {each.message}\n"
        for each in events
        if isinstance(each, Printed | Warned)
    )
    is_muted = any(isinstance(each, Muted) for each in events)
    return [*lines_of(text)[-MAX_OUTPUT:], *(["…"] if is_muted else [])]


def _gradients(pairs: Pairs, old: Timeline, new: Timeline) -> Gradients:
    """Compare after each backward of both, until one left other gradients."""
    found = Gradients()
    known = {(step.line, step.visit): step for step in new}
    backwards = [old.steps[index] for index in old.index.backwards]
    there = [known.get((pairs.new_of.get(step.line, 0), step.visit)) for step in backwards]
    moments = [(was, now) for was, now in zip(backwards, there, strict=True) if now is not None]
    for same, (was, now) in enumerate(moments):
        changes, alike = _left(old.at(was.index), new.at(now.index))
        missing: tuple[str, ...] = ()
        if was.raised or now.raised:
            names = _brought(was, old) ^ _brought(now, new)
            missing = tuple(each.key for each in changes if each.key in names)
        found = Gradients((was, now), tuple(changes), alike, same + (not changes), missing)
        if changes:
            break
    return found


def _brought(step: Step, timeline: Timeline) -> set[str]:
    """Return the leaves whose gradient a backward changed, by all of their names."""
    after = timeline.at(step.index)
    changed = diff(timeline.at(step.began - 1), after).changed
    leaves = (number for number, facets in changed.items() if "grad" in facets)
    return {name for number in leaves for name in after.tensors[number].names}


def _left(old: Snapshot, new: Snapshot) -> tuple[list[TraitChange], int]:
    """Return in what the gradients of leaves differ, and how many do not."""
    found, alike, known = list[TraitChange](), 0, old.by_name
    both: dict[str, tuple[Tensor | None, Tensor | None]] = {}
    for tensor in new.tensors.values():
        # By a name that both have: one run may have another, shorter one.
        name = next((each for each in tensor.names if each in known), (*tensor.names, "")[0])
        both[name] = known.get(name), tensor
    seen = {before.id for before, _ in both.values() if before is not None}
    both |= {n: (tensor, None) for n, tensor in known.items() if tensor.id not in seen}
    for name, (before, after) in both.items():
        was, now = gradient_of(before, old), gradient_of(after, new)
        if was is not None and now is not None:
            change = change_of_values(name, was, old, now, new)
            found += [change] if change else []
            alike += not change
        elif was is not None or now is not None:
            one, other = (t and summary(t, at, WIDTH) for t, at in ((was, old), (now, new)))
            found.append(TraitChange(name, one or "", other or ""))
    return found, alike
