"""Whether a claim holds of a run; if not, what was claimed and what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import UNSET, structs

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.problems import fill
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Raised,
    Stopped,
    TimedOut,
    Truth,
    Wrong,
)
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.common.run.step import Printed, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.authoring import AuthoringTexts, ClaimTexts
from inplace_tui.common.texts.doubts import DOUBTS
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.version_error import with_short_producer
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course.lesson import Claim, TensorClaim
from inplace_tui.tutorial.course.lessons.strict_yaml import Path
from inplace_tui.tutorial.course.lessons.tensor_claims import tensor_reasons


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended, with what its replays showed."""

    timeline: Timeline
    truth: Truth
    anchors: dict[str, int] = field(default_factory=dict)
    """Anchor to the first line of its statement, in the program that ran."""

    source: str = ""

    @property
    def ending(self) -> Ending:
        assert self.timeline.outcome is not None, "it has ended"
        return ending_of(self.timeline.outcome, self.truth)


def mismatches(claim: Claim, run: FinishedRun, at: int | None) -> list[LocalText]:
    """Return why `claim` is not true of `run`; nothing if it is true.

    `at` is the index of the step where it stands; None is the end of the run, and what is claimed
    of output is then claimed of all of it.
    """
    return [*_run_mismatches(claim, run, at), *_step_mismatches(claim, run, at)]


def needs_truth(claim: Claim) -> bool:
    """Whether only the replays can say if the claim holds."""
    by_truth = claim.ends in {Ending.RIGHT, Ending.WRONG}
    return by_truth or claim.saved_by is not None or claim.changed_by is not None


def parts(claim: Claim) -> Iterator[tuple[Path, Claim]]:
    default = Claim()
    for name in Claim.__struct_fields__:
        value = getattr(claim, name)
        if name != "tensors" and value != getattr(default, name):
            yield (name,), Claim(**{name: value})
    for name, tensor in claim.tensors.items():
        given = {each: getattr(tensor, each) for each in TensorClaim.__struct_fields__}
        fields = {each: value for each, value in given.items() if value is not UNSET}
        if not fields:
            yield ("tensors", name), Claim(tensors={name: tensor})
        for field_name, value in fields.items():
            part = TensorClaim(**{field_name: value})
            yield ("tensors", name, field_name), Claim(tensors={name: part})


def find_visit(run: FinishedRun, anchor: str) -> Step | None:
    """Return the step at an anchor: the first visit of its line, or the `#n`-th."""
    name, _, number = anchor.partition("#")
    line, wanted = run.anchors.get(name), int(number or 1)
    for step in run.timeline:
        if step.line == line and step.visit == wanted:
            return step
    return None


def not_visited(run: FinishedRun, anchor: str) -> list[LocalText]:
    name, _, wanted = anchor.partition("#")
    visits = sum(step.line == run.anchors.get(name) for step in run.timeline)
    values = {"anchor": name, "visits": visits, "wanted": wanted or 1}
    return [fill(AuthoringTexts.not_visited, **values)]


def _run_mismatches(claim: Claim, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    outcome = run.timeline.outcome
    if claim.ends is not None:
        so_far = claim.ends is Ending.RUNS and run.ending.is_complete
        if claim.ends is not run.ending and not so_far:
            yield fill(ClaimTexts.ends, claimed=ENDINGS[claim.ends], seen=how_it_ended(run))
    if claim.match is not None:
        yield from _message_mismatch(claim.match, run, at)
    if claim.raised_by is not None:
        line = outcome.line if isinstance(outcome, Raised) else None
        yield from _line_mismatch(
            run, ClaimTexts.raised_by, claim.raised_by, line, run.timeline.steps[-1:]
        )
    if claim.saved_by is not None or claim.changed_by is not None:
        found = find_blame(run.timeline, run.truth, source=run.source)
        yield from _blame_mismatches(claim, run, found)


def goes_as_far(run: FinishedRun, ends: Ending | None) -> bool:
    """Whether a run ends as it should, whatever its gradients are."""
    return ends in {None, run.ending} or (ends.is_complete and run.ending.is_complete)


_SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError")


def is_slip(run: FinishedRun, claims: Iterable[Claim]) -> bool:
    """Whether it raised as a program with a mistake of its author's does, and nobody claims that.

    What else is not as claimed follows from it.
    """
    outcome = run.timeline.outcome
    if not isinstance(outcome, Raised) or outcome.exception not in _SLIPS:
        return False
    return not any(each.match and each.match in outcome.message for each in claims)


def how_it_ended(run: FinishedRun) -> LocalText:
    outcome, truth, how = run.timeline.outcome, run.truth, ENDINGS[run.ending]
    match outcome:
        case Completed() if isinstance(truth, Wrong):
            first = truth.differences[0]
            values = {"tensor": first.tensor, "got": first.got, "true": first.true}
            how = fill(ClaimTexts.wrong, how=how, **values)
        case Completed() if isinstance(truth, NotReproducible):
            why = fill(DOUBTS[truth.reason], **structs.asdict(truth))
            how = fill(ClaimTexts.not_judged, how=how, reason=why)
        case Raised():
            error = f"{outcome.exception}: {outcome.message}"
            how = fill(ClaimTexts.raised_there, how=how, line=outcome.line, error=error)
        case TimedOut() | Stopped() | Crashed():
            how = in_each(lambda language: ending_text(outcome, truth, language, run.source))
        case _:
            pass
    return how


def _message_mismatch(claimed: str, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    """Look in the message that ended the run, else in those that the program caught."""
    outcome = run.timeline.outcome
    if isinstance(outcome, Raised):
        messages = [outcome.message]
    else:
        upto = len(run.timeline) if at is None else at + 1
        messages = [step.raised for step in run.timeline.steps[:upto] if step.raised]
    if any(claimed in text for each in messages for text in (each, with_short_producer(each))):
        return
    if messages:
        yield fill(ClaimTexts.match, claimed=claimed, seen=messages[-1])
    else:
        yield fill(ClaimTexts.match_nothing, claimed=claimed)


def _blame_mismatches(claim: Claim, run: FinishedRun, found: Blame | None) -> Iterator[LocalText]:
    saver = None if found is None else found.saver
    change = found.writes[0] if found is not None and found.writes else None
    if claim.saved_by is not None:
        line = None if saver is None else saver.line
        steps = [] if saver is None else _savers(run, saver)
        yield from _line_mismatch(run, ClaimTexts.saved_by, claim.saved_by, line, steps)
    if claim.changed_by is not None:
        line = None if change is None else change.line
        steps = [step for step in run.timeline if change is not None and change in step.events]
        # A refused write left no event: it is the line that raised.
        steps = steps or run.timeline.steps[-1:]
        yield from _line_mismatch(run, ClaimTexts.changed_by, claim.changed_by, line, steps)


def _savers(run: FinishedRun, saver: Saver) -> list[Step]:
    wanted = (saver.node, saver.line, saver.slot, saver.version)
    steps: list[Step] = []
    for step in run.timeline:
        nodes = run.timeline.at(step.index).nodes
        slots = ((nodes[slot.node], slot) for slot in step.saved)
        if wanted in [(node.name, node.line, slot.slot, slot.version) for node, slot in slots]:
            steps.append(step)
    return steps


def _line_mismatch(
    run: FinishedRun, role: LocalText, claimed: str, line: int | None, steps: list[Step]
) -> Iterator[LocalText]:
    """Check that a line is the one of an anchor, on its visit if one is named."""
    name, _, number = claimed.partition("#")
    visits = [step.visit for step in steps if step.line <= (line or 0) <= step.end_line]
    there = line is not None and line in _lines(run, name)
    if there and (not number or int(number) in visits):
        return
    if line is None:
        seen = ClaimTexts.nobody
    elif there:
        seen = fill(ClaimTexts.line_visit, line=line, visits=tuple(visits))
    else:
        seen = fill(ClaimTexts.line, line=line)
    yield fill(ClaimTexts.by, role=role, claimed=claimed, seen=seen)


def _lines(run: FinishedRun, name: str) -> range:
    """Return the lines of an anchor's statement, as the run saw them."""
    first = run.anchors.get(name)
    if first is None:
        return range(0)
    ends = (step.end_line for step in run.timeline if step.line == first)
    return range(first, next(ends, first) + 1)


def _step_mismatches(claim: Claim, run: FinishedRun, at: int | None) -> Iterator[LocalText]:
    timeline = run.timeline
    last = len(timeline) - 1 if at is None else at
    ran = timeline.steps[: last + 1]
    if claim.warns is not None:
        warned = [event for step in ran for event in step.events if isinstance(event, Warned)]
        shown = [f"{event.category}: {event.message}" for event in warned]
        if not any(claim.warns in each for each in shown):
            seen = " / ".join(shown) or ClaimTexts.none
            yield fill(ClaimTexts.warns, claimed=claim.warns, seen=seen)
    if claim.prints is not None:
        began = 0 if at is None or not ran else ran[-1].began
        events = (event for step in ran[began:] for event in step.events)
        printed = "".join(e.text for e in events if isinstance(e, Printed) and e.stream == "stdout")
        if claim.prints not in printed:
            yield fill(ClaimTexts.prints, claimed=claim.prints, seen=printed or ClaimTexts.none)
    snapshot = timeline.at(last) if timeline.steps else EMPTY
    for name, each in claim.tensors.items():
        yield from tensor_reasons(name, each, snapshot)
