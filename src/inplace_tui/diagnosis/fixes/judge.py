"""Whether a candidate is a fix: four conditions, each seen in runs, none assumed.

(a) Nothing raises. (b) The gradients are those of the original, at the values
that its nodes saved, as far as it has such; else the candidate's own replay
agrees, and no leaf loses its gradient. (c) Until the faulty write, all values
are the original's. (d) What was to be written is there.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from inplace_tui.common.run.doubt import OF_WRITES
from inplace_tui.common.run.fix import counterparts
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.snapshot import SlotState, Tensor
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import backward_of, names_in
from inplace_tui.common.syntax import names, names_stored, nodes, parsed
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import lost_leaves
from inplace_tui.diagnosis.blame.graph import reachable
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.fixes.effects import changed_starts, describe_changes, describe_gradients
from inplace_tui.diagnosis.fixes.expressions import written_parts
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.gradients import (
    differing_leaf,
    idle_steps,
    leaves_with_gradients,
    same_backwards_reordered,
    trusted_backwards,
)
from inplace_tui.diagnosis.fixes.kinds import ADDS_UP, EARLIER, FLAGS, STAYS_IN_PLACE
from inplace_tui.diagnosis.fixes.rewrites.grad_modes import writes_computed
from inplace_tui.diagnosis.fixes.trial import Failed, Original, Passed, Trial, failure_of
from inplace_tui.diagnosis.fixes.value_history import (
    Content,
    changed_tensors,
    content_of,
    first_difference,
    is_gradient,
    printed_text,
    starts_with,
    value_histories,
)


@dataclass
class FixJudge(Original):
    """Compares candidates with the original."""

    knows_unstable = False
    """A second recording was looked at: what differs there differs by itself."""

    def __post_init__(self) -> None:
        """Look at what is known of the original."""
        site = self.site
        self._is_freed = site.verdict is Verdict.GRAPH_FREED
        self._first_visit = min(
            (i for each in site.culprits for i in site.steps(each)), default=site.fault
        )
        self._is_outdated = self._is_freed and _is_outdated(site, self._first_visit)
        self._buffers = names(
            *(
                part
                for each in site.culprits
                for part in written_parts(site, each)
                if _is_to_be_filled(site, part, each)
            )
        )
        """Leaves that exist to be filled with computed values: nobody uses their gradient."""

        here = None if site.reader is None else site.function(site.reader)
        called = [each for each in nodes(ast.FunctionDef, site.tree) if each is not here]
        self._bound_in_calls = names_stored(*called) | {e.arg for e in nodes(ast.arg, *called)}
        visited = site.timeline.index.visits
        self._bound_later = names_stored(
            *(each for each in nodes(ast.stmt, site.tree) if each.lineno not in visited)
        )
        """What the rest of the program gives to other tensors, if it gets so far."""

        self._truth = trusted_backwards(self.replay)[: _before_cut(site, self.replay)]
        self._kept_leaves = _kept_leaves(site)
        self._wanted = _written(site, self.allowed)

    def compare_with(self, again: Timeline) -> None:
        """Find the names whose values differ from run to run: memory that was never filled."""
        other = value_histories(again, returned=True)
        pairs = [(name, moments, other.get(name, ())) for name, moments in self.histories.items()]
        self.unstable = frozenset(
            name for name, one, two in pairs if not (starts_with(one, two) or starts_with(two, one))
        )
        self.knows_unstable = True

    def check_replays(self, trial: Trial) -> Failed | None:
        """Return what speaks against a candidate as far as that shows without a recording."""
        # Without a backward there is nothing to replay.
        if trial.bare.backwards and (failed := failure_of(trial.cloned.outcome)):
            return failed
        reason = self._gradients(trial) or self._kept(trial) or self._reached(trial)
        return None if reason is None else Failed("b", reason)

    def advances(self, trial: Trial) -> Failed | None:
        """Return what speaks against a candidate as one edit of several: it may still fail."""
        truth = () if trial.candidate.own_truth else self._truth
        for mine, true in zip(trial.cloned.backwards, truth, strict=False):
            if mine.raised is None and (name := differing_leaf(mine, true)) is not None:
                return Failed("b", f"the gradient of {name} is not that of the original")
        return self._check_recording(trial)

    def _check_recording(self, trial: Trial) -> Failed | None:
        checks = (
            ("b", self._leaves),
            ("b", self._updates_shared),
            ("c", self._values),
            ("d", self._write),
        )
        reasons = ((condition, check(trial)) for condition, check in checks)
        return next((Failed(each, reason) for each, reason in reasons if reason is not None), None)

    def judge(self, trial: Trial) -> Passed | Failed:
        failed = self.check_replays(trial) or failure_of(trial.timeline.outcome)
        if failed := failed or self._check_recording(trial):
            return failed
        candidate = trial.candidate
        starts = changed_starts(self, trial)
        changed = describe_changes(self, trial, starts)
        if (starts or changed) and "option_off" in candidate.kinds:
            return Failed("c", "more than the write is left out")
        backwards = trial.bare.backwards
        # Whether the gradients were compared with the original's, every backward.
        own = candidate.own_truth or candidate.usual
        compared = not own and 0 < len(self._truth) >= len(backwards)
        return Passed(
            # Of a refused write the loss is not known; then all that it would have changed counts.
            keeps_loss=not starts and (self.allowed is None or changed is None),
            keeps_gradient=not candidate.cuts or compared,
            forward_changes=changed,
            delivered=self._delivered(trial.bare),
            computes=describe_gradients(self, trial) if candidate.usual else None,
            outdated=backwards if self._is_outdated else (),
        )

    def _gradients(self, trial: Trial) -> str | None:
        """(b) The gradients are the true ones."""
        candidate, got, replayed = trial.candidate, trial.bare.backwards, trial.cloned.backwards
        truth = () if candidate.own_truth or candidate.usual else self._truth
        if any(backward.raised for backward in got):
            return "a backward raised"
        if len(got) != len(replayed) or len(got) < len(truth):
            return "the backwards are not the same"
        for mine, true in zip(got, replayed, strict=True):
            if (name := differing_leaf(mine, true)) is not None:
                return f"the replay delivers another gradient of {name}"
        for mine, true in zip(got, truth, strict=False):
            if (name := differing_leaf(mine, true)) is not None:
                source = self.source
                if same_backwards_reordered(source, self.replay, candidate.source, trial.bare):
                    return None
                return f"the gradient of {name} is not that of the original"
        return None

    def _kept(self, trial: Trial) -> str | None:
        """(b) All that got a gradient, at a backward or at a step, gets it, and moves as it did."""
        cloned = trial.cloned
        # A function that is given more names gives a leaf another one of them.
        had, has = map(leaves_with_gradients, (self._truth, cloned.backwards))
        if lost := {*map(_alone, had)} - {*map(_alone, has)}:
            return f"{min(lost)} gets no gradient any more"
        theirs, mine = (
            Counter(_alone(name) for step in each.steps for name in step.stepped or ())
            for each in (self.replay, cloned)
        )
        if missed := theirs - mine:
            return f"{min(missed)} has no gradient at a step that had one"
        if self.ends and (still := set(self.replay.moved) - set(cloned.moved)):
            return f"{min(still)} is not updated any more"
        idle = idle_steps(trial.candidate.source, cloned.steps)
        if idle - idle_steps(self.source, self.replay.steps):
            return "an optimizer has no gradient for any of its steps"
        if self._is_freed:
            # Computed again, the graph would be that of the values it has by now.
            moved = [name for each in cloned.backwards for name in each.moved]
            return f"{moved[0]} has changed since the graph was computed" if moved else None
        return None

    def _reached(self, trial: Trial) -> str | None:
        """(b) A backward goes on from what was written to what that was computed from."""
        backwards = trial.cloned.backwards
        if any(each.unsure and each.unsure.reason in OF_WRITES for each in backwards):
            return "a write is not recorded, and no gradient goes through it"
        for each in backwards if "under_no_grad" in trial.candidate.kinds else ():
            reached = {_ENDS.split(_alone(got.tensor))[0] for got in each.gradients}
            if reached <= self._buffers:
                return "a backward reaches nothing but what was written"
        found = set(map(_alone, leaves_with_gradients(backwards)))
        if self.site.lost and found.isdisjoint(map(_alone, self.site.lost)):
            return f"{self.site.lost[0]} has no gradient yet"
        return None

    def _delivered(self, bare: Evidence) -> frozenset[str]:
        """Return the leaves with gradients; of a program whose end is unknown, with their steps."""
        found = leaves_with_gradients(bare.backwards)
        if self.ends:
            return found
        steps = Counter(name for step in bare.steps for name in step.stepped or ())
        return found | {f"{name} {i}" for name, count in steps.items() for i in range(count)}

    def _leaves(self, trial: Trial) -> str | None:
        """(b) No leaf loses its gradient."""
        end = self.site.timeline.at(len(self.site.timeline) - 1)
        now = trial.timeline.at(len(trial.timeline) - 1)
        for tensor in end.tensors.values():
            base = end.tensors.get(-1 if tensor.base is None else tensor.base)
            # A view of what requires grad only looks like a leaf: it was made without a graph.
            is_leaf = tensor.requires_grad and tensor.is_leaf is True
            if not is_leaf or (base is not None and base.requires_grad):
                continue
            for name in tensor.names[:1]:
                held = next((t for t in now.tensors.values() if name in t.names), None)
                if _ENDS.split(name)[0] in self._buffers | self._bound_later:
                    continue
                if held is not None and not (held.requires_grad and held.is_leaf is True):
                    return f"{name} is no longer a leaf"
        for tensor in now.tensors.values():
            if tensor.grad is None and (kept := self._kept_leaves.intersection(tensor.names)):
                return f"{min(kept)} has no gradient any more"
        return None

    def _values(self, trial: Trial) -> str | None:
        """(c) Until the fault, every value is the original's."""
        candidate, fault = trial.candidate, self.site.fault
        tree = parsed(candidate.source)
        spelled = names(tree) | {each.arg for each in nodes(ast.arg, tree)}
        dropped = _attributes(self.site.tree) - _attributes(tree)
        if candidate.kinds <= EARLIER or (candidate.own_truth and self._is_freed):
            # In a function or a loop, the statement has written, or freed, without harm before.
            fault = min(fault, self._first_visit)
        # What is computed later calls its functions later: their names held other things then.
        inner = self._bound_in_calls if candidate.usual and candidate.rebuilt else set[str]()
        for name, moments in self.histories.items():
            now, (first, *parts) = trial.histories.get(name, ()), _ENDS.split(name)
            if name in self.unstable or is_gradient(name) or first not in spelled - inner:
                continue
            if not dropped.isdisjoint(parts):
                continue  # nobody can ask for it any more
            if name in candidate.rebuilt:
                held = {each.content for each in now}
                # Under a transform a tensor has no values that can be read.
                if held and not candidate.usual and moments[-1].content not in held:
                    return f"{name} does not come to hold what it did"
                continue
            if name.partition("[")[0] in candidate.rebuilt:
                continue  # an element of a list that holds other things now
            if not now and candidate.kind == "option_off":
                continue  # a local of what is not run any more
            before = [each for each in moments if each.step < fault]
            if before and first_difference(name, now, before, ended=False) is not None:
                return f"{name} has other values before the fault"
        before_text = printed_text(self.site.timeline, until=fault)
        if not printed_text(trial.timeline).startswith(before_text):
            return "other text is printed before the fault"
        return None

    def _write(self, trial: Trial) -> str | None:
        """(d) What was to be written is there."""
        candidate = trial.candidate
        if not self._wanted or candidate.kinds <= FLAGS:
            return None  # a module returns what it would have written
        if candidate.rebuilt and not candidate.usual:
            return None  # its last value was compared
        # Whether steps wrote: how many have a gradient was compared.
        steps = {write.is_step for write in self.site.writes} == {True}
        if candidate.usual and (steps or candidate.kind in STAYS_IN_PLACE):
            return None  # by other gradients, or from other values
        there = self._left_behind(trial)
        if all(any(each in there for each in wanted) for wanted in self._wanted):
            return None
        if "only_here" in candidate.kinds and self._results_kept(trial):
            return None
        return "what was to be written is nowhere"

    def _updates_shared(self, trial: Trial) -> str | None:
        """(b) Gradients are added up only where they are for the same update.

        Adversaries must not get each other's: a discriminator that is given the generator's
        gradient, too, learns to be deceived.
        """
        stepped = any(write.is_step for write in self.site.writes)
        if not stepped or ADDS_UP.isdisjoint(trial.candidate.kinds):
            return None
        updated: dict[int, set[int | None]] = {}
        for step in trial.timeline:
            written = {each.storage for each in step.mutations if each.is_step}
            if written:
                updated.setdefault(step.line, set()).update(written)
        apart = any(one.isdisjoint(other) for one, other in combinations(updated.values(), 2))
        return "another update would get the gradient, too" if apart else None

    def _left_behind(self, trial: Trial) -> set[Content]:
        """Return what the statement that writes, or what was put in its place, left behind.

        Elsewhere another tensor may hold the same values for reasons of its own.
        """
        culprits = self.site.culprits
        lines = {
            line for each in culprits for line in range(each.lineno, (each.end_lineno or 0) + 1)
        }
        here = counterparts(self.source, trial.candidate.source, lines)
        return {
            held
            for step in trial.timeline.steps
            if here.intersection(range(step.line, step.end_line + 1))
            for snapshot in (trial.timeline.at(step.index),)
            for tensor in changed_tensors(step, snapshot)
            if (held := content_of(tensor, snapshot)) is not None
        }

    def _results_kept(self, trial: Trial) -> bool:
        """Whether the statement that wrote bound the same values to its other names."""
        if self.site.fault >= len(self.site.timeline):
            return False
        step = self.site.timeline.steps[self.site.fault]
        snapshot = self.site.timeline.at(step.index)
        bound = {
            content_of(tensor, snapshot)
            for tensor in step.tensors
            if tensor.names and tensor.storage not in self.site.storages
        } - {None}
        there = {each.content for moments in trial.histories.values() for each in moments}
        return bool(bound) and bound <= there


def depends_on_values(verdict: Passed | Failed) -> bool:
    """Whether a verdict could be another one if some values were known to differ by themselves."""
    if isinstance(verdict, Failed):
        return verdict.condition == "c"
    return verdict.forward_changes is not None or not verdict.keeps_loss


def _before_cut(site: FaultSite, cloned: Evidence) -> int | None:
    """Return how many backwards ran before a leaf was lost; None where none was.

    Later ones deliver to a tensor that no name reaches: no truth to be equal to.
    """
    if site.blame is None or site.blame.cut is None or _kept_leaves(site):
        return None
    cut = site.timeline.index.visits.get(site.blame.cut, [len(site.timeline)])[0]
    lines = {backward.line for backward in cloned.backwards}
    return sum(step.line in lines for step in site.timeline.steps[:cut])


def _is_to_be_filled(site: FaultSite, part: ast.expr, statement: ast.stmt) -> bool:
    """Whether a leaf is there for what is written to it: a buffer, or a loss that begins as 0."""
    if writes_computed(site, statement):
        return True
    tensor = site.tensor(part, statement)
    if tensor is None or tensor.is_parameter:
        return False
    name, source = site.text.of(part), site.text.source
    return f"{name}.backward(" in source and f"{name}.grad" not in source


def _attributes(tree: ast.AST) -> set[str]:
    return {each.attr for each in nodes(ast.Attribute, tree)}


def _alone(name: str) -> str:
    """Return a leaf's name without that of the function which has it."""
    return name.rpartition(":")[2]


def _kept_leaves(site: FaultSite) -> frozenset[str]:
    """Return the names under which the program has the gradients of a leaf that one name left.

    Of a program that ran on to its end: one that raised had no use for them.
    """
    ended = isinstance(site.timeline.outcome, Completed) and len(site.timeline)
    if not ended or site.blame is None or site.blame.cut is None:
        return frozenset()
    left = {event.before for _, event in lost_leaves(site.timeline)}
    end = site.timeline.at(len(site.timeline) - 1)
    return frozenset(
        name
        for number in left & end.tensors.keys()
        if end.tensors[number].grad is not None
        for name in end.tensors[number].names
    )


def _is_outdated(site: FaultSite, freed_at: int) -> bool:
    """Whether a freed graph was computed from a name, or from memory, that has other values now."""
    raising = raising_step(site.timeline)
    now = site.timeline.at((site.fault if raising is None else raising.index) - 1)
    freed = [each.node for each in now.saved.values() if each.state is SlotState.FREED]
    made = {now.nodes[each].step for each in reachable(now, freed)} & set(range(freed_at))
    for step in (site.timeline.steps[each] for each in made if each is not None):
        then = site.timeline.at(step.began - 1)
        for name in names_in(site.text.source, step.line):
            held = then.named(name)
            means = None if held is None else now.named(name) or now.tensors.get(held.id)
            if held and means and content_of(means, now) != content_of(held, then):
                return True
    return False


_ENDS = re.compile(r"[.\[]")
"""Where the first name of an expression ends."""


def _written(site: FaultSite, allowed: Timeline | None) -> list[set[Content]]:
    """Return, for each write at fault, what the tensors with that memory held after it."""
    if site.blame is None or site.verdict is Verdict.GRAPH_FREED:
        return []
    if site.culprits and backward_of(site.text.source, site.culprits[0].lineno):
        return []  # all that it makes is the gradient, which was compared under (b)
    if allowed is None:
        pairs = [(write, site.step_of(write)) for write in site.writes]
        steps = [
            (step.index, each.storage)
            for write, step in pairs
            if step is not None  # of an optimizer all parameters: others may get a gradient more
            for each in (step.mutations if write.is_step else (write,))
        ]
        return _after(site.timeline, steps)
    raising = raising_step(site.timeline)
    if raising is None or not isinstance(site.timeline.outcome, Raised):
        return []
    later = islice(allowed.steps, raising.index, None)
    writes = [(step.index, event.storage) for step in later for event in step.mutations]
    return _after(allowed, writes[:1])


def _after(timeline: Timeline, writes: Sequence[tuple[int, int | None]]) -> list[set[Content]]:
    found: list[set[Content]] = []
    for index, storage in writes:
        snapshot = timeline.at(index)
        shared: list[Tensor] = [
            each for each in snapshot.tensors.values() if each.storage == storage is not None
        ]
        held = {each for tensor in shared if (each := content_of(tensor, snapshot)) is not None}
        if held and held not in found:
            found.append(held)
    return found
