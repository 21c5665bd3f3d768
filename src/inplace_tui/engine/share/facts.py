"""What a recording lets one claim: each fact held against it before it is written down."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inplace_tui.engine.blame.blame import Blame
from inplace_tui.engine.lessons.claims import FinishedRun, mismatches
from inplace_tui.engine.state.values import flat
from inplace_tui.model.lesson import Claim, ClaimedEnd, Grads, TensorClaim
from inplace_tui.model.outcome import Raised, Right, Wrong
from inplace_tui.model.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline

MAX_VALUES = 8
"""Elements of a gradient that is claimed."""

QUOTED = 60
"""Characters of torch's message that a claim quotes."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Number = int | float | bool
Inner = Number | list[Number | list[Number]]

Tree = dict[str, object]
"""A claim as YAML has it."""


@dataclass(frozen=True)
class Fact:
    """One field of a claim."""

    path: tuple[str, ...]
    value: object
    claim: Claim


def run_facts(how: ClaimedEnd, run: FinishedRun, found: Blame | None) -> Iterator[Fact]:
    """Yield what may be claimed of how a run ended, and of who did it."""
    yield Fact(("ends",), str(how), Claim(ends=how))
    if how is ClaimedEnd.RUNS and (isinstance(run.truth, Wrong) or run.truth == Right()):
        grads = Grads.RIGHT if isinstance(run.truth, Right) else Grads.WRONG
        yield Fact(("grads",), str(grads), Claim(grads=grads))
    if isinstance(run.timeline.outcome, Raised):
        first = run.timeline.outcome.message.strip().split("\n")[0]
        # An address is another one in every run.
        quoted = re.split(r"0x[0-9a-f]+", first)[0][:QUOTED].strip()
        if quoted:
            yield Fact(("match",), quoted, Claim(match=quoted))
    names = {line: name for name, line in run.anchors.items()}
    if found is not None and found.saver is not None and found.saver.line in names:
        name = names[found.saver.line]
        yield Fact(("saved_by",), name, Claim(saved_by=name))
    for write in found.writes[:1] if found is not None else ():
        if write.line in names:
            name = names[write.line]
            yield Fact(("changed_by",), name, Claim(changed_by=name))


def step_facts(step: Step, timeline: Timeline) -> Iterator[Fact]:
    """Yield what one line left behind: versions that moved, gradients that came."""
    before, after = timeline.at(step.began - 1), timeline.at(step.index)
    for row in step.tensors:
        name = row.names[0] if row.names else ""
        if not IDENTIFIER.fullmatch(name):
            continue
        old = before.tensors.get(row.id)
        if isinstance(row.version, int) and (old is None or old.version != row.version):
            claim = Claim(tensors={name: TensorClaim(version=row.version)})
            yield Fact(("tensors", name, "version"), row.version, claim)
        if row.grad is not None and (old is None or old.grad != row.grad):
            grad = _numbers(after.tensors.get(row.grad), after)
            if grad is not None:
                claim = Claim(tensors={name: TensorClaim(grad=grad)})
                yield Fact(("tensors", name, "grad"), grad, claim)


def true_claims(facts: Iterable[Fact], run: FinishedRun, at: int) -> Tree:
    """Return those of the facts that `check` would find true, as one claim."""
    tree: Tree = {}
    for fact in facts:
        if mismatches(fact.claim, run, at):
            continue
        below = tree
        for key in fact.path[:-1]:
            inner = below.setdefault(key, {})
            assert isinstance(inner, dict)
            below = inner
        below[fact.path[-1]] = fact.value
    return tree


def _numbers(tensor: Tensor | None, snapshot: Snapshot) -> float | list[Inner] | None:
    """Return a few finite numbers as a claim has them; None for anything else."""
    read = None if tensor is None else flat(tensor, snapshot)
    if tensor is None or read is None or isinstance(read, Unreadable):
        return None
    numbers, whole = read
    if not whole or not 0 < len(numbers) <= MAX_VALUES:
        return None
    plain: list[Inner] = [
        float(f"{each:.6g}")
        for each in numbers
        if isinstance(each, int | float) and math.isfinite(each)
    ]
    if len(plain) < len(numbers):
        return None
    if tensor.shape:
        return plain
    alone = plain[0]
    assert isinstance(alone, float)
    return alone
