"""Whether a candidate is a fix: four conditions, each seen in runs, none assumed.

(a) Nothing raises. (b) The gradients are those of the original, at the values
that its nodes saved, as far as it has such; else the candidate's own replay
agrees, and no leaf loses its gradient. (c) Until the faulty write, all values
are the original's. (d) What was to be written is there.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, combinations
from math import inf

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run import values
from inplace_tui.common.run.doubt import OF_WRITES
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import counterparts
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.snapshot import EMPTY, SlotState, sharing
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import backward_of, names_in
from inplace_tui.common.syntax import names, names_stored, nodes, parsed
from inplace_tui.common.texts.fixes import COMPUTES, FixEffectTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import lost_leaves
from inplace_tui.diagnosis.blame.graph import reachable
from inplace_tui.diagnosis.blame.slots import is_uncounted
from inplace_tui.diagnosis.blame.truth import Evidence, differences
from inplace_tui.diagnosis.fixes import kinds
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.rewrites.grad_modes import writes_computed
from inplace_tui.diagnosis.fixes.trial import Failed, Passed, Trial, failure_of
from inplace_tui.diagnosis.fixes.value_history import (
    Content,
    HeldValue,
    ValueHistories,
    alone,
    backwards_in_pairs,
    changed_tensors,
    common_values,
    content_of,
    differing_leaf,
    idle_steps,
    is_gradient,
    leaves_with_gradients,
    same_backwards_reordered,
    starts_with,
    steps_with_gradients,
    trusted_backwards,
    value_histories,
    value_summary,
)


@dataclass
class FixJudge:
    """Compares candidates with the original, a program with a fault."""

    site: FaultSite
    replay: Evidence
    allowed: Timeline | None = None
    """What it would have been with its write let through, where torch refused that."""

    unstable: frozenset[str] | None = None
    """Names whose values differ from run to run: memory that was never filled; None where there
    was no second recording to see it in."""

    def __post_init__(self) -> None:
        """Look at what is known of the original."""
        site = self.site
        self._ends = isinstance(self.replay.outcome, Completed)  # with right gradients
        self._is_freed = site.verdict is Verdict.GRAPH_FREED
        visits = [index for each in site.culprits for index in site.steps(each)]
        self._first_visit = min(visits, default=site.fault)
        self._is_outdated = self._is_freed and _is_outdated(site, self._first_visit)
        self._again: tuple[Trial, bool] | None = None
        """The first fix that computes an outdated graph again, and whether it keeps the loss."""

        self._buffers = names(
            *(
                part
                for each in site.culprits
                for part in site.written_parts(each)
                if writes_computed(site, each) or self._is_loss(site.text.of(part))
            )
        )
        """Leaves that exist to be filled with computed values: nobody uses their gradient."""

        here = None if site.reader is None else site.function(site.reader)
        called = [each for each in nodes(ast.FunctionDef, site.tree) if each is not here]
        self._bound_in_calls = names_stored(*called) | {e.arg for e in nodes(ast.arg, *called)}
        visited = site.timeline.index.visits
        first = min(visited, default=0)  # what is recorded may begin in the middle
        self._bound_later = names_stored(
            *(e for e in nodes(ast.stmt, site.tree) if e.lineno > first and e.lineno not in visited)
        )
        """What the rest of the program gives to other tensors, if it gets so far."""

        self._truth = trusted_backwards(self.replay)[: _before_cut(site, self.replay)]
        self._wanted = _written(site, self.allowed)

    def _is_loss(self, name: str) -> bool:
        return f"{name}.backward(" in self.source and f"{name}.grad" not in self.source

    @property
    def source(self) -> str:
        return self.site.text.source

    @cached_property
    def histories(self) -> ValueHistories:
        return value_histories(self.site.timeline)

    @cached_property
    def meant_histories(self) -> ValueHistories:
        return self.histories if self.allowed is None else value_histories(self.allowed)

    def compare_with(self, again: Timeline) -> None:
        """Find the names whose values differ from run to run: memory that was never filled."""
        other = value_histories(again)
        pairs = ((name, one, other.get(name, ())) for name, one in self.histories.items())
        alike = {name for name, *both in pairs if starts_with(*both) or starts_with(*both[::-1])}
        self.unstable = frozenset(self.histories.keys() - alike)

    def check_replays(self, trial: Trial) -> Failed | None:
        """Return what speaks against a candidate as far as that shows without a recording."""
        # Without a backward there is nothing to replay.
        if trial.bare.backwards and (failed := failure_of(trial.cloned.outcome)):
            return failed
        reasons = chain(self._gradients(trial), self._kept(trial), self._reached(trial))
        return next((Failed("b", reason) for reason in reasons), None)

    def advances(self, trial: Trial) -> Failed | None:
        """Return what speaks against a candidate as one edit of several: it may still fail."""
        truth = () if trial.candidate.own_truth else self._truth
        if name := differing_leaf(trusted_backwards(trial.cloned), truth):
            return Failed("b", f"the gradient of {name} is not that of the original")
        return self._check_recording(trial)

    def _check_recording(self, trial: Trial) -> Failed | None:
        reasons = chain(self._leaves(trial), self._updates_shared(trial))
        checks = {"b": reasons, "c": self._values(trial), "d": self._write(trial)}
        return next((Failed(each, why) for each, found in checks.items() for why in found), None)

    def judge(self, trial: Trial) -> Passed | Failed:
        failed = self.check_replays(trial) or failure_of(trial.timeline.outcome)
        if failed := failed or self._check_recording(trial):
            return failed
        candidate = trial.candidate
        keeps_start, changed = describe_changes(self, trial)
        if (changed or not keeps_start) and "option_off" in candidate.kinds:
            return Failed("c", "more than the write is left out")
        # Of a refused write the loss is not known; then all that it would have changed counts.
        keeps_loss = keeps_start and (self.allowed is None or changed is None)
        if self._is_outdated and self._differs_computed_again(trial, keeps_loss=keeps_loss):
            return Failed("b", "computed again, the graph has other values")
        # Whether the gradients were compared with the original's, every backward.
        own = candidate.own_truth or candidate.usual
        compared = not own and 0 < len(self._truth) >= len(trial.bare.backwards)
        return Passed(
            keeps_loss=keeps_loss,
            keeps_gradient=not candidate.cuts or compared,
            forward_changes=changed,
            delivered=self._delivered(trial.bare),
            computes=describe_gradients(self, trial) if candidate.usual else None,
        )

    def _differs_computed_again(self, trial: Trial, *, keeps_loss: bool) -> bool:
        """Whether it goes on with a graph whose inputs changed, unlike what computes it again."""
        kind = trial.candidate.kind
        if kind in kinds.COMPUTED_AGAIN and (self._again is None or self._again[0] is trial):
            self._again = trial, keeps_loss
        if self._again is None or kind not in kinds.COMPUTED_AGAIN | {"retain_graph"}:
            return False
        meant, keeps = self._again
        other = differing_leaf(trial.bare.backwards, meant.bare.backwards)
        return other is not None or keeps_loss != keeps

    def _gradients(self, trial: Trial) -> Iterator[str]:
        """(b) The gradients are the true ones."""
        candidate, got, replayed = trial.candidate, trial.bare.backwards, trial.cloned.backwards
        truth = () if candidate.own_truth or candidate.usual else self._truth
        if any(backward.raised for backward in got):
            yield "a backward raised"
        if len(got) != len(replayed) or len(got) < len(truth):
            yield "the backwards are not the same"
        if name := differing_leaf(got, replayed):
            yield f"the replay delivers another gradient of {name}"
        if (name := differing_leaf(got, truth)) and not same_backwards_reordered(
            self.source, self.replay, candidate.source, trial.bare
        ):
            yield f"the gradient of {name} is not that of the original"

    def _kept(self, trial: Trial) -> Iterator[str]:
        """(b) All that got a gradient, at a backward or at a step, gets it, and moves as it did."""
        cloned = trial.cloned
        if lost := leaves_with_gradients(self._truth) - leaves_with_gradients(cloned.backwards):
            yield f"{min(lost)} gets no gradient any more"
        if missed := steps_with_gradients(self.replay) - steps_with_gradients(cloned):
            yield f"{min(missed)} has no gradient at a step that had one"
        if self._ends and (still := set(self.replay.moved) - set(cloned.moved)):
            yield f"{min(still)} is not updated any more"
        idle = idle_steps(trial.candidate.source, cloned.steps)
        if idle - idle_steps(self.source, self.replay.steps):
            yield "an optimizer has no gradient for any of its steps"
        # Computed again, the graph would be that of the values it has by now.
        for name in (name for each in cloned.backwards for name in each.moved):
            if self._is_freed:
                yield f"{name} has changed since the graph was computed"

    def _reached(self, trial: Trial) -> Iterator[str]:
        """(b) A backward goes on from what was written to what that was computed from."""
        backwards = trial.cloned.backwards
        if any(each.unsure and each.unsure.reason in OF_WRITES for each in backwards):
            yield "a write is not recorded, and no gradient goes through it"
        if "under_no_grad" in trial.candidate.kinds and any(
            {_ENDS.split(alone(got.tensor))[0] for got in each.gradients} <= self._buffers
            for each in backwards
        ):
            yield "a backward reaches nothing but what was written"
        lost = self.site.lost
        if lost and leaves_with_gradients(backwards).isdisjoint(map(alone, lost)):
            yield f"{lost[0]} has no gradient yet"

    def _delivered(self, bare: Evidence) -> frozenset[str]:
        """Return the leaves with gradients; of a program whose end is unknown, with their steps."""
        taken = {} if self._ends else steps_with_gradients(bare)
        steps = {f"{name} {i}" for name, count in taken.items() for i in range(count)}
        return leaves_with_gradients(bare.backwards) | steps

    def _leaves(self, trial: Trial) -> Iterator[str]:
        """(b) No leaf loses its gradient."""
        end, now = (each.at(len(each) - 1) for each in (self.site.timeline, trial.timeline))
        leaves = (each for each in end.tensors.values() if each.takes_gradient)
        others = self._buffers | self._bound_later
        for name in (name for each in leaves for name in each.names[:1]):
            held = now.named(name)
            if held and not held.takes_gradient and _ENDS.split(name)[0] not in others:
                yield f"{name} is no longer a leaf"

    def _values(self, trial: Trial) -> Iterator[str]:
        """(c) Until the fault, every value is the original's."""
        candidate, fault = trial.candidate, self.site.fault
        if candidate.kinds <= kinds.STAYS_IN_PLACE | {"step_after"} or (
            candidate.own_truth and self._is_freed
        ):
            # In a function or a loop, the statement has written, or freed, without harm before.
            visit = self.site.timeline.steps[self._first_visit :][:1]
            fault = min([fault, *(each.began for each in visit)])
        if self.site.lost:
            # From the first backward on, values may follow from other gradients.
            lines = {each.line for each in self.replay.backwards}
            fault = next((each.began for each in self.site.timeline if each.line in lines), fault)
        gone = _spelled(self.site.tree) - _spelled(parsed(candidate.source))
        if candidate.usual and candidate.rebuilt:
            # What is computed later calls its functions later: their names held other things then.
            gone |= self._bound_in_calls
        for name, moments in self.histories.items():
            now, (first, *rest) = trial.histories.get(name, ()), _ENDS.split(name)
            parts = [first, *(f".{each}" for each in rest)]
            if name in (self.unstable or ()) or is_gradient(name) or not gone.isdisjoint(parts):
                continue
            if name in candidate.rebuilt:
                held = {each.content for each in now}
                # Under a transform a tensor has no values that can be read.
                if held and not candidate.usual and moments[-1].content not in held:
                    yield f"{name} does not come to hold what it did"
                continue
            # An element of a list that holds other things now; a local of what is not run any more.
            is_other = name.partition("[")[0] in candidate.rebuilt
            is_left_out = not now and candidate.kind == "option_off"
            before = [each for each in moments if each.step < fault]
            if not (is_other or is_left_out or starts_with(now, before)):
                yield f"{name} has other values before the fault"
        before_text = self.site.timeline.printed(until=fault)
        if not trial.timeline.printed().startswith(before_text):
            yield "other text is printed before the fault"

    def _write(self, trial: Trial) -> Iterator[str]:
        """(d) What was to be written is there."""
        candidate = trial.candidate
        # Of steps that wrote, how many have a gradient was compared.
        steps = {write.is_step for write in self.site.writes} == {True}
        is_told = (
            candidate.kinds <= kinds.FLAGS  # a module returns what it would have written
            or candidate.kind == "other_mode"  # the write stands as it was
            or (candidate.rebuilt and not candidate.usual)  # its last value was compared
            # By other gradients, or from other values.
            or (candidate.usual and (steps or candidate.kind in kinds.STAYS_IN_PLACE))
        )
        if not is_told and any(map(self._left_behind(trial).isdisjoint, self._wanted)):
            yield "what was to be written is nowhere"

    def _updates_shared(self, trial: Trial) -> Iterator[str]:
        """(b) Gradients are added up only where they are for the same update.

        Adversaries must not get each other's: a discriminator that is given the generator's
        gradient, too, learns to be deceived.
        """
        updated: dict[int, set[int | None]] = defaultdict(set)
        stepped = any(write.is_step for write in self.site.writes)
        adds_up = stepped and trial.candidate.kinds & {"joint_loss", "steps_last", "backward_first"}
        for step in trial.timeline if adds_up else ():
            updated[step.line] |= {each.storage for each in step.mutations if each.is_step}
        wrote = filter(None, updated.values())
        if any(one.isdisjoint(other) for one, other in combinations(wrote, 2)):
            yield "another update would get the gradient, too"

    def _left_behind(self, trial: Trial) -> set[Content | None]:
        """Return what the statement that writes, or what was put in its place, left behind.

        Elsewhere another tensor may hold the same values for reasons of its own. But what no op
        wrote, such as a thread, is seen wherever the program then is.
        """
        writes = self.site.writes
        by_op = any(not is_uncounted(w) or (w.op or "").startswith("Tensor.") for w in writes)
        parts = (range(each.lineno, (each.end_lineno or 0) + 1) for each in self.site.culprits)
        here = counterparts(self.source, trial.candidate.source, set(chain(*parts)))
        return {
            content_of(tensor, snapshot)
            for step in trial.timeline
            if not by_op or here.intersection(range(step.line, step.end_line + 1))
            for snapshot in (trial.timeline.at(step.index),)
            for tensor in changed_tensors(step, snapshot)
        }


def _before_cut(site: FaultSite, cloned: Evidence) -> int | None:
    """Return how many backwards ran before a leaf was lost; None where none was.

    Later ones deliver to a tensor that no name reaches: no truth to be equal to.
    """
    timeline = site.timeline
    if site.blame is None or site.blame.cut is None:
        return None
    if isinstance(timeline.outcome, Completed):
        end = timeline.at(len(timeline) - 1)
        left = (end.tensors.get(event.before) for _, event in lost_leaves(timeline))
        if any(each is not None and each.grad is not None and each.names for each in left):
            return None  # only one of its names left it
    cut = timeline.index.visits.get(site.blame.cut, [len(timeline)])[0]
    lines = {backward.line for backward in cloned.backwards}
    return sum(step.line in lines for step in timeline.steps[:cut])


def _spelled(tree: ast.AST) -> set[str]:
    attributes = {f".{each.attr}" for each in nodes(ast.Attribute, tree)}
    return names(tree) | attributes | {each.arg for each in nodes(ast.arg, tree)}


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


def _written(site: FaultSite, allowed: Timeline | None) -> list[set[Content | None]]:
    """Return, for each write at fault, what the tensors with that memory held after it."""
    timeline, steps = site.timeline, list[tuple[int, int | None]]()
    if site.culprits and backward_of(site.text.source, site.culprits[0].lineno):
        return []  # all that it makes is the gradient, which was compared under (b)
    if allowed is None:
        steps = [
            (step.index, each.storage)
            for write in site.writes
            if (step := site.step_of(write)) is not None
            # Of an optimizer all parameters: others may get a gradient more.
            for each in (step.mutations if write.is_step else (write,))
        ]
    elif isinstance(timeline.outcome, Raised) and (raising := raising_step(timeline)) is not None:
        timeline = allowed
        later = allowed.steps[raising.index :]
        steps = [(step.index, event.storage) for step in later for event in step.mutations][:1]
    found = []
    for index, storage in steps:
        snapshot = timeline.at(index)
        shared = [] if storage is None else sharing(snapshot).get(storage, ())
        if held := {content_of(each, snapshot) for each in shared} - {None}:
            found.append(held)
    return found


# What a fix changes: where backward starts from, and the values that come out.

MAX_CHANGES = 3
"""Changed values that are listed; the rest is counted."""

WIDTH = 32
"""Cells that a changed value may take."""

_DRAWS = re.compile(r"\b(?:rand\w*|normal|bernoulli|multinomial|poisson)\(")
"""Calls that draw random numbers: repeated, they give others."""


def describe_changes(original: FixJudge, trial: Trial) -> tuple[bool, LocalText | None]:
    """Return whether backward starts from the same values, and say which come out otherwise.

    That a variable keeps what it held before the write at fault is what a fix is for; so is what
    follows from the first update by another gradient.
    """
    site, timeline = original.site, original.allowed or original.site.timeline
    texts = []
    culprits = site.culprits if original.allowed is None else ()
    wrote = {step for each in culprits for step in site.steps(each)}
    spelled = {name for each in culprits for name in names_in(original.source, each.lineno)}
    ended = isinstance(timeline.outcome, Completed)
    updated = _updated(original, trial, ended=ended)
    # An argument has its name only after a function's first line, which may be new.
    added = counterparts(original.source, trial.candidate.source, set())
    for name, moments in original.meant_histories.items():
        now = trial.histories.get(name, ())
        of_gradient = is_gradient(name) or (
            moments and backward_of(original.source, timeline.steps[moments[0].step].line)
        )
        if name in (original.unstable or ()) or of_gradient or not now:
            continue
        if name.isidentifier() and name in spelled:
            kept = [each for each in moments if each.step not in wrote]
            if starts_with(now, kept) and now[-1].content in {each.content for each in kept}:
                continue
        old = [each for each in now if trial.timeline.steps[each.step].line not in added]
        first = _first_difference(now, moments, ended=ended)
        if old and _first_difference(old, moments, ended=ended) is None:
            continue
        if first is not None and first[0].step < updated:
            # Of a run that ended early, the last value is that of another round.
            mine, true = (now[-1], moments[-1]) if ended else first
            pair = (value_summary(mine, trial.timeline), value_summary(true, timeline))
            if pair[0] != pair[1]:
                texts.append(fill(FixEffectTexts.value, name=name, now=pair[0], before=pair[1]))
    starts = list(_changed_starts(original, trial))
    texts = texts or [text for began, text in starts if began <= updated]
    text, other = timeline.printed(), trial.timeline.printed()
    if not (text.startswith(other) or other.startswith(text) or other == original.replay.printed):
        texts.append(FixEffectTexts.output)
    if not texts:
        return not starts, None
    both, rest = FixEffectTexts.both, len(texts) - MAX_CHANGES
    told = reduce(lambda one, two: fill(both, one=one, other=two), texts[:MAX_CHANGES])
    return not starts, told if rest <= 0 else fill(FixEffectTexts.more, changes=told, count=rest)


def _changed_starts(original: FixJudge, trial: Trial) -> Iterator[tuple[float, LocalText]]:
    """Yield what backward comes from that has other values than in the original.

    First the step at which it begins, if it can be said from which other value; then the text.
    """
    reader, timeline = original.site.reader, original.site.timeline
    visits = () if reader is None else timeline.index.visits.get(reader.lineno, ())
    if reader is None or not visits:
        return
    before = timeline.at(timeline.steps[visits[-1]].began - 1)
    statements = nodes(ast.stmt, parsed(trial.candidate.source))
    alike = {each.lineno for each in statements if ast.dump(each) == ast.dump(reader)}
    steps = [each for each in trial.timeline if each.line in alike][: len(visits)]
    after = trial.timeline.at(steps[-1].began - 1) if steps else EMPTY
    for name in names_in(original.source, reader.lineno):
        held, mine = before.named(name), after.named(name)
        if held is None or is_gradient(name) or name in (original.unstable or ()):
            continue
        found = {None if mine is None else content_of(mine, after)}
        if not steps:  # the line is another one
            found = {each.content for each in trial.histories.get(name, ())}
        if content_of(held, before) not in found:
            now = "?" if mine is None else values.summary(mine, after, WIDTH)
            true = values.summary(held, before, WIDTH)
            text = fill(FixEffectTexts.loss, name=name, now=now, before=true)
            yield (steps[-1].began if steps and now != true else inf), text


def _first_difference(
    now: Sequence[HeldValue], moments: Sequence[HeldValue], *, ended: bool
) -> tuple[HeldValue, HeldValue] | None:
    """Return the first value of `now` that differs, or its last one, with what is in its place.

    Runs that `ended` are to end with the same value, too.
    """
    at = common_values(now, moments)
    if at == len(moments) and not (ended and now[-1].content != moments[-1].content):
        return None
    return now[min(at, len(now) - 1)], moments[min(at, len(moments) - 1)]


def _updated(original: FixJudge, trial: Trial, *, ended: bool) -> int:
    """Return the step of a trial's first update after a gradient that is another one there."""
    theirs, timeline = original.meant_histories, trial.timeline
    since = len(timeline)
    for name, now in trial.histories.items():
        if is_gradient(name):
            is_new = trial.candidate.usual or name not in theirs
            first = now if is_new else _first_difference(now, theirs[name], ended=ended)
            since = min(since, first[0].step) if first else since
    updates = (
        step.index
        for step in timeline.steps[since:]
        for write in step.mutations
        for each in timeline.at(step.index).tensors.values()
        if each.storage == write.storage is not None and each.takes_gradient
    )
    return next(updates, len(timeline))


def describe_gradients(original: FixJudge, trial: Trial) -> LocalText:
    """Say what the usual way computes instead: in words, and the first gradient that differs."""
    source, edited, reader = original.source, trial.candidate.source, original.site.reader
    meaning = COMPUTES.get(trial.candidate.kind, FixEffectTexts.other)
    if len(_DRAWS.findall(edited)) > len(_DRAWS.findall(source)):
        meaning = fill(FixEffectTexts.drawn_anew, meaning=meaning)
    pairs = backwards_in_pairs(source, original.replay, edited, trial.bare)
    pairs.sort(key=lambda pair: reader is None or pair[1].line != reader.lineno)
    for mine, true in pairs:
        for each in differences(mine, true):
            if each.got != each.true:
                return fill(
                    FixEffectTexts.gradient,
                    meaning=meaning,
                    name=each.tensor,
                    line=None if true.line is None else line_name(source, true.line),
                    now=each.got,
                    before=each.true,
                )
    return meaning
