"""The drill on lines of text: a program, two questions, and its run to step through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from itertools import count

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.command.stdin import read_lines
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts
from inplace_tui.common.texts.drill import DrillTexts, PlainDrillTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.drill.round import RecordedDrill, Round, lesson_after
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import Gate, Mask, View
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.shell import RunShell, Sitting
from inplace_tui.tutorial.commands.plain.typed import DRILL, TypedCommand, TypedNumbers
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue, drill_source
from inplace_tui.tutorial.present import drill as words
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.report import plain
from inplace_tui.tutorial.settings import Settings

BEFORE = ("language", "help")
"""Commands that work before the prediction: they show nothing of the run."""


class DrillShell(RunShell):
    """One program; nothing of its run is shown before the answer."""

    groups = DRILL

    def __init__(
        self,
        recorded: RecordedDrill,
        worker: Worker,
        printer: Printer,
        *,
        head: Callable[[str], str],
        course: Course,
        save: Callable[[Round], None],
        is_last: bool,
    ) -> None:
        self._round = Round(recorded)
        super().__init__(
            Session.of_recording(recorded.drill.program, recorded.timeline, recorded.truth),
            worker,
            printer,
        )
        self._head = head
        self._course = course
        self._save = save
        self._is_last = is_last

    def current_view(self) -> View:
        """Return what may be shown: before the answer, the program alone."""
        if self._round.is_answered:
            return super().current_view()
        return View(
            source=self._round.recorded.drill.source,
            timeline=Timeline(),
            gates={0: Gate.OPEN},
            mask=Mask(outcome=True),
        )

    async def begin(self) -> None:
        self.open()

    def leaves(self, typed: TypedCommand) -> bool:
        """Whether the drill, or this program, is done with."""
        if typed.name == "quit":
            return True
        at_end = typed.name == "next" and self.view.cursor == len(self.view.timeline) - 1
        return self._round.is_answered and (typed.name == "drill" or at_end)

    async def take(self, typed: TypedCommand | TypedNumbers | None, line: str) -> None:
        match typed:
            case _ if self._round.is_answered:
                await super().take(typed, line)
            case TypedNumbers(given=(number,)) if 1 <= number <= self._round.choices:
                await self._answered(number)
            case TypedCommand(name="leave") if self._round.predicted is not None:
                self._round = self._round.taken_back()
                self._print_question()
            case TypedCommand(name="program"):
                self.open()
            case TypedCommand(name=name) if name in BEFORE:
                await super().take(typed, line)
            case _:
                choices = {"first": 1, "last": self._round.choices}
                self.printer.say(PlainDrillTexts.range, **choices)

    async def do(self, typed: TypedCommand) -> bool:
        """Only the question of a drill can be left, and that is over."""
        if typed.name == "leave":
            self.notice(NoticeTexts.no_question)
        return typed.name == "leave"

    async def _answered(self, number: int) -> None:
        self._round = self._round.answered(number - 1)
        self.printer.gap()
        if not self._round.is_answered:
            self._print_question()
            return
        self._save(self._round)
        self.runner.send(Moved(Move.END))
        self.view = self.current_view()
        self._print_reply()

    def open(self) -> None:
        language = self.printer.language
        self.printer.gap()
        self.printer.text(self._head(language))
        if self._round.is_answered:
            super().open()
            return
        self.printer.gap()
        self.printer.rows(plain.program(self.view, self.printer.room, language))
        self.printer.gap()
        self._print_question()

    def _print_question(self) -> None:
        self.printer.rows(words.question(self._round, self.printer.room, self.printer.language))

    def _print_reply(self) -> None:
        printer = self.printer
        lesson = lesson_after(self._round.recorded, self._course)
        printer.rows(words.reply_rows(self._round, lesson, printer.room, printer.language))
        printer.gap()
        printer.say(PlainDrillTexts.answered_last if self._is_last else PlainDrillTexts.answered)


def drill(settings: Settings, wanted: DrillOptions) -> int:
    return asyncio.run(_DrillLoop(settings, wanted).run())


class _DrillLoop(Sitting):
    """Program after program."""

    def __init__(self, settings: Settings, wanted: DrillOptions) -> None:
        super().__init__(settings, Progress(paths.progress_file()))
        self._course = load_course(settings.lessons)
        self._wanted = wanted

    async def run(self) -> int:
        """Ask until the input or the asked number of programs ends; print the result."""
        self.print_notice()
        if not self._wanted.counts:
            print_message(say(PlainDrillTexts.not_kept, self.printer.language))
        print_message(say(CommandTexts.loading, self.printer.language))
        async with warm_worker() as worker, aclosing(read_lines()) as lines:
            queue = DrillQueue(worker, drill_source(self._wanted, self.progress))
            try:
                await self._ask(queue, worker, lines)
            except DrillError:
                print_message(say(DrillTexts.no_program, self.printer.language))
                return 1
            finally:
                await queue.close()
        self.printer.gap()
        self.printer.lines([words.session(queue.rounds, self.printer.language)])
        if self._wanted.counts:
            print_lines(words.summary(self.progress.record.drill, self.printer.language))
        return 0

    async def _ask(self, queue: DrillQueue, worker: Worker, lines: AsyncIterator[str]) -> None:
        most = self._wanted.count
        for number in count(1) if most is None else range(1, most + 1):
            recorded = await queue.next()
            shell = DrillShell(
                recorded,
                worker,
                self.printer,
                head=_head(recorded, number),
                course=self._course,
                save=lambda round_: self.keep(lambda: queue.save(round_)),
                is_last=number == most,
            )
            if (await shell.run(lines)).name == "quit":
                return


def _head(recorded: RecordedDrill, number: int) -> Callable[[str], str]:
    made = recorded.drill
    key = PlainDrillTexts.head_again if recorded.repeat else PlainDrillTexts.head
    return lambda language: say(key, language, number=number, level=made.level, seed=made.seed)
