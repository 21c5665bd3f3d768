"""Performs what a session decides: runs programs, and tells the session what they did."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from time import monotonic

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.presence import Presence
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Truth,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.program import (
    Backward,
    Detail,
    ExtraBackward,
    Limits,
    Mode,
    Origin,
    Program,
)
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.verdicts import verdict_of_message
from inplace_tui.common.version_error import version_error
from inplace_tui.diagnosis.drive.investigation import FixTrials
from inplace_tui.diagnosis.drive.runs import compared, record, replay_limits, verify
from inplace_tui.diagnosis.protocol.messages import (
    BackwardRan,
    LineRecorded,
    ProgramEnded,
    ProgramStarted,
    ProgramWrote,
    Report,
)
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.drive.paused_run import PausedRun
from inplace_tui.tutorial.forecast.forecast import (
    Forecast,
    Raises,
    Runs,
    RunsWrong,
    Unknown,
    UnknownReason,
)

BATCH = 0.05
"""Seconds for which steps are gathered before the screen gets them."""

PAUSE = 8
"""The pause before the next steps are shown, as a multiple of the time the last ones took."""

LONGEST = 0.5
"""Seconds for which keys may put off that steps are shown."""

SAVE_AFTER = 0.5
"""Seconds after which progress is written: a held key must not cost an fsync each time."""

FORECAST_AFTER = 0.3
"""Seconds that a tensor must be looked at before the program is replayed for it."""

SEARCH_FOR = 30.0
"""Seconds in which fixes are looked for."""

AT_ONCE = 2
"""Runs and replays under way at the same time."""

ERROR = attrgetter("exception", "message")


class SessionRunner:
    """Call `start` once, `send` with every signal, `close` at the end.

    All of it happens on the running event loop; nothing here blocks.
    """

    def __init__(
        self,
        session: Session,
        worker: Worker,
        *,
        on_change: Callable[[], None] | None = None,
        on_notice: Callable[[LocalText], None] | None = None,
        on_progress: Callable[[SaveProgress], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.session = session
        self.worker = worker
        self._on_change = on_change
        self._on_notice = on_notice
        self._on_progress = on_progress
        self._limits = limits or Limits()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._forecast_task: asyncio.Task[None] | None = None
        self._gave_notice = False
        self._room = asyncio.Semaphore(AT_ONCE)
        self._unsaved: SaveProgress | None = None
        self._began: float | None = None
        self._ended: float | None = None
        """When the last program did; torch may have had to be loaded before."""

        self._saved_state: tuple[object, ...] = ((), False)
        self._saving: asyncio.TimerHandle | None = None

    def bind(self, on_change: Callable[[], None], on_notice: Callable[[LocalText], None]) -> None:
        """Tell a screen from now on, which was made after this runner."""
        self._on_change, self._on_notice = on_change, on_notice

    def start(self) -> None:
        self._perform(self.session.start())

    def send(self, signal: signals.Signal) -> None:
        """Tell the session, do what it wants done, and say that it changed."""
        self._perform(self.session.handle(signal))
        if self._on_change is not None:
            self._on_change()

    @property
    def run_seconds(self) -> float | None:
        """Seconds that the last program ran, or has run until now; None before it has begun."""
        return None if self._began is None else (self._ended or monotonic()) - self._began

    async def pause(self, seconds: float) -> None:
        """Wait until what runs now has ended, no longer than so."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)

    def paused_run(self, program: Program, timeline: Timeline) -> PausedRun:
        """Return a way to run a program again up to a step; whoever asks closes it."""
        return PausedRun(self.worker, program, self._again(program), timeline)

    def _again(self, program: Program) -> Limits | None:
        return replay_limits(self.worker, program, self._limits)

    async def close(self) -> None:
        forecast = [] if self._forecast_task is None else [self._forecast_task]
        tasks = [*self._tasks.values(), *forecast]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.save()

    def _perform(self, instructions: list[signals.Instruction]) -> None:
        for instruction in instructions:
            match instruction:
                case signals.RunProgram(run=run, program=program):
                    self._begin(run, self._record(run, program))
                case signals.VerifyTruth(run=run, program=program):
                    self._begin(run, self._verify(run, program))
                case signals.FindForecast(run=run):
                    if self._forecast_task is not None:
                        self._forecast_task.cancel()
                    work = asyncio.create_task(self._find_forecast(instruction))
                    work.add_done_callback(partial(_report, run))
                    self._forecast_task = work
                case signals.FindFixes(run=run):
                    self._begin(run, self._search(instruction))
                case signals.RunTrial(run=run):
                    self._begin(run, self._try(instruction))
                case signals.CancelRun(run=run):
                    if run in self._tasks:
                        self._tasks[run].cancel()
                case SaveProgress():
                    self._save_soon(instruction)
                case signals.Notify(text=text):
                    if self._on_notice is not None:
                        self._on_notice(text)

    def _begin(self, run: int, work: Coroutine[None, None, None]) -> None:
        """Start a task for a run; its replays take the place of its recording."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[run] = task

        def forget(done: asyncio.Task[None]) -> None:
            if self._tasks.get(run) is done:
                del self._tasks[run]
            _report(run, done)

        task.add_done_callback(forget)

    async def _record(self, run: int, program: Program) -> None:
        batch = _Batch(
            lambda steps: self.send(signals.StepsArrived(run=run, steps=steps)),
            self.worker.presence,
        )
        self._began = self._ended = None
        try:
            own = program.origin is Origin.OWN
            if own and not self._gave_notice and self._on_notice is not None:
                await self.worker.ready()
                if self._again(program) is None:
                    # It can't run again: that is said before it runs.
                    self._gave_notice = True
                    self._on_notice(NoticeTexts.no_view)
            async with self._room:
                reports = self.worker.run(program, Mode.RECORD, self._limits)
                async with aclosing(reports):
                    async for report in reports:
                        self._began = self._began or monotonic()
                        if isinstance(report, ProgramEnded):
                            self._ended = monotonic()
                        self._take(run, report, batch)
        finally:
            batch.drop()

    def _take(self, run: int, report: Report, batch: _Batch) -> None:
        match report:
            case ProgramStarted(line=line):
                self.send(signals.RunBegan(run=run, line=line))
            case LineRecorded(step=step):
                batch.add(step)
            case ProgramEnded(outcome=outcome, faults=faults, off_at=off_at):
                batch.flush()
                self.send(signals.RunEnded(run=run, outcome=outcome, faults=faults, off_at=off_at))
            case BackwardRan() | ProgramWrote():
                pass  # the replays' business

    async def _verify(self, run: int, program: Program) -> None:
        limits = self._again(program)
        if limits is None:
            self.send(signals.TruthKnown(run=run, truth=Unverified()))
            return
        async with self._room:
            truth = await verify(self.worker, program, limits)
            if self.session.lesson is not None and not isinstance(truth, Right | Wrong):
                # A lesson's program repeats itself: a replay fell to a dying worker.
                truth = await verify(self.worker, program, limits)
        self.send(signals.TruthKnown(run=run, truth=truth))

    async def _find_forecast(self, wanted: signals.FindForecast) -> None:
        """Find a forecast when the learner has looked at it for a moment."""
        await asyncio.sleep(FORECAST_AFTER)
        limits = self._again(wanted.program)
        found: Forecast = Unknown(UnknownReason.NO_VIEW)
        if limits is not None:
            async with self._room:
                found = await find_forecast(
                    self.worker, wanted.program, limits, step=wanted.step, tensor=wanted.name
                )
        run, step, tensor = wanted.run, wanted.step.index, wanted.tensor
        self.send(signals.ForecastKnown(run=run, step=step, tensor=tensor, forecast=found))

    async def _search(self, wanted: signals.FindFixes) -> None:
        def searched(found: FixSearch) -> None:
            self.send(signals.FixesTried(run=wanted.run, search=found))

        limits = self._again(wanted.program)
        if limits is None:
            searched(FixSearch(total=0, over=True, no_view=True))
            return
        # A timeline finds things out when it is asked: the screen keeps one of its own.
        own = await asyncio.to_thread(wanted.timeline.excerpt, wanted.timeline.steps)
        own.outcome = wanted.timeline.outcome
        until = monotonic() + SEARCH_FOR
        trials = FixTrials(self.worker, wanted.program, limits, until, searched)
        searched(await trials.search(wanted.blame, own, wanted.truth))

    async def _try(self, wanted: signals.RunTrial) -> None:
        """Run a trial, once more if the run fell to a dying worker."""
        async with self._room:
            for _ in range(2):
                timeline = await record(self.worker, wanted.program, self._limits)
                outcome = timeline.outcome
                if not (isinstance(outcome, Crashed) and outcome.worker_died):
                    break
            truth: Truth = Unverified()
            if wanted.with_truth and isinstance(outcome, Completed):
                truth = await verify(self.worker, wanted.program, self._limits)
        self.send(signals.TrialEnded(run=wanted.run, timeline=timeline, truth=truth))

    def _save_soon(self, progress: SaveProgress) -> None:
        self._unsaved = progress
        progress_state = (progress.answers, progress.finished)
        if progress_state != self._saved_state:
            # An answer is kept before anybody sees its result.
            self._saved_state = progress_state
            self.save()
        elif self._saving is None:
            loop = asyncio.get_running_loop()
            self._saving = loop.call_later(SAVE_AFTER, self.save)

    def save(self) -> None:
        """Save now what was not saved yet: somebody is about to look at it."""
        if self._saving is not None:
            self._saving.cancel()
            self._saving = None
        if self._unsaved is not None and self._on_progress is not None:
            self._on_progress(self._unsaved)
        self._unsaved = None


Play = Callable[[Session], SessionRunner]
"""Returns a runner for a session that is to be shown."""


def _report(run: int, done: asyncio.Task[None]) -> None:
    """Report a failure of ours now, not when the task is collected."""
    if not done.cancelled() and (error := done.exception()) is not None:
        done.get_loop().call_exception_handler(
            {"message": f"run {run} failed", "exception": error, "task": done}
        )


class _Batch:
    """Gathers steps, so that a loop of 100,000 lines costs a few refreshes a second."""

    def __init__(
        self, deliver: Callable[[tuple[Step, ...]], None], presence: Presence | None
    ) -> None:
        self._deliver = deliver
        self._presence = presence
        self._steps: list[Step] = []
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        """When the next steps may be delivered: the first ones at once."""

        self._loop = asyncio.get_running_loop()

    def add(self, step: Step) -> None:
        self._steps.append(step)
        if self._timer is None:
            due = max(self._next, self._loop.time())
            self._timer = self._loop.call_at(due, self._deliver_when_idle, due + LONGEST)

    def _deliver_when_idle(self, latest: float) -> None:
        """Deliver, unless a key is being answered; then a moment later."""
        now = self._loop.time()
        wanted = 0.0 if self._presence is None else self._presence.wanted
        if wanted and now < latest:
            self._timer = self._loop.call_at(
                min(now + wanted, latest), self._deliver_when_idle, latest
            )
        else:
            self.flush()

    def flush(self) -> None:
        self.drop()
        if self._steps:
            steps, self._steps = tuple(self._steps), []
            began = self._loop.time()
            self._deliver(steps)
            ended = self._loop.time()
            # Where showing them takes long, keys have most of the time all the same.
            self._next = ended + max(BATCH, PAUSE * (ended - began))

    def drop(self) -> None:
        """Deliver nothing by itself any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(frozen=True)
class _Replay:
    """One replay, for the forecast of a tensor where the graph does not show it."""

    outcome: Outcome
    before: tuple[Backward, ...]
    """What the program's own backwards delivered."""

    backward: Backward | None
    """What the one that was tried did; None if the replay did not come to it."""

    @property
    def backwards(self) -> tuple[Backward, ...]:
        return self.before if self.backward is None else (*self.before, self.backward)


async def find_forecast(
    worker: Worker, program: Program, limits: Limits, *, step: Step, tensor: str
) -> Forecast:
    """Replay a program up to a step, and return what backward from a tensor does there."""
    extra_backward = ExtraBackward(line=step.line, visit=step.visit, tensor=tensor)
    first = await _replay(worker, program, limits, Mode.BARE, extra_backward)
    if first.backward is None:
        return Unknown(UnknownReason.NOT_REPEATED)
    if isinstance(first.outcome, Raised):
        second = await _replay(worker, program, limits, Mode.BARE, extra_backward)
        same = isinstance(second.outcome, Raised) and ERROR(second.outcome) == ERROR(first.outcome)
        return _raised(first.outcome) if same else Unknown(UnknownReason.NOT_REPEATED)
    if not isinstance(first.outcome, Completed):
        return Unknown(UnknownReason.NOT_COMPARED)
    second, cloned = await asyncio.gather(
        _replay(worker, program, limits, Mode.BARE, extra_backward),
        _replay(worker, program, limits, Mode.CLONED, extra_backward),
    )
    return _compared(first, second, cloned)


def _raised(error: Raised) -> Raises:
    versions = version_error(error.message)
    return Raises(
        verdict_of_message(error.message),
        saved=None if versions is None else versions.expected,
        now=None if versions is None else versions.now,
    )


def _compared(first: _Replay, second: _Replay, cloned: _Replay) -> Forecast:
    if first != second:
        return Unknown(UnknownReason.NOT_REPEATED)
    if first.before:
        earlier = compared(*((each.outcome, each.before) for each in (first, second, cloned)))
        if isinstance(earlier, Wrong):
            return Unknown(UnknownReason.EARLIER_WRONG)
    truth = compared(*((each.outcome, each.backwards) for each in (first, second, cloned)))
    match truth:
        case Right():
            return Runs()
        case Wrong():
            return RunsWrong()
        case NotReproducible() | Unverified():
            return Unknown(UnknownReason.NOT_COMPARED)


async def _replay(
    worker: Worker, program: Program, limits: Limits, mode: Mode, extra_backward: ExtraBackward
) -> _Replay:
    backwards: list[Backward] = []
    before: int | None = None
    detail = Detail(extra_backward=extra_backward)
    async with aclosing(worker.run(program, mode, limits, detail)) as reports:
        async for report in reports:
            match report:
                case BackwardRan(backward=backward):
                    backwards.append(backward)
                case LineRecorded():
                    before = len(backwards)
                case ProgramEnded(outcome=ended):
                    reached = before is not None and len(backwards) == before + 1
                    replay = backwards.pop() if reached else None
                    return _Replay(ended, tuple(backwards), replay)
                case ProgramStarted() | ProgramWrote():
                    continue
    raise AssertionError("a run ends with ProgramEnded")
