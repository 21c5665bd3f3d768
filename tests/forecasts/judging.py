"""Every forecast of a whole run, held against what torch did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from forecasts.replays import Moment, ask
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.forecast.forecast import (
    Forecast,
    NotNeeded,
    Runs,
    RunsWrong,
    StepForecasts,
    Unknown,
)
from support.extra_backwards import DIED, Tried
from support.foretold import contradiction
from support.recording import record


@dataclass(frozen=True)
class Silent:
    """A tensor of which the graph does not tell, and what torch did with it."""

    step: Step
    name: str
    told: Unknown
    tried: Tried
    true: Tried | None


@dataclass
class Found:
    """What came of one program, or of many."""

    steps: int = 0
    said: Counter[str] = field(default_factory=Counter)
    """Forecasts by kind; those that a clone could not verify, as `not compared`, among them."""

    silences: Counter[str] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)
    silent: list[Silent] = field(default_factory=list)
    last: dict[str, Forecast] = field(default_factory=dict)
    """By name, after the last step."""

    def add(self, other: Found) -> None:
        """Take in what came of another program."""
        self.steps += other.steps
        self.said += other.said
        self.silences += other.silences
        self.contradictions += other.contradictions
        self.silent += other.silent

    def __str__(self) -> str:
        total = sum(count for kind, count in self.said.items() if kind != "not compared")
        share = self.said["Unknown"] / max(total, 1)
        return (
            f"{self.steps} steps, {total} forecasts {dict(self.said)}, ? {share:.1%} "
            f"{dict(self.silences)}, {len(self.contradictions)} contradictions"
        )


def judge(program: Program, *, forked: bool = True) -> Found:
    """Return what is said of every tensor with a graph at every step, and where it is not so.

    Args:
        program: whose filename, without `forked`, is the default.
        forked: as for `ask`.
    """
    found = Found()
    bare = ask(program, clone=False, forked=forked)
    cloned = _alike(bare, ask(program, clone=True, forked=False))
    steps = [each.step for each in bare] if forked else record(program.source).steps
    assert [_place(step) for step in steps] == [_place(each.step) for each in bare]
    timeline = Timeline()
    for step, moment in zip(steps, bare, strict=True):
        timeline.append(step)
        found.steps += 1
        true = next(cloned, None)
        found.last = dict(_forecasts(timeline, moment, program.source))
        for name, told in found.last.items():
            _weigh(found, moment, name, told, true)
    return found


def _place(step: Step) -> tuple[int, int]:
    return step.line, step.visit


def _alike(bare: list[Moment], cloned: list[Moment]) -> Iterator[Moment]:
    """Yield the moments of the run with clones, as long as it is the same run."""
    for one, other in zip(bare, cloned, strict=False):
        if _place(one.step) != _place(other.step) or one.state != other.state:
            return
        yield other


def _forecasts(timeline: Timeline, moment: Moment, source: str) -> Iterator[tuple[str, Forecast]]:
    reading = StepForecasts(timeline, moment.step.index, source)
    for row in timeline.at(moment.step.index).tensors.values():
        told = reading.of(row.id)
        if not row.is_leaf or not isinstance(told, NotNeeded):
            yield next((name for name in row.names if name in moment.tries), row.names[0]), told


def _weigh(found: Found, moment: Moment, name: str, told: Forecast, true: Moment | None) -> None:
    step, tried = moment.step, moment.tries.get(name)
    verified = None if true is None or true.doubted else true.tries.get(name)
    found.said[type(told).__name__] += 1
    problem = contradiction(told, tried, verified)
    if tried is None:
        problem = "it was not there to be tried"
    elif isinstance(told, Unknown):
        found.silences[told.why] += 1
        if tried.error != DIED:  # a replay would wait as long as it may, and die as well
            found.silent.append(Silent(step, name, told, tried, verified))
    elif isinstance(told, Runs | RunsWrong) and verified is None:
        found.said["not compared"] += 1
    if problem is not None:
        found.contradictions.append(
            f"line {step.line}, visit {step.visit}, {name}: {told}: {problem}"
        )
