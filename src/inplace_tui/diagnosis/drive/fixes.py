"""Runs candidates, and keeps those that are fixes."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from itertools import islice
from operator import itemgetter
from time import monotonic
from typing import TypeAlias

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.run import outcome
from inplace_tui.common.run.fix import AddedTime, Attempt, Candidate, Fix, FixSearch, diff, size
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parse
from inplace_tui.common.timeouts import timeout
from inplace_tui.diagnosis.blame.classify import may_have_verdict, verdict_of_error, verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.blame.truth import Evidence, compare, was_stopped
from inplace_tui.diagnosis.drive.before_fault import run_whole
from inplace_tui.diagnosis.drive.copies import FaultCopies
from inplace_tui.diagnosis.drive.runs import Leftovers, Ran, Runner, evidence, record
from inplace_tui.diagnosis.fixes.fault_site import NO_PROBES, FaultSite
from inplace_tui.diagnosis.fixes.judge import FixJudge
from inplace_tui.diagnosis.fixes.kinds import COPIES, PENALTIES, STAYS_IN_PLACE
from inplace_tui.diagnosis.fixes.proposing import fewer_copies
from inplace_tui.diagnosis.fixes.registry import candidates
from inplace_tui.diagnosis.fixes.repair import Repair, fault_of
from inplace_tui.diagnosis.fixes.rewrites.grad_modes import with_write_allowed
from inplace_tui.diagnosis.fixes.trial import Failed, Passed, Trial, failure_of
from inplace_tui.diagnosis.fixes.value_history import alone, differing_leaf

WITH_OUTPUT = Detail(additions=True, output=True, timed=True)
"""Two programs may run their backwards in another order: each is compared by itself. With right
gradients the original may print other text than it did."""

TIMED = Detail(elements=False, compared_seconds=0.0, timed=True)
"""Nothing but how long it takes."""

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


Judged: TypeAlias = Passed | Failed


class TriedCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate, and the result of running it."""

    candidate: Candidate
    order: int
    """Its place among the candidates, the likeliest first."""

    verdict: Judged

    @property
    def will_do(self) -> bool:
        """Whether it mends the program alone: what rounds of a loop share no copy does."""
        plain = self.verdict.keeps_loss and COPIES.isdisjoint(self.candidate.kinds)
        return plain or (not self.verdict.condition and self.candidate.own_truth)


def best_fixes(source: str, tried: list[TriedCandidate]) -> list[Fix]:
    """Choose the fixes to show among all that were tried, and put them in order."""
    passed = [(e, e.verdict) for e in tried if isinstance(e.verdict, Passed)]
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
    shown = set[object]()
    for pair in sorted(whole, key=rank):
        candidate, usual = pair[0].candidate, pair[1].computes is not None
        # Of what one would not commit, one of a kind is enough, and of what a reader can't tell
        # apart: a cut at a round's start or end.
        unliked = not candidate.kinds.isdisjoint(PENALTIES)
        signs = (candidate.title, usual and candidate.source, unliked and candidate.kind)
        if shown.isdisjoint(filter(None, signs)):
            ranked.append(pair)
            shown |= {candidate.title, candidate.source, candidate.kind}
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


@dataclass(frozen=True)
class _RepairState:
    """A partly repaired program, and what is known of it."""

    repair: Repair
    faults: tuple[object, ...]
    """Those that it has had by now; none may come back."""

    judge: FixJudge
    tried: list[TriedCandidate] = field(default_factory=list)
    """The edits that were tried next."""

    def moved(self) -> list[tuple[_RepairState, Candidate]]:
        """Return the edits after which something else may be at fault, the likeliest first."""
        found: list[tuple[bool, bool, int, Candidate]] = []
        for each in self.tried:
            raised, edit = each.verdict.raised, each.candidate
            if each.verdict.condition == "b" or (raised and may_have_verdict(raised)):
                # A fault of another kind was rather made by the edit than hidden before.
                other = raised and verdict_of_error(raised) is not self.judge.site.verdict
                found.append((edit.kind not in self.repair.kinds, bool(other), each.order, edit))
        return [(self, each[-1]) for each in sorted(found, key=itemgetter(0, 1, 2))[:MAX_BRANCHES]]


def best_attempts(
    tried: list[TriedCandidate], original: outcome.Outcome | None = None
) -> list[Attempt]:
    """Return the edits that came furthest, where none is a fix: of each title one.

    What raises another error than torch's says nothing of the program that was edited; what
    raises the same as before says it for all that do.
    """
    found: dict[str, Attempt] = {}
    before = verdict_of_error(original) if isinstance(original, outcome.Raised) else None
    failed = [each for each in tried if each.verdict.condition]
    for each in sorted(failed, key=lambda each: (-ord(each.verdict.condition), each.order)):
        title, condition, message = each.candidate.title, each.verdict.condition, ""
        raised = each.verdict.raised
        kind = None if raised is None else verdict_of_error(raised)
        if kind is not None and kind is before:
            condition = "again"
        elif kind is not None and raised and raised.exception == "RuntimeError":
            # Its first sentence: torch goes on with advice.
            message = re.split(r"(?<=\w)\. |\n|: \[| \(or ", raised.message)[0].rstrip(".")
        elif condition == "a":
            continue
        made = Attempt(title=title, line=each.candidate.line, condition=condition, message=message)
        found.setdefault("" if condition == "again" else title.en, made)
    return list(found.values())[:MAX_ATTEMPTS]


@dataclass
class FixTrials:
    """The runs of one program's candidates, until a deadline by the monotonic clock."""

    worker: Runner
    program: Program
    limits: Limits
    deadline: float
    on_progress: Callable[[FixSearch], None] | None
    """Called with what is known by now: first when the candidates are."""

    _: KW_ONLY
    patience: float = math.inf
    """Seconds after which one fix that keeps the loss is enough."""

    copies: FaultCopies | None = None
    """What `worker` is, where programs are run from just before the fault."""

    runs: int = 0
    """How many times the program, or an edit of it, has run."""

    total: int = 0
    """Candidates that there are."""

    left_out: bool = False
    """Not all candidates were tried."""

    def __post_init__(self) -> None:
        self._begun = monotonic()
        self._leftovers = Leftovers(self.program.made)
        # On the program's own files, one run after the other.
        self._turns = asyncio.Semaphore(2 if self.limits.in_view else 1)
        self._original: Evidence
        """The replay that all judges compare with."""

        self._tried: list[TriedCandidate] = []
        self._let_through: str | None = None
        """The original with the write that was refused."""

        self._reached: dict[str, int] = {}
        """How many backwards had begun when a trial ended."""

        self._seconds: dict[str, float] = {}
        """What a replay of each program took that came to its end."""

    async def search(
        self, blame: Blame | None, timeline: Timeline, truth: outcome.Truth
    ) -> FixSearch:
        """Find fixes, and measure what each adds to the time of a run."""
        tried = await self.all(blame, timeline, truth)
        known = self._known
        whole = self.timed if self.copies is None else self._run_whole
        return msgspec.structs.replace(
            known,
            found=tuple(await whole(known.found)),
            attempts=() if known.found else tuple(best_attempts(tried, timeline.outcome)),
            over=True,
            cut_short=self.left_out,
        )

    async def all(
        self, blame: Blame | None, timeline: Timeline, truth: outcome.Truth
    ) -> list[TriedCandidate]:
        """Try each edit alone; if none will do, go on from those that move the fault."""
        source = self.program.source
        self._leftovers.first = timeline.outcome or self._leftovers.first
        with suppress(SyntaxError, TimeoutError):
            parse(source)
            self.left_out = True
            async with timeout(self.deadline - monotonic()):
                replay = self._evidence(source, Mode.CLONED)
                site, self._original = await asyncio.gather(
                    self._site(source, blame, timeline, truth), replay
                )
                found = await self._candidates(site)
                self.total = len(found)
                if not found:
                    self.left_out = False
                    return []
                self._report()
                judge = await self.judge(site, truth, self._original)
                for order, candidate in self._in_turn(found):
                    if self._is_enough():
                        return self._tried
                    verdict = await self.tried(candidate, judge)
                    self._add(TriedCandidate(candidate=candidate, order=order, verdict=verdict))
                if blame is not None and not any(each.will_do for each in self._tried):
                    ahead = list(self._tried)
                    if any(each.verdict.keeps_loss for each in ahead):
                        # A copy mends it: then only what needs none is worth several edits.
                        ahead = [each for each in ahead if each.candidate.kind in STAYS_IN_PLACE]
                    faults = (fault_of(blame, source, source),)
                    repair = Repair(original=source, source=source)
                    await self._repair(_RepairState(repair, faults, judge, ahead))
                self.left_out = False
                await self._copy_less(judge)
                await self._compare_replays()
        return self._tried

    def _in_turn(self, found: list[Candidate]) -> list[tuple[int, Candidate]]:
        """Return candidates with their places: last those that have to run from the start."""
        pairs = list(enumerate(found))
        if self.copies is not None:
            can_go_on = self.copies.can_go_on
            pairs.sort(key=lambda pair: not can_go_on(pair[1].source))
        return pairs

    async def _compare_replays(self) -> None:
        """Say of no candidate that its gradients are wrong where those of two replays differ."""
        ran = [at for at, each in enumerate(self._tried) if each.verdict.condition != "a"]
        if ran and all(self._tried[at].verdict.condition for at in ran):
            again = await self._evidence(self.program.source, Mode.CLONED)
            if differing_leaf(again.backwards, self._original.backwards) is not None:
                unlike = Failed("e", "no two runs of the original deliver the same")
                for at in ran:
                    self._tried[at] = msgspec.structs.replace(self._tried[at], verdict=unlike)

    def _is_enough(self) -> bool:
        """Whether a good fix is known, and finding it took so long that others can wait."""
        found = (each.verdict for each in self._tried if isinstance(each.verdict, Passed))
        good = any(each.keeps_loss and each.keeps_gradient for each in found)
        return good and monotonic() >= self._begun + self.patience

    def _add(self, tried: TriedCandidate) -> None:
        self._tried.append(tried)
        self._report()

    def _report(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self._known)

    @property
    def _known(self) -> FixSearch:
        found = tuple(map(self._as_tried, best_fixes(self.program.source, self._tried)))
        return FixSearch(found=found, tried=len(self._tried), total=self.total)

    def _as_tried(self, fix: Fix) -> Fix:
        """Return a fix with how it was tried, and how far."""
        if self.copies is None:
            return fix
        copied = fix.source not in self.copies.from_start
        return msgspec.structs.replace(fix, copied=copied, held_to=self._reached.get(fix.source))

    async def _run_whole(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Run the best fix once from the start, if there is time; leave out what fails there."""
        assert self.copies is not None
        left = list(fixes)
        while left and self.deadline - monotonic() > self.copies.seconds:
            seconds = round(self.deadline - monotonic(), 1)
            limits = msgspec.structs.replace(self.limits, seconds=seconds)
            self.runs += 1
            program = msgspec.structs.replace(self.program, source=left[0].source, draws_alike=True)
            ran = await run_whole(self.copies, program, limits)
            never = self._original.without_gradient
            lost = set(map(alone, ran.without_gradient)) - set(map(alone, never))
            if isinstance(ran.outcome, outcome.Completed) and not lost:
                return [msgspec.structs.replace(left[0], held_to=None), *left[1:]]
            if was_stopped(ran.outcome):
                break
            del left[0]
        return left

    # Less than was tried.

    async def _copy_less(self, judge: FixJudge) -> None:
        """Leave out each copy of the best fix that need not be made."""
        best = [each.source for each in best_fixes(self.program.source, self._tried)[:1]]
        less = partial(fewer_copies, judge.site)
        for at, each in enumerate(self._tried):
            if each.candidate.source in best:
                self._tried[at] = await self._least(each, judge, less)
                if self._tried[at] is not each:
                    self._report()

    async def _least(
        self, whole: TriedCandidate, judge: FixJudge, less: Callable[[Candidate], list[Candidate]]
    ) -> TriedCandidate:
        """Put back each changed place that need not be changed, and return what is left."""
        ahead = less(whole.candidate)
        while ahead:
            shorter = ahead.pop(0)
            found = await self.tried(shorter, judge)
            if found.keeps_loss and (whole.verdict.forward_changes or not found.forward_changes):
                whole = msgspec.structs.replace(whole, candidate=shorter, verdict=found)
                ahead = less(shorter)
        return whole

    # Several edits.

    async def _repair(self, begun: _RepairState) -> None:
        """Edit, blame again, and go on, until the program is right or nothing is left to try."""
        ahead = begun.moved()
        for _ in range(MAX_ROUNDS):
            if not ahead:
                return
            before, candidate = ahead.pop(0)
            if (now := await self._advanced(before, candidate)) is None:
                continue
            kinds = now.repair.kinds
            found = await self._candidates(now.judge.site)
            found.sort(key=lambda each: each.kind not in kinds)  # first what is like them
            self.total += len(found)
            for order, candidate in enumerate(found):
                repair = now.repair.then(candidate)
                mended = repair.candidate()
                verdict = await self.tried(candidate, now.judge, (begun.judge, mended))
                tried = TriedCandidate(candidate=candidate, order=order, verdict=verdict)
                now.tried.append(tried)
                self._add(msgspec.structs.replace(tried, verdict=Failed("a", "one of several")))
                if verdict.keeps_loss:
                    # Of the others none is tried, but what is left of all edits is one more.
                    self.total -= len(found) - order - 2
                    whole = TriedCandidate(candidate=mended, order=self.total, verdict=verdict)
                    self._add(await self._least(whole, begun.judge, repair.shorter))
                    return
            ahead[:0] = now.moved()

    async def _advanced(self, before: _RepairState, candidate: Candidate) -> _RepairState | None:
        """Record a program after one more edit; None if that is no step forward."""
        source = candidate.source
        timeline = await self._record(source)
        cloned = await self._evidence(source, Mode.CLONED)
        truth: outcome.Truth = outcome.Unverified()
        if isinstance(timeline.outcome, outcome.Completed):
            bare = await self._evidence(source, Mode.BARE)
            truth = compare(bare, bare, cloned)
        blame = find_blame(timeline, truth, source=source)
        if blame is None or verdict_of_run(timeline, truth) is None:
            return None
        repair, trial = before.repair.then(candidate), Trial(candidate, cloned, cloned, timeline)
        fault = fault_of(blame, repair.original, source)
        if fault in before.faults:
            return None
        if await asyncio.to_thread(before.judge.advances, trial):
            return None
        site = await self._site(source, blame, timeline, truth)
        judge = await self.judge(site, truth, self._original)
        return _RepairState(repair, (*before.faults, fault), judge)

    async def _site(
        self, source: str, blame: Blame | None, timeline: Timeline, truth: outcome.Truth
    ) -> FaultSite:
        """Ask the program where the tensors of its fault are."""
        by_value = not isinstance(timeline.outcome, outcome.Raised)
        detail = msgspec.structs.replace(TIMED, timed=False, probes=True, probes_values=by_value)
        probed = await self._evidence(source, Mode.CLONED, detail)
        lost = truth.without_gradient if isinstance(truth, outcome.Right) else ()
        return FaultSite(source, blame, timeline, probed.probes or NO_PROBES, lost=lost)

    async def _candidates(self, site: FaultSite) -> list[Candidate]:
        return await asyncio.to_thread(list, islice(candidates(site), MAX_CANDIDATES))

    async def judge(self, site: FaultSite, truth: outcome.Truth, cloned: Evidence) -> FixJudge:
        """Compare fixes with the original's replay, and with its write if torch refused it."""
        let_through = with_write_allowed(site)
        self._let_through = self._let_through or let_through
        allowed = None if let_through is None else await self._record(let_through)
        if isinstance(truth, outcome.NotReproducible):
            # Its gradients are other ones in every run: nothing to be equal to.
            cloned = msgspec.structs.replace(cloned, backwards=())
        return await asyncio.to_thread(FixJudge, site, cloned, allowed)

    async def tried(
        self, candidate: Candidate, judge: FixJudge, *whole: tuple[FixJudge, Candidate]
    ) -> Judged:
        """Run a candidate, as often as it takes to say whether it is a fix.

        With `whole`, the judge of the original and all edits up to this one, the verdict is on
        all of them.
        """
        bare = await self._evidence(candidate.source, Mode.BARE)
        self._reached[candidate.source] = bare.begun
        if failed := failure_of(bare.outcome):
            return failed
        cloned = await self._evidence(candidate.source, Mode.CLONED)
        trial = Trial(candidate, bare, cloned, Timeline())
        if failed := await asyncio.to_thread(judge.check_replays, trial):
            return failed
        trial = replace(trial, timeline=await self._record(candidate.source))
        verdict = await self._judged(judge, trial)
        for original, edited in whole if isinstance(verdict, Passed) else ():
            verdict = await self._judged(original, replace(trial, candidate=edited))
        return verdict

    async def _judged(self, judge: FixJudge, trial: Trial) -> Judged:
        verdict = await asyncio.to_thread(judge.judge, trial)
        is_plain = verdict.keeps_loss and not verdict.forward_changes
        if judge.unstable is not None or is_plain or verdict.condition not in ("", "c"):
            return verdict
        # Values differ: perhaps they do in every run.
        again = await self._record(judge.source)
        await asyncio.to_thread(judge.compare_with, again)
        return await asyncio.to_thread(judge.judge, trial)

    async def timed(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Return fixes with the time that each adds: of short programs by a few more runs.

        All are replays: there even a program that fails in a backward runs to its end, and one
        whose write is refused is run with that write.
        """
        original = self.program.source
        if original not in self._seconds and self._let_through is not None:
            original = self._let_through
            await self._evidence(original, Mode.CLONED)
        if original not in self._seconds:
            # It does not run to its end in a replay either; if that was stopped, nobody knows.
            raises = bool(fixes) and isinstance(self._original.outcome, outcome.Raised)
            nothing = AddedTime(seconds=None) if raises else None
            return [msgspec.structs.replace(fix, added_time=nothing) for fix in fixes]
        programs = [original, *(fix.source for fix in fixes)]
        rounds = [[self._seconds.get(each, math.nan) for each in programs]]
        until = min(monotonic() + TIMING_SECONDS, self.deadline)
        while len(rounds) <= MAX_ROUNDS_TIMED and monotonic() + sum(rounds[0]) < until:
            ended = [await self._evidence(each, Mode.CLONED, TIMED) for each in programs]
            seconds = [each.seconds for each in ended if each.seconds is not None]
            if len(seconds) < len(programs):
                break
            rounds.append(seconds)
        before, *edited = zip(*(rounds[1:] or rounds), strict=True)
        return [
            msgspec.structs.replace(fix, added_time=added_time(before, mine))
            for fix, mine in zip(fixes, edited, strict=True)
        ]

    async def _evidence(self, source: str, mode: Mode, detail: Detail = WITH_OUTPUT) -> Evidence:
        worker, limits = self.worker, self.limits
        found = await self._run(source, lambda each: evidence(worker, each, mode, limits, detail))
        ended = isinstance(found.outcome, outcome.Completed)
        if mode is Mode.CLONED and found.seconds is not None and ended:
            self._seconds.setdefault(source, found.seconds)
        return found

    async def _record(self, source: str) -> Timeline:
        return await self._run(source, lambda each: record(self.worker, each, self.limits))

    async def _run(self, source: str, run: Callable[[Program], Awaitable[Ran]]) -> Ran:
        def once(program: Program) -> Awaitable[Ran]:
            self.runs += 1
            return run(program)

        program = msgspec.structs.replace(self.program, source=source, draws_alike=True)
        async with self._turns:
            return await self._leftovers.run(once, program, self.limits)


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
