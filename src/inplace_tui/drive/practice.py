"""One session of the drill: what comes next is ready before the learner is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import date
from itertools import count
from random import Random, SystemRandom

from inplace_tui.drive.drill import Supply
from inplace_tui.engine.drill.learning import SEEDS, Answered, Wanted, both_ways, choose
from inplace_tui.engine.drill.options import DrillOptions
from inplace_tui.engine.drill.round import Round, Settled
from inplace_tui.progress import Progress
from inplace_tui.runner.worker import Worker


def today() -> int:
    """Return the day here, as `date.toordinal()` counts."""
    return date.today().toordinal()


class Programme(ABC):
    """Decides which program comes next."""

    @abstractmethod
    def next(self) -> Wanted:
        """Return what to show now."""

    @abstractmethod
    def candidates(self, settled: Settled) -> tuple[Wanted, ...]:
        """Return what may come after this one, while it is not answered."""

    @abstractmethod
    def keep(self, answered: Answered) -> None:
        """Keep an answer.

        Raises:
            ProgressError: it is kept in memory only.
        """


class Chosen(Programme):
    """What a person chose: seed after seed, at one level. Nothing is kept."""

    def __init__(self, seed: int | None, level: int) -> None:
        self._seeds = count(Random().randrange(SEEDS) if seed is None else seed)  # noqa: S311
        self._level = level
        self._next = self._new()

    def _new(self) -> Wanted:
        return Wanted(next(self._seeds), self._level)

    def next(self) -> Wanted:
        """Return the program of the next seed."""
        wanted, self._next = self._next, self._new()
        return wanted

    def candidates(self, settled: Settled) -> tuple[Wanted, ...]:
        """Return the one that follows, skipping what was dropped."""
        while self._next.seed <= settled.drill.seed:
            self._next = self._new()
        return (self._next,)

    def keep(self, answered: Answered) -> None:
        """Keep nothing: the programs were not the learner's choice."""


class Followed(Programme):
    """What a learner's answers lead to."""

    def __init__(self, progress: Progress, day: Callable[[], int] = today) -> None:
        self._progress = progress
        self._day = day
        self._random = SystemRandom()
        self._ready: tuple[Wanted, ...] = ()

    def next(self) -> Wanted:
        """Return what is due, or something new: rather what was prepared than another."""
        wanted = choose(self._progress.record.drill, self._day(), self._random)
        kind = (wanted.level, wanted.repeat)
        alike = [each for each in self._ready if (each.level, each.repeat) == kind]
        return wanted if wanted.repeat or not alike else alike[0]

    def candidates(self, settled: Settled) -> tuple[Wanted, ...]:
        """Return what comes after a right answer, and after a wrong one."""
        day, record = self._day(), self._progress.record.drill
        ways = both_ways(record, settled.drill, day)
        self._ready = tuple(choose(way, day, self._random) for way in ways)
        return self._ready

    def keep(self, answered: Answered) -> None:
        """Keep an answer in the learner's progress.

        Raises:
            ProgressError: it is kept in memory only.
        """
        self._progress.keep_drill(answered)


def programme(wish: DrillOptions, progress: Progress) -> Programme:
    """Return what decides: the person who chose, else the learner's answers."""
    return Chosen(wish.seed, wish.level or 1) if wish.is_chosen else Followed(progress)


class Practice:
    """Hands out programs, and has the next ones run while this one is thought about."""

    def __init__(
        self, worker: Worker, programme: Programme, day: Callable[[], int] = today
    ) -> None:
        self._programme = programme
        self._supply = Supply(worker)
        self._day = day
        self.rounds: list[Round] = []
        """Those that were answered."""

    async def next(self) -> Settled:
        """Return the next program.

        Raises:
            DrillError: none could be settled.
        """
        settled = await self._supply.get(self._programme.next())
        self._supply.prepare(*self._programme.candidates(settled))
        return settled

    def keep(self, round: Round) -> None:  # noqa: A002
        """Keep a round that was told.

        Raises:
            ProgressError: it is kept in memory only.
        """
        self.rounds.append(round)
        self._programme.keep(round.answer(self._day()))

    async def close(self) -> None:
        """Stop what is being prepared."""
        await self._supply.close()
