"""The drill: programs are generated and run in advance, while the learner still thinks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count
from random import Random, SystemRandom

from inplace_tui.common.run.ending import PREDICTED, ending_of
from inplace_tui.common.run.outcome import Completed, Raised, Truth, Unverified
from inplace_tui.common.run.program import Limits, Mode
from inplace_tui.common.texts.drill import DrillTexts
from inplace_tui.diagnosis.drive.runs import evidence, record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.grammar import Drill, make
from inplace_tui.tutorial.activity.drill.learning import (
    SEEDS,
    DrillAnswer,
    NextDrill,
    choose_next,
    record_after,
)
from inplace_tui.tutorial.activity.drill.record import DrillOptions, DrillRecord, Sureness
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill
from inplace_tui.tutorial.activity.drill.sketch import FROM_LEVEL, Tag
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.drive.playlist import Playlist, PlaylistItem
from inplace_tui.tutorial.progress import Progress, today

MAX_SOUGHT = 400
"""Programs in a row that are made up for one with a certain tag."""

MAX_DROPPED = 20
"""Programs in a row that could not be judged; after that it is the machine's fault."""


class DrillError(Exception):
    """No program gave the same result in all its runs."""


class DrillSupply:
    """Generates programs and runs them, ahead of the learner."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._limits = Limits()
        self._under_way: dict[NextDrill, asyncio.Task[RecordedDrill]] = {}

    def prepare(self, *wanted: NextDrill) -> None:
        """Start on these, and cancel all others."""
        for old in self._under_way.keys() - set(wanted):
            self._under_way.pop(old).cancel()
        for each in wanted:
            if each not in self._under_way:
                task = asyncio.create_task(self._first_recorded(each))
                # A failure is marked as seen: `get` raises it again.
                task.add_done_callback(lambda done: done.cancelled() or done.exception())
                self._under_way[each] = task

    async def get(self, wanted: NextDrill) -> RecordedDrill:
        """Return a program that came out in one of the four ways.

        Raises:
            DrillError: none did.
        """
        self.prepare(wanted)
        try:
            return await self._under_way[wanted]
        finally:
            self._under_way.pop(wanted, None)

    async def close(self) -> None:
        tasks = list(self._under_way.values())
        self._under_way.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _first_recorded(self, wanted: NextDrill) -> RecordedDrill:
        most = MAX_DROPPED if wanted.about is None else MAX_SOUGHT
        for seed in range(wanted.seed, wanted.seed + most):
            drill = await asyncio.to_thread(make, seed, wanted.level)
            if wanted.about not in (None, *drill.tags):
                continue
            recorded = await record_drill(self._worker, drill, self._limits)
            if recorded is not None:
                again = wanted.repeat and seed == wanted.seed
                return RecordedDrill(drill, recorded.timeline, recorded.truth, repeat=again)
        raise DrillError


async def record_drill(worker: Worker, drill: Drill, limits: Limits) -> RecordedDrill | None:
    """Return a program with its truth; None where the runs do not agree on one."""
    timeline = await record(worker, drill.program, limits)
    if isinstance(timeline.outcome, Raised) and timeline.outcome.exception != "RuntimeError":
        return None  # a mistake of the generator is nothing to predict
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, drill.program, limits)
    assert timeline.outcome is not None
    found = ending_of(timeline.outcome, truth)
    if found not in PREDICTED:
        return None
    if found.is_complete:
        return RecordedDrill(drill, timeline, truth)
    bare = await evidence(worker, drill.program, Mode.BARE, limits)
    return RecordedDrill(drill, timeline, truth) if bare.outcome == timeline.outcome else None


class ChosenDrills:
    """Programs chosen on the command line: seed after seed, at one level."""

    def __init__(self, options: DrillOptions, progress: Progress) -> None:
        self._progress = progress
        self._options = options
        seed = Random().randrange(SEEDS) if options.seed is None else options.seed  # noqa: S311
        self._seeds = count(seed)
        self._level = options.level or 1
        self._next = self._new()

    def _new(self) -> NextDrill:
        return NextDrill(next(self._seeds), self._level)

    def next(self) -> NextDrill:
        wanted, self._next = self._next, self._new()
        return wanted

    def candidates(self, recorded: RecordedDrill) -> tuple[NextDrill, ...]:
        """Return what may come after this one: the one that follows, skipping what was dropped."""
        while self._next.seed <= recorded.drill.seed:
            self._next = self._new()
        return (self._next,)

    def save(self, answered: DrillAnswer) -> None:
        """Keep an answer, if the answers to chosen programs count."""
        if self._options.kept:
            self._progress.save_drill(replace(answered, given=self._options.name))


class LearnerDrills:
    """Programs that follow from the learner's answers."""

    def __init__(self, progress: Progress, about: Tag | None = None) -> None:
        self._progress = progress
        self._about = about
        self._random = SystemRandom()
        self._ready: tuple[NextDrill, ...] = ()

    def next(self) -> NextDrill:
        """Return what is due, or something new; of new ones a prepared one first."""
        wanted = self._choose(self._progress.record.drill)
        kind = (wanted.level, wanted.repeat)
        alike = [each for each in self._ready if (each.level, each.repeat) == kind]
        return wanted if wanted.repeat or not alike else alike[0]

    def candidates(self, recorded: RecordedDrill) -> tuple[NextDrill, ...]:
        """Return what comes after a right answer, and after a wrong one."""
        day, record = today(), self._progress.record.drill
        either = (DrillAnswer(recorded.drill, way, Sureness.THINK, day) for way in (True, False))
        ways = (record_after(record, answered) for answered in either)
        self._ready = tuple(map(self._choose, ways))
        return self._ready

    def _choose(self, record: DrillRecord) -> NextDrill:
        """Return what is due, or something new; with the tag that is asked for, if any is."""
        wanted = choose_next(record, self._random)
        if self._about is None:
            return wanted
        level = max(wanted.level, FROM_LEVEL.get(self._about, 1))
        return NextDrill(self._random.randrange(SEEDS), level, about=self._about)

    def save(self, answered: DrillAnswer) -> None:
        self._progress.save_drill(answered)


def drill_queue(worker: Worker, options: DrillOptions, progress: Progress) -> DrillQueue:
    """Return the drill: the person who chose decides, else the learner's answers."""
    learners = LearnerDrills(progress, options.about)
    chosen = ChosenDrills(options, progress) if options.is_chosen else learners
    return DrillQueue(worker, chosen, most=options.count)


class DrillQueue(Playlist):
    """The drill: it has the next programs run while this one is thought about."""

    title, name = DrillTexts.drill, "drill"

    def __init__(
        self, worker: Worker, source: ChosenDrills | LearnerDrills, *, most: int | None = None
    ) -> None:
        """Ask `most` programs; `source` decides which come next, and keeps answers."""
        self._source = source
        self._supply = DrillSupply(worker)
        self._most = most
        self._open: RecordedDrill | None = None
        self.answers: list[DrillAnswer] = []

    @property
    def is_over(self) -> bool:
        return self._most is not None and len(self.answers) >= self._most

    async def next(self) -> PlaylistItem:
        self._open = recorded = await self._supply.get(self._source.next())
        self._supply.prepare(*self._source.candidates(recorded))
        return PlaylistItem(recorded.session(), recorded)

    @property
    def score(self) -> tuple[int, int]:
        return sum(each.right for each in self.answers), len(self.answers)

    def save(self, saved: SaveProgress) -> None:
        recorded = self._open
        for answer in saved.answers:
            if recorded is not None and answer.status.is_done:
                self._open = None
                self.answers.append(recorded.answered(answer, today()))
                self._source.save(self.answers[-1])

    async def close(self) -> None:
        await self._supply.close()
