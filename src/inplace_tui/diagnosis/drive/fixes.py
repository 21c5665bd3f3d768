"""Runs candidates, and keeps those that are fixes."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import TypeVar

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.run import outcome
from inplace_tui.common.run.fix import AddedTime, Attempt, Candidate, Fix, FixSearch, diff, size
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parse
from inplace_tui.common.timeouts import TaskGroup, timeout
from inplace_tui.diagnosis.blame.classify import may_have_verdict, verdict_of_error, verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.blame.truth import Evidence, compare
from inplace_tui.diagnosis.drive.runs import Leftovers, Ran, evidence, record
from inplace_tui.diagnosis.fixes.fault_site import NO_PROBES, FaultSite
from inplace_tui.diagnosis.fixes.gradients import differing_leaf
from inplace_tui.diagnosis.fixes.judge import FixJudge, depends_on_values
from inplace_tui.diagnosis.fixes.kinds import COMPUTED_AGAIN, COPIES, PENALTIES, STAYS_IN_PLACE
from inplace_tui.diagnosis.fixes.registry import candidates
from inplace_tui.diagnosis.fixes.repair import MAX_EDITS, Fault, Repair, fault_of
from inplace_tui.diagnosis.fixes.rewrites.grad_modes import with_write_allowed
from inplace_tui.diagnosis.fixes.trial import Failed, Passed, Trial
from inplace_tui.diagnosis.runner.worker import Worker

EACH_BACKWARD = Detail(additions=True)
"""Two programs may run their backwards in another order: each is compared by itself."""

WITH_OUTPUT = Detail(additions=True, output=True, timed=True)
"""With right gradients the original may print other text than it did."""

TIMED = Detail(elements=False, compared_seconds=0.0, timed=True)
"""Nothing but how long it takes."""

PROBED = Detail(elements=False, compared_seconds=0.0, probes=True)
"""Nothing but which expressions are the tensors of the fault."""

PROBED_VALUES = msgspec.structs.replace(PROBED, probes_values=True)

MAX_ROUNDS_TIMED = 3
TIMING_SECONDS = 1.0
"""For running each program once more, and again, to see what a fix adds to its time."""

MIN_ADDED = 0.01
"""Seconds; some kernels count a process's time in ticks of that length."""

NOISE, NOISE_OF_ONE = 0.02, 0.1
"""Parts of a run by which two of them differ at least, and where each was made once only."""

MAX_CANDIDATES = 60
"""With more places to edit than this, further candidates would only cost time."""

MAX_BRANCHES = 6
"""Edits after which a repair goes on, where a program has no single one that mends it."""

MAX_ROUNDS = 24
"""Edited programs that are recorded to blame again."""

MAX_ATTEMPTS = 3
"""Edits that failed, and are shown where no fix is."""

MAX_FIXES = 4
"""That are shown; more is a list nobody reads."""


class TriedCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate, and the result of running it."""

    candidate: Candidate
    order: int
    """Its place among the candidates, the likeliest first."""

    verdict: Passed | Failed


Found = TypeVar("Found")

Progress = Callable[[list[TriedCandidate], int], None]
"""Called with what was tried by now, and how many candidates there are: first with none."""


async def search_fixes(
    worker: Worker,
    program: Program,
    blame: Blame | None,
    timeline: Timeline,
    truth: outcome.Truth,
    *,
    budget: float,
    limits: Limits,
    on_progress: Callable[[FixSearch], None],
) -> None:
    """Find fixes one after the other, and tell of each step.

    One candidate at a time, judged in a thread: whoever looks at the screen has the
    other core, and no key waits while long timelines are compared.
    """

    def report(tried: list[TriedCandidate], total: int) -> None:
        reported.append(
            FixSearch(found=tuple(best_fixes(program.source, tried)), tried=len(tried), total=total)
        )
        on_progress(reported[-1])

    reported: list[FixSearch] = []
    deadline = monotonic() + budget
    trials = FixTrials(worker, program, limits, deadline, report, threaded=True)
    # A timeline finds things out when it is asked: the screen keeps one of its own.
    tried = await trials.all(blame, await asyncio.to_thread(_again, timeline), truth)
    last = reported[-1] if reported else FixSearch(total=0)
    on_progress(
        msgspec.structs.replace(
            last,
            found=tuple(await trials.timed(last.found)),
            attempts=() if last.found else tuple(best_attempts(tried, timeline.outcome)),
            over=True,
            cut_short=last.tried != last.total,
        )
    )


def _again(timeline: Timeline) -> Timeline:
    """Return another timeline of the same steps."""
    made = Timeline()
    for step in timeline:
        made.append(step)
    made.outcome, made.faults = timeline.outcome, timeline.faults
    made.off_at = timeline.off_at
    return made


def best_fixes(source: str, tried: list[TriedCandidate]) -> list[Fix]:
    """Choose the fixes to show among all that were tried, and put them in order."""
    passed = [(e, e.verdict) for e in _computed_again(tried) if isinstance(e.verdict, Passed)]
    reached = frozenset[str]().union(*(verdict.delivered for _, verdict in passed))
    whole = [pair for pair in passed if pair[1].delivered >= reached] or passed

    def rank(pair: tuple[TriedCandidate, Passed]) -> tuple[int, bool, bool, int, int, int]:
        each, verdict = pair
        lines, characters = size(source, each.candidate.source)
        usual = verdict.computes is not None
        unliked = max(PENALTIES.get(kind, 0) for kind in each.candidate.kinds)
        # The usual way is better than a fix that nobody would commit, and than no other.
        place = 1 if usual else 2 * bool(unliked)
        loses = not usual and not verdict.keeps_loss
        copies = not COPIES.isdisjoint(each.candidate.kinds)
        return place, loses, copies, each.order if usual else lines, each.order, characters

    ranked: list[tuple[TriedCandidate, Passed]] = []
    for pair in sorted(whole, key=rank):
        candidate, computes = pair[0].candidate, pair[1].computes
        better = [each.candidate for each, _ in ranked]
        if computes is not None and candidate.source in {each.source for each in better}:
            continue
        unliked = not candidate.kinds.isdisjoint(PENALTIES)
        if unliked and candidate.kind in {each.kind for each in better}:
            continue
        # Of two that a reader can't tell apart one is enough: a cut at a round's start or end.
        if candidate.title in [each.title for each in better]:
            continue
        ranked.append(pair)
    return [
        Fix(
            title=each.candidate.title,
            line=each.candidate.line,
            diff=diff(source, each.candidate.source),
            source=each.candidate.source,
            cost_bytes=each.candidate.cost_bytes,
            keeps_gradient=verdict.keeps_gradient,
            forward_changes=verdict.forward_changes,
            computes=verdict.computes,
        )
        for each, verdict in ranked[:MAX_FIXES]
    ]


def _computed_again(tried: list[TriedCandidate]) -> list[TriedCandidate]:
    """Refuse what goes on with a graph whose inputs changed, unlike what computes it again."""
    ranked = sorted(tried, key=lambda each: each.order)
    again = (each.verdict for each in ranked if each.candidate.kind in COMPUTED_AGAIN)
    meant = next((each for each in again if isinstance(each, Passed)), None)
    if meant is None or (true := meant.outdated) is None:
        return tried
    found: list[TriedCandidate] = []
    for each in tried:
        verdict = each.verdict
        if each.candidate.kind in COMPUTED_AGAIN | {"retain_graph"} and isinstance(verdict, Passed):
            pairs = zip(verdict.outdated or (), true, strict=False)
            if verdict.keeps_loss != meant.keeps_loss or any(differing_leaf(*p) for p in pairs):
                verdict = Failed("b", "computed again, the graph has other values")
        found.append(msgspec.structs.replace(each, verdict=verdict))
    return found


@dataclass(frozen=True)
class _RepairState:
    """A partly repaired program, and what is known of it."""

    repair: Repair
    faults: tuple[Fault, ...]
    """Those that it has had by now; none may come back."""

    judge: FixJudge
    site: FaultSite
    tried: tuple[TriedCandidate, ...] = ()
    """The edits that were tried next."""

    def moved(self) -> list[TriedCandidate]:
        """Return the edits after which something else may be at fault, the likeliest first."""
        found = [each for each in self.tried if _may_move_fault(each.verdict)]

        def rank(each: TriedCandidate) -> tuple[bool, bool, int]:
            # A fault of another kind was rather made by the edit than hidden before.
            ended = getattr(each.verdict, "ended", None)
            other = isinstance(ended, outcome.Raised) and (
                verdict_of_error(ended) is not self.faults[-1].verdict
            )
            return each.candidate.kind not in self.repair.kinds, other, each.order

        return sorted(found, key=rank)[:MAX_BRANCHES]


def _may_move_fault(verdict: Passed | Failed) -> bool:
    match verdict:
        case Failed(condition="a", ended=outcome.Raised() as ended):
            return may_have_verdict(ended)
        case Failed(condition="b"):
            return True
        case _:
            return False


def _will_do(tried: TriedCandidate) -> bool:
    """Whether a single edit mends it: what rounds of a loop share is not for copies to mend."""
    if not isinstance(tried.verdict, Passed):
        return False
    plain = _keeps_loss(tried) and COPIES.isdisjoint(tried.candidate.kinds)
    return plain or tried.candidate.own_truth


def _keeps_loss(tried: TriedCandidate) -> bool:
    return isinstance(tried.verdict, Passed) and tried.verdict.keeps_loss


def _brief(message: str) -> str:
    """Return the first sentence of a message of torch's, which go on with advice."""
    return re.split(r"(?<=\w)\. |\n|: \[| \(or ", message, maxsplit=1)[0].rstrip(".")


def best_attempts(
    tried: list[TriedCandidate], original: outcome.Outcome | None = None
) -> list[Attempt]:
    """Return the edits that came furthest, where none is a fix: of each title one.

    What raises another error than torch's says nothing of the program that was edited; what
    raises the same as before says it for all that do.
    """
    found: dict[str, Attempt] = {}
    before = verdict_of_error(original) if isinstance(original, outcome.Raised) else None
    failed = [(each, each.verdict) for each in tried if isinstance(each.verdict, Failed)]
    failed.sort(key=lambda pair: pair[0].order)
    for each, verdict in sorted(failed, key=lambda pair: pair[1].condition, reverse=True):
        condition, message, title = verdict.condition, "", each.candidate.title
        if condition == "a":
            ended = verdict.ended
            raised = verdict_of_error(ended) if isinstance(ended, outcome.Raised) else None
            if raised is None:
                continue
            if raised is before:
                condition = "again"
            elif isinstance(ended, outcome.Raised) and ended.exception != "RuntimeError":
                continue
            else:
                message = _brief(verdict.reason)
        key = "" if condition == "again" else title.en
        made = Attempt(title=title, line=each.candidate.line, condition=condition, message=message)
        found.setdefault(key, made)
    return list(found.values())[:MAX_ATTEMPTS]


class FixTrials:
    """The runs of one program's candidates."""

    def __init__(
        self,
        worker: Worker,
        program: Program,
        limits: Limits,
        deadline: float,
        on_progress: Progress | None,
        *,
        threaded: bool = False,
        patience: float | None = None,
    ) -> None:
        """Prepare to try, until a deadline by the monotonic clock.

        With `threaded`, what is computed is computed in a thread, so that the event loop goes on.
        After `patience` seconds one fix that keeps the loss is enough.
        """
        self._threaded = threaded
        self._until = None if patience is None else monotonic() + patience
        self._worker = worker
        self._program = program
        self._limits = limits
        self._leftovers = Leftovers(program.made)
        # On the program's own files, one run after the other.
        self._turns = asyncio.Semaphore(2 if limits.in_view else 1)
        self._deadline = deadline
        self._on_progress = on_progress
        self.runs = 0
        """How many times the program, or an edit of it, has run."""

        self._original: asyncio.Task[Evidence]
        """The replay that all judges compare with."""

        self._tried: list[TriedCandidate] = []
        self._total = 0
        self.left_out = False
        """Not all candidates were tried."""

        self._let_through: str | None = None
        """The original with the write that was refused."""

        self._raises = False
        """The original does not run to its end in a replay either."""

        self._seconds: dict[str, float] = {}
        """What a replay of each program took that came to its end."""

    async def all(
        self, blame: Blame | None, timeline: Timeline, truth: outcome.Truth
    ) -> list[TriedCandidate]:
        """Try each edit alone; if none will do, go on from those that move the fault."""
        source = self._program.source
        self._leftovers.first = timeline.outcome or self._leftovers.first
        try:
            parse(source)
            async with timeout(self._deadline - monotonic()):
                async with TaskGroup() as tasks:
                    original = self._evidence(source, Mode.CLONED, WITH_OUTPUT)
                    self._original = tasks.create_task(original)
                    site = await self._site(source, blame, timeline, truth)
                    found = await self._candidates(site)
                    if not found:
                        self._original.cancel()
                        return []
                    self._total = len(found)
                    self._report()
                    judging = tasks.create_task(self.judge(site, truth, self._original))
                    tasks.create_task(self._each(found, judging, self._tried))
                if blame is not None and not any(map(_will_do, self._tried)):
                    fault = fault_of(blame, source, source)
                    # A copy mends it: then only what needs none is worth several edits.
                    plain = any(map(_keeps_loss, self._tried))
                    ahead = [
                        each
                        for each in self._tried
                        if not plain or each.candidate.kind in STAYS_IN_PLACE
                    ]
                    repair = Repair(original=source)
                    state = _RepairState(repair, (fault,), judging.result(), site, tuple(ahead))
                    await self._repair(state)
        except SyntaxError:
            return []
        except TimeoutError:
            self.left_out = True
        return _computed_again(self._tried)

    # Several edits.

    async def _repair(self, begun: _RepairState) -> None:
        """Edit, blame again, and go on, until the program is right or nothing is left to try."""
        ahead = [(begun, each.candidate) for each in begun.moved()]
        for _ in range(MAX_ROUNDS):
            if not ahead:
                return
            before, candidate = ahead.pop(0)
            now = await self._advanced(before, candidate)
            if now is None:
                continue
            site, kinds = now.site, now.repair.kinds
            found = await self._candidates(site)
            found.sort(key=lambda each: each.kind not in kinds)  # first what is like them
            self._total += len(found)
            tried: list[TriedCandidate] = []
            await self._each(found, now.judge, tried, whole=(begun.judge, now.repair))
            if mended := [each for each in tried if _keeps_loss(each)]:
                await self._shorten(begun.judge, now.repair.then(mended[0].candidate), mended[0])
                return
            now = replace(now, tried=tuple(tried))
            if len(now.repair.edits) < MAX_EDITS - 1:
                ahead[:0] = [(now, each.candidate) for each in now.moved()]

    async def _advanced(self, before: _RepairState, candidate: Candidate) -> _RepairState | None:
        """Record a program after one more edit; None if that is no step forward."""
        program = msgspec.structs.replace(self._program, source=candidate.source)
        timeline = await self._record(candidate.source)
        cloned = await self._evidence(candidate.source, Mode.CLONED, WITH_OUTPUT)
        truth: outcome.Truth = outcome.Unverified()
        if isinstance(timeline.outcome, outcome.Completed):
            bare = await self._evidence(candidate.source, Mode.BARE, WITH_OUTPUT)
            truth = compare(bare, bare, cloned)
        blame = find_blame(timeline, truth, source=program.source)
        if blame is None or verdict_of_run(timeline, truth) is None:
            return None
        repair = before.repair.then(candidate)
        fault = fault_of(blame, repair.original, program.source)
        if fault in before.faults:
            return None
        if await self._compute(lambda: before.judge.advances(candidate, cloned, timeline)):
            return None
        site = await self._site(program.source, blame, timeline, truth)
        judge = await self.judge(site, truth, self._original)
        return _RepairState(repair, (*before.faults, fault), judge, site)

    async def _site(
        self, source: str, blame: Blame | None, timeline: Timeline, truth: outcome.Truth
    ) -> FaultSite:
        """Ask the program where the tensors of its fault are."""
        detail = PROBED if isinstance(timeline.outcome, outcome.Raised) else PROBED_VALUES
        probed = await self._evidence(source, Mode.CLONED, detail)
        lost = truth.without_gradient if isinstance(truth, outcome.Right) else ()
        return FaultSite(source, blame, timeline, probed.probes or NO_PROBES, lost=lost)

    async def _candidates(self, site: FaultSite) -> list[Candidate]:
        return await self._compute(lambda: list(islice(candidates(site), MAX_CANDIDATES)))

    async def _shorten(self, judge: FixJudge, repair: Repair, last: TriedCandidate) -> None:
        """Put back each changed place that need not be changed, and keep what is left."""
        verdict, ahead = last.verdict, repair.shorter()
        while ahead:
            shorter = ahead.pop(0)
            found = await self.tried(shorter.candidate(), judge)
            if isinstance(found, Passed) and found.keeps_loss:
                repair, verdict, ahead = shorter, found, shorter.shorter()
        self._tried.append(
            TriedCandidate(candidate=repair.candidate(), order=self._total, verdict=verdict)
        )
        self._total += 1
        self._report()

    async def judge(
        self, site: FaultSite, truth: outcome.Truth, original: Awaitable[Evidence]
    ) -> FixJudge:
        """Compare fixes with the original's replay, and with its write if torch refused it."""
        let_through = with_write_allowed(site)
        self._let_through = self._let_through or let_through
        allowed = None if let_through is None else await self._record(let_through)
        cloned = await original
        if isinstance(truth, outcome.NotReproducible):
            # Its gradients are other ones in every run: nothing to be equal to.
            cloned = msgspec.structs.replace(cloned, backwards=())
        return await self._compute(lambda: FixJudge(site, cloned, allowed=allowed))

    async def _compute(self, work: Callable[[], Found]) -> Found:
        """Compute what takes a while, in a thread if the event loop is to go on."""
        return await asyncio.to_thread(work) if self._threaded else work()

    async def _each(
        self,
        found: Sequence[Candidate],
        judge: FixJudge | asyncio.Task[FixJudge],
        tried: list[TriedCandidate],
        *,
        whole: tuple[FixJudge, Repair] | None = None,
    ) -> None:
        """Try candidates, and add them to `tried`.

        With `whole`, as in `tried`, one that mends it is enough.
        """
        for order, candidate in enumerate(found):
            if whole is None and self._is_enough(tried):
                self.left_out = True
                return
            if whole is not None and any(map(_keeps_loss, tried)):
                self._total -= 1
                continue
            verdict = await self.tried(candidate, judge, whole=whole)
            made = TriedCandidate(candidate=candidate, order=order, verdict=verdict)
            tried.append(made)
            if whole is not None:
                self._tried.append(
                    msgspec.structs.replace(made, verdict=Failed("a", "one edit of several"))
                )
            self._report()

    def _is_enough(self, tried: list[TriedCandidate]) -> bool:
        """Whether a good fix is known, and finding it took so long that others can wait."""
        if self._until is None or monotonic() < self._until:
            return False
        found = [each.verdict for each in tried if isinstance(each.verdict, Passed)]
        return any(each.keeps_loss and each.keeps_gradient for each in found)

    def _report(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self._tried, self._total)

    async def tried(
        self,
        candidate: Candidate,
        judge: FixJudge | asyncio.Task[FixJudge],
        *,
        whole: tuple[FixJudge, Repair] | None = None,
    ) -> Passed | Failed:
        """Run a candidate, as often as it takes to say whether it is a fix.

        With `whole`, the judge of the original and the edits before this one, the verdict is on
        all of them.
        """
        bare = await self._evidence(candidate.source, Mode.BARE)
        if not isinstance(bare.outcome, outcome.Completed):
            message = str(getattr(bare.outcome, "message", bare.outcome))
            return Failed("a", message, bare.outcome)
        cloned = await self._evidence(candidate.source, Mode.CLONED, WITH_OUTPUT)
        known = judge if isinstance(judge, FixJudge) else await judge
        failed = await self._compute(lambda: known.check_replays(candidate, bare, cloned))
        if failed is not None:
            return failed
        trial = Trial(bare=bare, cloned=cloned, timeline=await self._record(candidate.source))
        verdict = await self._judged(known, candidate, trial)
        if whole is None or isinstance(verdict, Failed):
            return verdict
        original, repair = whole
        return await self._judged(original, repair.then(candidate).candidate(), trial)

    async def _judged(self, judge: FixJudge, candidate: Candidate, trial: Trial) -> Passed | Failed:
        verdict = await self._compute(lambda: judge.judge(candidate, trial))
        if judge.knows_unstable or not depends_on_values(verdict):
            return verdict
        # Values differ: perhaps they do in every run.
        again = await self._record(judge.source)
        await self._compute(lambda: judge.compare_with(again))
        return await self._compute(lambda: judge.judge(candidate, trial))

    async def timed(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Return fixes with the time that each adds: of short programs by a few more runs.

        All are replays: there even a program that fails in a backward runs to its end, and one
        whose write is refused is run with that write.
        """
        original = self._program.source
        if original not in self._seconds and self._let_through is not None:
            original = self._let_through
            await self._evidence(original, Mode.CLONED, WITH_OUTPUT)
        programs = [original, *(fix.source for fix in fixes)]
        if original not in self._seconds and not self._raises:
            return list(fixes)  # its replay was stopped: nothing is known of its time
        if original not in self._seconds:
            return [
                msgspec.structs.replace(fix, added_time=AddedTime(seconds=None)) for fix in fixes
            ]
        rounds = [[self._seconds.get(each, math.nan) for each in programs]]
        until = min(monotonic() + TIMING_SECONDS, self._deadline)
        more: list[list[float]] = []
        while len(more) < MAX_ROUNDS_TIMED and monotonic() + sum(rounds[0]) < until:
            ended = [await self._evidence(each, Mode.CLONED, TIMED) for each in programs]
            seconds = [each.seconds for each in ended if each.seconds is not None]
            if len(seconds) < len(programs):
                break
            more.append(seconds)
        before, *edited = zip(*(more or rounds), strict=True)
        return [
            msgspec.structs.replace(fix, added_time=added_time(before, mine))
            for fix, mine in zip(fixes, edited, strict=True)
        ]

    async def _evidence(self, source: str, mode: Mode, detail: Detail = EACH_BACKWARD) -> Evidence:
        worker, limits = self._worker, self._limits
        found = await self._run(source, lambda each: evidence(worker, each, mode, limits, detail))
        if found.seconds is not None and isinstance(found.outcome, outcome.Completed):
            self._seconds.setdefault(source, found.seconds)
        if source == self._program.source and mode is Mode.CLONED:
            self._raises = isinstance(found.outcome, outcome.Raised)
        return found

    async def _record(self, source: str) -> Timeline:
        return await self._run(source, lambda each: record(self._worker, each, self._limits))

    async def _run(self, source: str, run: Callable[[Program], Awaitable[Ran]]) -> Ran:
        def once(program: Program) -> Awaitable[Ran]:
            self.runs += 1
            return run(program)

        program = msgspec.structs.replace(self._program, source=source)
        async with self._turns:
            return await self._leftovers.run(once, program, self._limits)


def added_time(original: Sequence[float], edited: Sequence[float]) -> AddedTime:
    """Return what one program takes more than the other, by the shortest run of each (seconds)."""
    (least, *more), (mine, *others) = sorted(original), sorted(edited)
    noise = max(MIN_ADDED, (NOISE if more else NOISE_OF_ONE) * least)
    spread = [seconds[0] - first for first, seconds in ((least, more), (mine, others)) if seconds]
    return AddedTime(
        seconds=mine - least,
        noise_seconds=max([noise, *spread]),
        run_seconds=least,
        runs=len(original),
    )
