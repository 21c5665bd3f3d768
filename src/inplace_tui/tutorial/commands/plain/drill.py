"""The drill on lines of text: a program, two questions, and its run to step through."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.command.stdin import read_lines
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts
from inplace_tui.common.texts.drill import DrillTexts, PlainDrillTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, lesson_after
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.signals import QuestionLeft
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.shell import RunShell, Sitting
from inplace_tui.tutorial.commands.plain.typed import DRILL, TypedCommand, TypedNumbers
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue, drill_source
from inplace_tui.tutorial.present import drill as words
from inplace_tui.tutorial.present.question import count
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
        answers: Sequence[DrillAnswer],
        on_progress: Callable[[SaveProgress], None],
        is_last: bool,
    ) -> None:
        super().__init__(recorded.session(), worker, printer, on_progress=on_progress)
        self._recorded = recorded
        self._head = head
        self._course = course
        self._answers = answers
        self._is_last = is_last

    @property
    def _is_answered(self) -> bool:
        return not self.runner.session.awaits_prediction

    async def begin(self) -> None:
        self.open()

    def leaves(self, typed: TypedCommand) -> bool:
        """Whether the drill, or this program, is done with."""
        if typed.name == "quit":
            return True
        at_end = typed.name == "next" and self.view.cursor == len(self.view.timeline) - 1
        return self._is_answered and (typed.name == "drill" or at_end)

    async def take(self, typed: TypedCommand | TypedNumbers | None, line: str) -> None:
        asked = self.view.question
        if asked is None or self._is_answered:
            await super().take(typed, line)
            return
        choices = count(asked.answers)
        match typed:
            case TypedNumbers(given=(number,)) if 1 <= number <= choices:
                self.printer.gap()
                await super().take(typed, line)
            case TypedCommand(name="leave") if asked.draft:
                await self.send(QuestionLeft())
            case TypedCommand(name="program"):
                self.open()
            case TypedCommand(name=name) if name in BEFORE:
                await super().take(typed, line)
            case _:
                self.printer.say(PlainDrillTexts.range, first=1, last=choices)

    async def do(self, typed: TypedCommand) -> bool:
        """Only the question of a drill can be left, and that is over."""
        if typed.name == "leave":
            self.notice(NoticeTexts.no_question)
        return typed.name == "leave"

    def open(self) -> None:
        self.printer.gap()
        self.printer.text(self._head(self.printer.language))
        if self._is_answered:
            super().open()
            return
        self.printer.gap()
        self.printer.rows(plain.program(self.view, self.printer.room, self.printer.language))
        self.printer.gap()
        self._ask(self.view)

    def show(self) -> None:
        """Print the question that comes next; after the answer to the last, the reply."""
        if not self.view.awaits_answer:
            super().show()
            return
        self.view = self.current_view()
        self._ask(self.view)
        if self._is_answered:
            self._print_reply()

    def _ask(self, view: View) -> None:
        if view.question is not None and view.awaits_answer:
            printer = self.printer
            printer.rows(words.question(view.question, printer.room, printer.language))

    def _print_reply(self) -> None:
        printer = self.printer
        lesson = lesson_after(self._recorded, self._course)
        answer = self._answers[-1]
        printer.rows(
            words.reply_rows(self._recorded, answer, lesson, printer.room, printer.language)
        )
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
        self.printer.lines([words.session(queue.score, self.printer.language)])
        if self._wanted.counts:
            print_lines(words.summary(self.progress.record.drill, self.printer.language))
        return 0

    async def _ask(self, queue: DrillQueue, worker: Worker, lines: AsyncIterator[str]) -> None:
        most = self._wanted.count
        for number in itertools.count(1) if most is None else range(1, most + 1):
            recorded = await queue.next()
            shell = DrillShell(
                recorded,
                worker,
                self.printer,
                head=_head(recorded, number),
                course=self._course,
                answers=queue.answers,
                on_progress=lambda saved: self.keep(lambda: queue.save(saved)),
                is_last=number == most,
            )
            if (await shell.run(lines)).name == "quit":
                return


def _head(recorded: RecordedDrill, number: int) -> Callable[[str], str]:
    made = recorded.drill
    key = PlainDrillTexts.head_again if recorded.repeat else PlainDrillTexts.head
    return lambda language: say(key, language, number=number, level=made.level, seed=made.seed)
