"""Explains one program: runs it, and again only as often as there is something to find.

A program that is fine runs twice: bare, and, on another core if there is one, with every saved
tensor cloned. Only one that fails, warns or differs is recorded line by line.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeAlias, TypeVar

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.own_files import OWN, FileGlobs, with_files
from inplace_tui.common.run.doubt import OF_WRITES
from inplace_tui.common.run.files import line_name, split_files
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    TimedOut,
    Truth,
    Unverified,
    Witnessed,
    Wrong,
)
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict, verdict_of_warning
from inplace_tui.diagnosis.blame.classify import (
    is_syntax_error,
    may_have_verdict,
    verdict_of_error,
    verdict_of_run,
)
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.blame.truth import (
    Evidence,
    ended_alike,
    not_reproduced,
    proves_right,
    truth_of,
    was_stopped,
)
from inplace_tui.diagnosis.blame.witnessed import caught_error, completed, located
from inplace_tui.diagnosis.drive.before_fault import copies_before_fault, worth_copying
from inplace_tui.diagnosis.drive.beside import ReplayBeside, has_room
from inplace_tui.diagnosis.drive.copies import FaultCopies
from inplace_tui.diagnosis.drive.fixes import FixTrials
from inplace_tui.diagnosis.drive.runs import Leftovers, Runner, evidence, record
from inplace_tui.diagnosis.explain.explanation import Case, Reruns, Untried
from inplace_tui.diagnosis.explain.stacks import step_to_follow, with_stacks
from inplace_tui.diagnosis.protocol.messages import Ready
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker

MIN_BUDGET, MAX_BUDGET = 30.0, 300.0
"""Seconds for all runs after the first, which may take as long as it likes."""

BUDGET_RUNS, LONG_RUNS = 12, 2.5
"""The default budget of all other runs, as a multiple of the first run's seconds; of a long one it
holds a run up to the fault, and a whole one of the best fix."""

OUTPUT_BYTES = 2**28
"""What is passed on of what the first run writes."""

HEAVY = 100
"""Modules that it takes long to import."""

ENDLESS_SECONDS = 5.0
"""Seconds of a recording that only shows where an endless program is."""

ENOUGH_AFTER = 1 / 6
"""The part of the budget after which one good fix is enough."""

DIGESTS_ONLY = Detail(elements=False, digests=True)
FIRST = Detail(elements=False, digests=True, witness=True, output=True, timed=True)
WHOLE = Detail(elements=True, digests=True)


@dataclass(frozen=True)
class Options:
    """How far an explanation goes."""

    budget: float | None = None
    """Seconds for all runs after the first; None for what the first one's length asks for."""

    once: bool = False
    """The program's own run alone: what the witness saw, without truth and fixes."""

    in_place: bool = False
    """Runs after the first change the user's files, too, where they write."""

    seconds: float | None = None
    """After which the program's own run is ended, if it is to be."""

    resident_bytes: int | None = None
    """What a process of the program may hold in memory; None for what `Limits` says."""

    alone: bool = False
    """No other program is explained by the same worker: what it imports, it may import once."""

    globs: FileGlobs = OWN
    """Which files are recorded beside the program itself."""


@dataclass(frozen=True)
class Activity:
    """What an explanation is doing."""

    stage: str
    """A key of `STAGES` in `common/texts/explain.py`."""

    runs: int
    """How often the program, or an edit of it, has been run, with the run under way."""

    tried: int = 0
    total: int = 0
    """Fixes that have been tried, and that there are by now."""


def no_replays(worker: Worker, options: Options) -> str | None:
    """Return why a program can run once only; None if it can run again."""
    state = worker.state
    return state.no_view if isinstance(state, Ready) and not options.in_place else None


Progress: TypeAlias = str | Activity | Case | FixSearch
"""What the first run writes; what is done next, and after each fix that was tried; what is known
when the first run has failed, without a timeline, and before fixes are tried; how far that came."""


async def explain(
    worker: Worker,
    program: Program,
    options: Options,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Case:
    """Run a program as often as it takes, and return what is known of it.

    It is watched with all files of the user's own that it imports. Its first run is in place;
    what comes after sees the files as that run left them, without what it would refuse to make
    again, and changes none, unless `options.in_place` allows it. Where neither can be, the first
    run is the only one.
    """
    program = with_files(program, options.globs)
    replays = Replays(worker, program, on_progress, options.resident_bytes)
    return await _Explainer(worker, options, replays, on_progress).explain()


@dataclass
class _Explainer:
    """Decides which runs an explanation needs."""

    _worker: Worker
    _options: Options
    _replays: Replays
    _on_progress: Callable[[Progress], None]
    _seen: tuple[Witnessed, ...] = ()
    _libraries: tuple[tuple[str, ...], str] = ((), "")
    _search: FixSearch = field(default_factory=FixSearch)
    _beside: ReplayBeside | None = None

    def __post_init__(self) -> None:
        self._began = monotonic()
        self._first: Evidence | None = None
        self._copies: FaultCopies | None = None
        self._program = self._replays.program
        self._budget = self._options.budget or MIN_BUDGET
        self._reruns = Reruns.NOT_POSSIBLE
        if self._options.once:
            self._reruns = Reruns.NOT_WANTED
        elif self._options.in_place:
            self._reruns = Reruns.IN_PLACE
        elif no_replays(self._worker, self._options) is None:
            self._reruns = Reruns.IN_VIEW

    def _begin(self, stage: str) -> None:
        self._on_progress(Activity(stage, self._replays.runs + 1))

    async def explain(self) -> Case:
        """Run the program, look into what happened, and return what is known."""
        self._begin("running")
        if self._reruns is Reruns.IN_VIEW and has_room():
            limits, seconds = self._replays.limits, self._budget
            self._beside = ReplayBeside(self._worker, self._program, limits, DIGESTS_ONLY, seconds)
        try:
            return await self._explained()
        finally:
            self._forget_beside()

    def _forget_beside(self) -> None:
        if self._beside is not None:
            self._beside.stop()
        self._beside = None

    async def _explained(self) -> Case:
        first = await self._first_run()
        if not self._reruns.has_any:
            return self._seen_once(first.outcome)
        first = await self._with_all_files(first)
        if isinstance(first.outcome, Completed):
            return await self._completed(first)
        self._forget_beside()
        if isinstance(first.outcome, Raised):
            return await self._investigate(first.outcome, Unverified())
        return self._case(await self._locate_end(first.outcome), Unverified())

    def _seen_once(self, outcome: Outcome) -> Case:
        """Return what was seen in the only run."""
        kind, caught = self._kind(outcome)
        seen = None if kind is None else completed(None, self._seen, self._program)
        if isinstance(outcome, Raised):
            return self._case(caught or outcome, Unverified(), kind, blame=seen)
        return self._case(outcome, Unverified(), kind, blame=seen, caught=caught)

    def _kind(self, outcome: Outcome) -> tuple[Verdict | None, Raised | None]:
        """Return the verdict on an ending of the first run, and the error that it caught, if any.

        A program may end as it does because of an error that it caught, as pytest does.
        """
        if isinstance(outcome, Raised) and may_have_verdict(outcome):
            return verdict_of_error(outcome), None
        if isinstance(outcome, Raised | Completed) and (
            caught := caught_error(self._seen, self._program)
        ):
            return verdict_of_error(caught), caught
        return self._replays.warning if isinstance(outcome, Completed) else None, None

    # What each ending needs.

    async def _completed(self, first: Evidence) -> Case:
        self._begin("comparing")
        cloned = None
        if first.is_whole:
            cloned = await self._replays.in_time(self._cloned(first), Untried.GRADIENTS)
        else:
            self._forget_beside()
            self._replays.leave_out(Untried.GRADIENTS)
        truth = await self._truth(first, cloned)
        kind = self._replays.warning
        if kind is not None or isinstance(truth, Wrong):
            return await self._investigate(first.outcome, truth, kind)
        caught = caught_error(self._seen, self._program)
        if caught is not None:
            return await self._caught(first.outcome, truth, caught)
        is_doubted = isinstance(truth, NotReproducible) and truth.reason in OF_WRITES
        if is_doubted or (isinstance(truth, Right) and truth.without_gradient):
            return await self._unreached(first.outcome, truth)
        return self._case(first.outcome, truth)

    async def _cloned(self, first: Evidence) -> Evidence:
        """Return what a replay with clones delivers: of the one beside the first run, if it can."""
        found = None if self._beside is None else await self._beside.found(first)
        if found is None:
            return await self._replays.evidence(Mode.CLONED, DIGESTS_ONLY)
        self._replays.runs += 1
        return found

    async def _unreached(self, outcome: Outcome, truth: Truth) -> Case:
        """Look for what lets gradients reach parameters that have none, or through each write."""
        self._begin("recording")
        timeline = await self._replays.record()
        if timeline is not None and isinstance(timeline.outcome, Completed):
            await self._find_fixes(None, timeline, truth, failures=False)
        return self._case(outcome, truth)

    async def _investigate(
        self, outcome: Outcome, truth: Truth, warned: Verdict | None = None
    ) -> Case:
        """Record the program, find who is to blame, and try what might help."""
        kind = Verdict.SILENTLY_WRONG if isinstance(truth, Wrong) else warned
        caught: Raised | None = None
        if isinstance(outcome, Raised):
            kind, caught = self._kind(outcome)
            if caught is None and not may_have_verdict(outcome):
                return self._case(outcome, truth)
        seen = completed(None, self._seen, self._program)
        if isinstance(outcome, Raised):
            self._on_progress(self._case(caught or outcome, truth, kind, blame=seen))
        first, replays, stop = self._first, self._replays, None
        if first is not None and caught is None:
            first = msgspec.structs.replace(first, outcome=outcome)
            stop = worth_copying(self._program, first, replays.limits)
        if first is None or stop is None:
            return await self._look_into(outcome, truth, kind, caught, seen)
        self._begin("copying")
        around = copies_before_fault(self._worker, self._program, first, stop, replays.limits)
        async with around as self._copies:
            replays.worker = self._copies or self._worker
            try:
                return await self._look_into(outcome, truth, kind, caught, seen)
            finally:
                replays.worker = self._worker
                replays.runs += 0 if self._copies is None else self._copies.runs

    async def _look_into(
        self,
        outcome: Outcome,
        truth: Truth,
        kind: Verdict | None,
        caught: Raised | None,
        seen: Blame | None,
    ) -> Case:
        """Record what fails, find who is to blame, and try what might help."""
        self._begin("recording")
        timeline = await self._replays.record()
        if timeline is None or was_stopped(timeline.outcome):
            self._replays.leave_out(Untried.FIXES)
        if timeline is None:
            return self._case(caught or outcome, truth, kind, blame=seen)
        alike = ended_alike(outcome, timeline.outcome)
        if alike and caught is not None:
            outcome = timeline.outcome = caught
        if not alike and not was_stopped(timeline.outcome):
            # What this recording shows is not what happened first.
            return self._case(outcome, not_reproduced(timeline.outcome), kind, blame=seen)
        kind = verdict_of_run(timeline, truth) or kind
        found = find_blame(timeline, truth, source=self._program.source)
        found = completed(found, self._seen, self._program)
        if kind is not None and alike:
            plain, found = found, await self._follow_write(found, timeline)
            self._on_progress(self._case(outcome, truth, kind, blame=found, timeline=timeline))
            # What was followed is not an event of this timeline any more.
            await self._find_fixes(plain, timeline, truth)
        return self._case(outcome, truth, kind, blame=found, timeline=timeline)

    async def _caught(self, outcome: Outcome, truth: Truth, caught: Raised) -> Case:
        """Report an error that the program caught: it ran to its end, there is nothing to fix."""
        found, kind = completed(None, self._seen, self._program), verdict_of_error(caught)
        self._on_progress(self._case(outcome, truth, kind, blame=found, caught=caught))
        self._begin("recording")
        timeline = await self._replays.record()
        if timeline is not None and ended_alike(outcome, timeline.outcome):
            timeline.outcome = caught
            found = find_blame(timeline, Unverified(), source=self._program.source)
            found = completed(found, self._seen, self._program)
        elif timeline is not None and not was_stopped(timeline.outcome):
            truth, timeline = not_reproduced(timeline.outcome), None
        return self._case(outcome, truth, kind, blame=found, timeline=timeline, caught=caught)

    async def _follow_write(self, found: Blame | None, timeline: Timeline) -> Blame | None:
        """Look for the place of the write in the code that the line at fault calls."""
        step = None if found is None else step_to_follow(timeline, found)
        if found is None or step is None:
            return found
        self._begin("inside")
        followed = await self._replays.record(follow=step)
        return found if followed is None else with_stacks(found, step, followed)

    async def _locate_end(self, outcome: Outcome) -> Outcome:
        """Return how it died, with the line: only a recording knows that."""
        timeline = None
        self._begin("recording")
        if isinstance(outcome, TimedOut):
            self._replays.allow(min(ENDLESS_SECONDS, self._budget))
            timeline = await self._replays.record(most=ENDLESS_SECONDS)
        elif isinstance(outcome, Crashed) and not outcome.worker_died:
            timeline = await self._replays.record()
        if timeline is None or type(timeline.outcome) is not type(outcome):
            return outcome
        assert isinstance(timeline.outcome, TimedOut | Crashed)
        return msgspec.structs.replace(outcome, line=timeline.outcome.line)

    # Whether its gradients are right.

    async def _first_run(self) -> Evidence:
        """Run it as its user would, once and alone, with the witness watching.

        What it loads beyond what its text imports is watched from then on.
        """
        replays = self._replays
        compared = self._budget if self._reruns.has_any else 0.0
        detail = msgspec.structs.replace(FIRST, compared_seconds=compared)
        seconds = self._options.seconds
        limits = msgspec.structs.replace(
            replays.limits, seconds=seconds, output_bytes=OUTPUT_BYTES, file_bytes=None
        )
        began = monotonic()
        first = await replays.evidence(Mode.BARE, detail, limits)
        if self._options.budget is None:
            once = monotonic() - began
            most = max(MAX_BUDGET, LONG_RUNS * once)
            self._budget = max(MIN_BUDGET, min(BUDGET_RUNS * once, most))
        replays.allow(self._budget)
        replays.in_view = self._reruns is Reruns.IN_VIEW
        replays.leftovers.first = first.outcome
        self._seen, self._first = first.seen, first
        self._libraries = first.libraries, first.surroundings
        self._program = with_files(self._program, self._options.globs, first.loaded)
        if not isinstance(first.outcome, Raised) or self._program.files == replays.program.files:
            return first
        return msgspec.structs.replace(first, outcome=located(first.outcome, self._program))

    async def _with_all_files(self, first: Evidence) -> Evidence:
        """Name what a run delivered by all files of the program: fewer were known when it ran."""
        replays = self._replays
        is_named = self._program.files == replays.program.files
        replays.program = self._program
        if is_named or isinstance(first.outcome, Raised):
            return first
        self._forget_beside()  # its names are those of the first run
        again = replays.evidence(Mode.BARE, DIGESTS_ONLY)
        renamed = await replays.in_time(again, Untried.GRADIENTS) if first.is_whole else None
        if renamed is None or not ended_alike(first.outcome, renamed.outcome):
            return first
        return msgspec.structs.replace(renamed, outcome=first.outcome)

    async def _truth(self, first: Evidence, cloned: Evidence | None) -> Truth:
        """Return whether the gradients are right; a program that is fine shows that at once."""
        if cloned is None:
            return Unverified()
        if proves_right(first, cloned):
            without = cloned.without_gradient
            return Right(asked=bool(first.backwards), without_gradient=without)

        async def compared() -> Truth:
            """Run it twice more, one after the other: at once they would disturb each other."""
            bare = await self._replays.evidence(Mode.BARE, WHOLE)
            return truth_of(first, bare, await self._replays.evidence(Mode.CLONED, WHOLE))

        return await self._replays.in_time(compared(), Untried.GRADIENTS) or Unverified()

    async def _find_fixes(
        self, found: Blame | None, timeline: Timeline, truth: Truth, *, failures: bool = True
    ) -> None:
        """Try what might help; without `failures` nothing is said of what did not."""
        self._begin("fixing")
        replays = self._replays
        names, surroundings = self._libraries
        is_own = bool(split_files(self._program.source)[0].source.strip())
        in_view = self._reruns is Reruns.IN_VIEW
        if len(names) > HEAVY and is_own and self._options.alone and in_view:
            # The many runs that follow are forked with the libraries that each would import.
            await self._worker.import_libraries(names, surroundings)

        def tried(search: FixSearch) -> None:
            runs = replays.runs + trials.runs + 1
            self._on_progress(Activity("fixing", runs, search.tried, search.total or 0))
            self._on_progress(shown(search))

        def shown(search: FixSearch) -> FixSearch:
            return search if failures else FixSearch(found=search.found)

        program = msgspec.structs.replace(self._program, made=replays.leftovers.made)
        limits, patience = replays.limits, self._budget * ENOUGH_AFTER
        trials = FixTrials(
            replays.worker,
            program,
            limits,
            replays.deadline,
            tried,
            patience=patience,
            copies=self._copies,
        )
        search = await trials.search(found, timeline, truth)
        if search.cut_short:
            replays.leave_out(Untried.FIXES)
        self._search = shown(search)
        self._on_progress(self._search)
        replays.runs += trials.runs

    def _case(
        self,
        outcome: Outcome,
        truth: Truth,
        kind: Verdict | None = None,
        *,
        blame: Blame | None = None,
        timeline: Timeline | None = None,
        caught: Raised | None = None,
    ) -> Case:
        return Case(
            program=self._program,
            outcome=outcome,
            truth=truth,
            verdict=kind,
            blame=blame,
            timeline=timeline,
            fixes=self._search.found,
            attempts=self._search.attempts,
            tried=self._search.tried,
            runs=0 if is_syntax_error(outcome) else self._replays.runs,
            seconds=monotonic() - self._began,
            reruns=self._reruns,
            not_tried=tuple(self._replays.not_tried),
            caught=caught,
        )


T = TypeVar("T")

SHORTEST = 0.1
"""Seconds of a run that begins when the time is nearly over."""

STEPS = 400_000
"""Lines that are recorded; a failure beyond them has no blame."""

REPORT_BYTES = 2**30
"""What these may take in memory."""


@dataclass(eq=False)
class Replays:
    """Runs one program, bare, cloned or recorded, and counts."""

    worker: Runner
    program: Program
    """What runs from now on."""

    on_text: Callable[[str], None]
    resident_bytes: int | None = None
    deadline: float = math.inf
    """When the time for runs is over, by the monotonic clock."""

    in_view: bool = False
    """Runs see the files as they are, and change none of them."""

    leftovers: Leftovers = field(default_factory=Leftovers)
    runs: int = 0
    not_tried: list[Untried] = field(default_factory=list)
    """What was left out or stopped because of the deadline."""

    warning: Verdict | None = None
    """What the first of torch's warnings means, in the run with `output`."""

    def allow(self, seconds: float) -> None:
        """Set the deadline, counted from now."""
        self.deadline = monotonic() + seconds

    def leave_out(self, what: Untried) -> None:
        if what not in self.not_tried:
            self.not_tried.append(what)

    @property
    def left(self) -> float:
        return self.deadline - monotonic()

    @property
    def limits(self) -> Limits:
        seconds = None if math.isinf(self.left) else max(round(self.left, 1), SHORTEST)
        return Limits(
            seconds=seconds,
            steps=STEPS,
            report_bytes=REPORT_BYTES,
            in_view=self.in_view,
            resident_bytes=self.resident_bytes,
        )

    async def evidence(self, mode: Mode, detail: Detail, limits: Limits | None = None) -> Evidence:
        """Run it BARE or CLONED, in the time that is left or within other limits."""
        limits = limits or self.limits

        def once(program: Program) -> Awaitable[Evidence]:
            self.runs += 1
            return evidence(
                self.worker, program, mode, limits, detail=detail, on_events=self._report_output
            )

        found = await self.leftovers.run(once, self.program, limits)
        # Only the first run reports its output: the others would seem to differ from it.
        return msgspec.structs.replace(found, printed="")

    async def record(
        self, *, most: float | None = None, follow: Step | None = None
    ) -> Timeline | None:
        """Record it, in `most` seconds if there are more; return None if there was no time for it.

        With `follow`, look into what this step's line calls.
        """
        left = self.left
        if left <= 0:
            self.leave_out(Untried.RECORDING)
            return None
        limits = self.limits
        if most is not None:
            limits = msgspec.structs.replace(limits, seconds=min(most, left))
        detail = PLAIN if follow is None else Detail(line=follow.line, visit=follow.visit)

        def once(program: Program) -> Awaitable[Timeline]:
            self.runs += 1
            program = msgspec.structs.replace(program, draws_alike=True)
            return record(self.worker, program, limits, detail=detail)

        timeline = await self.leftovers.run(once, self.program, limits)
        if most is None and isinstance(timeline.outcome, TimedOut):
            self.leave_out(Untried.RECORDING)
        return timeline

    async def in_time(self, work: Awaitable[T], what: Untried) -> T | None:
        """Wait for runs until the deadline; return None if that was too short for this."""
        try:
            return await asyncio.wait_for(work, timeout=max(self.left, 0))
        except asyncio.TimeoutError:
            self.leave_out(what)
            return None

    def _report_output(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case Printed(text=text):
                    self.on_text(text)
                case Warned(category=category, message=message, line=line):
                    self.warning = self.warning or verdict_of_warning(message)
                    where = self.program.filename
                    if line is not None:
                        name = line_name(self.program.source, line)
                        where = f"{where}:{name}" if self.program.is_main(line) else name
                    self.on_text(f"{where}: {category}: {message}\n")
                case Muted(kept_bytes=kept):
                    self.on_text(f"\n[… {kept:,} bytes …]\n")
                case Mutation() | Rebound():
                    continue
