"""A checkpoint or the review on lines of text: program after program, each asked about first."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.command.stdin import read_lines
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import did_you_mean, fill
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.common.texts.quiz import PlainQuizTexts, QuizScreenTexts, QuizTexts
from inplace_tui.common.trust import Trust
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.commands.library import load_library
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.shell import RunShell, Sitting
from inplace_tui.tutorial.commands.plain.typed import QUIZ, TypedCommand
from inplace_tui.tutorial.commands.programs import require_trust
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive import quiz as quizzes
from inplace_tui.tutorial.drive.packs import Library
from inplace_tui.tutorial.drive.quiz import Quiz, names_of
from inplace_tui.tutorial.present.quiz import summary
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.report import plain
from inplace_tui.tutorial.settings import Settings


def find_chapter(course: Course, name: str) -> LoadedChapter:
    """Return a chapter with a checkpoint, by its name or its number."""
    numbered = {str(number): each for number, each in enumerate(course.chapters, 1)}
    found = numbered.get(name) or course.find_chapter(name)
    if found is None or found.chapter.checkpoint is None:
        hint = did_you_mean(name, [each.slug for each in course.checkpoints])
        raise CommandError(ErrorTexts.no_checkpoint, name=name, hint=hint)
    return found


def checkpoint(settings: Settings, name: str | None) -> int:
    """Ask a chapter's checkpoint, or the first that was not finished; return the exit code."""
    progress, library = Progress(paths.progress_file()), load_library(settings.lessons)
    course = library.course
    undone = (each for each in course.checkpoints if progress.checkpoint(each.slug).best is None)
    chapter = next(undone, None) if name is None else find_chapter(course, name)
    language = settings.chosen or progress.record.language or settings.language
    if chapter is None:
        print_message(say(QuizScreenTexts.all_done, language))
        return 0
    for each in chapter.lessons[:1]:
        require_trust(library.pack_of(each), settings)
    title = fill(QuizTexts.of_chapter, title=chapter.chapter.title)
    quiz = quizzes.checkpoint(course, chapter, progress)
    return asyncio.run(_QuizSitting(settings, library, quiz, title).run())


def review(settings: Settings) -> int:
    """Ask what comes back today; return the exit code."""
    progress, library = Progress(paths.progress_file()), load_library(settings.lessons)
    trusted = Trust(paths.trust_file()).digests

    def may_run(loaded: LoadedLesson) -> bool:
        pack = library.pack_of(loaded)
        return pack is None or pack.digest in trusted

    quiz = quizzes.review(library.course, progress, may_run)
    sitting = _QuizSitting(settings, library, quiz, QuizTexts.review)
    if not quiz.items:
        later = quiz.result(library.course).later
        text = QuizScreenTexts.done_today if later else QuizScreenTexts.none_due
        sitting.printer.say(text, later=later)
        return 0
    return asyncio.run(sitting.run())


class QuizShell(RunShell):
    """One program in front of somebody; after the answer, its run can be stepped through."""

    groups = QUIZ
    leaving: tuple[str, ...] = ("quit", "leave")
    """Commands that end a sitting; what was answered is kept."""

    onward = "onward"
    """The command that leads to the next program."""

    def __init__(
        self,
        session: Session,
        worker: Worker,
        printer: Printer,
        *,
        head: Callable[[], str],
        on_progress: Callable[[SaveProgress], None],
    ) -> None:
        super().__init__(session, worker, printer, on_progress=on_progress)
        self._head = head

    @property
    def is_over(self) -> bool:
        """Whether nothing of the program is asked any more."""
        return self.runner.session.may_experiment

    async def begin(self) -> None:
        self.runner.start()
        await self.until_idle()
        self.open()

    def open(self) -> None:
        self.printer.gap()
        self.printer.text(self._head())
        super().open()

    def leaves(self, typed: TypedCommand) -> bool:
        at_end = typed.name == "next" and self.view.cursor == len(self.view.timeline) - 1
        leads_on = self.is_over and (typed.name == self.onward or at_end)
        return leads_on or super().leaves(typed)

    def answered(self) -> None:
        """Say how to go on, after the last answer."""
        self.printer.say(PlainQuizTexts.answered)

    async def send(self, signal: signals.Signal) -> None:
        """Print the reply to an answer; after the last one, what the run did."""
        asked = not self.is_over
        await super().send(signal)
        if asked and self.is_over:
            self.answered()
        elif asked and self.view.question_is_done:
            await super().send(signals.Moved(signals.Move.NEXT))

    async def do(self, typed: TypedCommand) -> bool:
        match typed.name:
            case "answer":
                await self.send(signals.AnswerRequested())
            case "question" if self.view.awaits_answer:
                room, language = self.printer.room, self.printer.language
                self.printer.rows(plain.question_rows(self.view, room, language))
            case "question" | "onward":
                self.printer.say(PlainQuizTexts.answer_first)
            case _:
                return False
        return True


class AskingSitting(Sitting):
    """Program after program, and how it went."""

    @abstractmethod
    def shells(self, worker: Worker) -> AsyncGenerator[QuizShell, None]:
        """Yield each program in front of whoever answers, when the one before is done with."""

    @abstractmethod
    def print_result(self) -> None: ...

    async def run(self) -> int:
        """Ask until the input ends or all is answered; print the result."""
        self.print_notice()
        print_message(say(CommandTexts.loading, self.printer.language))
        async with (
            warm_worker() as worker,
            aclosing(read_lines()) as lines,
            aclosing(self.shells(worker)) as shells,
        ):
            async for shell in shells:
                if (await shell.run(lines)).name in shell.leaving:
                    break
        self.printer.gap()
        self.print_result()
        return 0


class _QuizSitting(AskingSitting):
    def __init__(self, settings: Settings, library: Library, quiz: Quiz, title: LocalText) -> None:
        super().__init__(settings, quiz.progress)
        self._course = library.course
        self._quiz = quiz
        self._title = title

    async def shells(self, worker: Worker) -> AsyncGenerator[QuizShell, None]:
        quiz = self._quiz
        while not quiz.is_over:
            loaded = quiz.items[quiz.first_open]
            yield QuizShell(
                quiz.session(loaded),
                worker,
                self.printer,
                head=partial(self._head, loaded),
                on_progress=lambda saved: self.keep(lambda: quiz.save(saved)),
            )

    def _head(self, loaded: LoadedLesson) -> str:
        names, here = self._quiz.names, names_of(loaded)
        first = next((name for name in here if name not in self._quiz.final_answers), here[-1])
        asked = say(
            QuizScreenTexts.question_of,
            self.printer.language,
            number=names.index(first) + 1,
            total=len(names),
        )
        return f"{self._title[self.printer.language]}  {asked}"

    def print_result(self) -> None:
        if not self._quiz.is_over:
            self.printer.say(PlainQuizTexts.left)
            return
        result, language = self._quiz.result(self._course), self.printer.language
        self.printer.rows(summary(result, self._course, self.printer.room, language))
        if result.challenge is not None:
            about = result.challenge.challenge
            self.printer.gap()
            text = say(QuizScreenTexts.to_challenge, language, title=about.title[language])
            self.printer.text(text)
            self.printer.lines([f"  inplace-tui challenge {about.id}"])
