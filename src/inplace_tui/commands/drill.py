"""What `inplace-tui drill` does without a screen: programs, questions and answers, line by line."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import count
from typing import TYPE_CHECKING

from inplace_tui import paths
from inplace_tui.commands.saying import people, print_lines
from inplace_tui.commands.typed import people_wait, typed_lines
from inplace_tui.drive.drill import DrillError
from inplace_tui.drive.lessons import read_course
from inplace_tui.drive.play import warm_worker
from inplace_tui.drive.practice import Practice, programme
from inplace_tui.engine.drill.round import Round, Settled
from inplace_tui.engine.drill.teaching import lesson_after
from inplace_tui.engine.drill.wish import Wish
from inplace_tui.present import drill as words
from inplace_tui.progress import Progress, ProgressError
from inplace_tui.texts import say
from inplace_tui.texts.command import PAGES
from inplace_tui.texts.drill import PLAIN, SCREEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from inplace_tui.commands.spoken import Settings
    from inplace_tui.engine.lessons.loader import Course
    from inplace_tui.present.rows import Row

ROOM = 80
QUIT = ("q", "quit", "exit")


def drill(settings: Settings, wish: Wish) -> int:
    """Ask until the answers end; return the exit code."""
    course = read_course(settings.lessons or paths.built_in_lessons())
    progress = Progress(paths.progress_file())
    language = settings.chosen or progress.record.language or settings.language
    if progress.notice is not None:
        people(progress.notice[language])
    if wish.is_chosen:
        people(say(PLAIN, "unkept", language))
    plain = _Plain(language, course, wish)
    ended = asyncio.run(plain.run(progress))
    if not wish.is_chosen:
        print_lines(words.summary(progress.record.drill, language))
    return ended


class _Plain:
    """A drill on lines of text."""

    def __init__(self, language: str, course: Course, wish: Wish) -> None:
        self._language = language
        self._course = course
        self._wish = wish

    async def run(self, progress: Progress) -> int:
        """Ask until the answers end."""
        people(say(PAGES, "loading", self._language))
        async with warm_worker() as worker, aclosing(typed_lines()) as lines:
            practice = Practice(worker, programme(self._wish, progress))
            try:
                await self._ask(practice, lines)
            except DrillError:
                people(say(SCREEN, "no-program", self._language))
                return 1
            finally:
                await practice.close()
        print_lines(["", words.session(practice.rounds, self._language)])
        return 0

    async def _ask(self, practice: Practice, lines: AsyncIterator[str]) -> None:
        """Go from program to program."""
        for number in count(1) if self._wish.count is None else range(1, self._wish.count + 1):
            round_ = await self._round(await practice.next(), number, lines)
            if round_ is None:
                return
            try:
                practice.keep(round_)
            except ProgressError as failure:
                people(failure.said[self._language])
            lesson = lesson_after(round_.settled, self._course)
            self._print(words.told(round_, lesson, ROOM, self._language))

    async def _round(
        self, settled: Settled, number: int, lines: AsyncIterator[str]
    ) -> Round | None:
        """Show one program and return how it was answered; None if nobody answers any more."""
        made = settled.drill
        key = "head-again" if settled.repeat else "head"
        place = {"number": number, "level": made.level, "seed": made.seed}
        head = say(PLAIN, key, self._language, **place)
        code = [f"{n:>3} │ {line}" for n, line in enumerate(made.source.splitlines(), 1)]
        print_lines(["", head, "", *code, ""])
        asked = Round(settled)
        while not asked.is_told:
            self._print(words.question(asked, ROOM, self._language))
            choice = await self._choice(asked.choices, lines)
            if choice is None:
                return None
            asked = asked.answered(choice)
            print_lines([""])
        return asked

    async def _choice(self, choices: int, lines: AsyncIterator[str]) -> int | None:
        """Return the number of the choice, from 0 on; None if there is no answer."""
        while True:
            people_wait()
            line = await anext(lines, None)
            if line is None or line.strip().lower() in QUIT:
                return None
            answer = line.strip()
            if answer.isdecimal() and 1 <= int(answer) <= choices:
                return int(answer) - 1
            people(say(PLAIN, "range", self._language, first=1, last=choices))

    def _print(self, rows: Iterable[Row]) -> None:
        print_lines(row.text.rstrip() for row in rows)
