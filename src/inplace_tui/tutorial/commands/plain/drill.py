"""The drill on lines of text: a program, two questions, and its run to step through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import partial

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.texts import say
from inplace_tui.common.texts.drill import DrillTexts, PlainDrillTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, lesson_after
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.signals import QuestionLeft
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.library import load_course
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.quiz import AskingSitting, QuizShell
from inplace_tui.tutorial.commands.plain.typed import DRILL, TypedCommand, TypedNumbers
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue, drill_source
from inplace_tui.tutorial.present import drill as words
from inplace_tui.tutorial.present.question import count
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.settings import Settings

BEFORE = ("language", "help")
"""Commands that work before the prediction: they show nothing of the run."""


class DrillShell(QuizShell):
    """One program; nothing of its run is shown before the answer."""

    groups = DRILL
    leaving = ("quit",)
    onward = "drill"

    def __init__(
        self,
        recorded: RecordedDrill,
        worker: Worker,
        printer: Printer,
        *,
        head: Callable[[], str],
        on_progress: Callable[[SaveProgress], None],
        on_answer: Callable[[RecordedDrill], None],
    ) -> None:
        super().__init__(recorded.session(), worker, printer, head=head, on_progress=on_progress)
        self._recorded = recorded
        self._on_answer = on_answer

    async def begin(self) -> None:
        self.open()

    async def take(self, typed: TypedCommand | TypedNumbers | None, line: str) -> None:
        asked = self.view.question
        if asked is None or self.is_over:
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

    def answered(self) -> None:
        self._on_answer(self._recorded)

    def show(self) -> None:
        """Print the question that comes next; the reply is that of the drill."""
        if not self.view.awaits_answer:
            super().show()
            return
        self.view = self.current_view()
        self._print_question(self.view)

    def _print_moment(self, view: View, *, since: int) -> None:
        if self.is_over:
            super()._print_moment(view, since=since)

    def _ask(self, view: View) -> None:
        if view.awaits_answer:
            self.printer.gap()
            self._print_question(view)

    def _print_question(self, view: View) -> None:
        if view.question is not None and view.awaits_answer:
            room, language = self.printer.room, self.printer.language
            self.printer.rows(words.question(view.question, room, language))


def drill(settings: Settings, wanted: DrillOptions) -> int:
    return asyncio.run(_DrillSitting(settings, wanted).run())


class _DrillSitting(AskingSitting):
    """Program after program, made up while the one before is thought about."""

    def __init__(self, settings: Settings, wanted: DrillOptions) -> None:
        super().__init__(settings, Progress(paths.progress_file()))
        self._course = load_course(settings.lessons)
        self._wanted = wanted
        self._queue: DrillQueue | None = None

    def print_notice(self) -> None:
        super().print_notice()
        if not self._wanted.counts:
            print_message(say(PlainDrillTexts.not_kept, self.printer.language))

    async def run(self) -> int:
        try:
            return await super().run()
        except DrillError:
            print_message(say(DrillTexts.no_program, self.printer.language))
            return 1

    async def shells(self, worker: Worker) -> AsyncGenerator[QuizShell, None]:
        self._queue = queue = DrillQueue(worker, drill_source(self._wanted, self.progress))
        try:
            while len(queue.answers) != self._wanted.count:
                recorded = await queue.next()
                yield DrillShell(
                    recorded,
                    worker,
                    self.printer,
                    head=partial(self._head, recorded, len(queue.answers) + 1),
                    on_progress=lambda saved: self.keep(lambda: queue.save(saved)),
                    on_answer=self._reply,
                )
        finally:
            await queue.close()

    def _head(self, recorded: RecordedDrill, number: int) -> str:
        key = PlainDrillTexts.head_again if recorded.repeat else PlainDrillTexts.head
        numbers = {"number": number, "level": recorded.drill.level, "seed": recorded.drill.seed}
        return say(key, self.printer.language, **numbers)

    def _reply(self, recorded: RecordedDrill) -> None:
        assert self._queue is not None, "it was answered"
        answers, printer = self._queue.answers, self.printer
        lesson, room = lesson_after(recorded, self._course), printer.room
        printer.rows(words.reply_rows(recorded, answers[-1], lesson, room, printer.language))
        printer.gap()
        is_last = len(answers) == self._wanted.count
        printer.say(PlainDrillTexts.answered_last if is_last else PlainDrillTexts.answered)

    def print_result(self) -> None:
        score = (0, 0) if self._queue is None else self._queue.score
        self.printer.lines([words.session(score, self.printer.language)])
        if self._wanted.counts:
            print_lines(words.summary(self.progress.record.drill, self.printer.language))
