"""Playlists on lines of text: program after program, each asked about first."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from contextlib import aclosing

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.command.stdin import read_lines
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.common.texts.drill import DrillTexts, PlainDrillTexts
from inplace_tui.common.texts.quiz import PlainQuizTexts, QuizScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.trust import Trust
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.drill.recorded import lesson_after
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.signals import QuestionLeft
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.library import load_course, load_library
from inplace_tui.tutorial.commands.plain.shell import RunShell, Sitting
from inplace_tui.tutorial.commands.plain.typed import DRILL, QUIZ, Typed, TypedCommand
from inplace_tui.tutorial.commands.programs import require_trust
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.drive import playlist as playlists
from inplace_tui.tutorial.drive.drill import DrillError, DrillQueue, drill_queue
from inplace_tui.tutorial.drive.packs import Library, untrusted
from inplace_tui.tutorial.drive.playlist import Playlist, PlaylistItem, Quiz
from inplace_tui.tutorial.present import playlist as words
from inplace_tui.tutorial.present.playlist import result_summary
from inplace_tui.tutorial.present.question import count
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
    quiz = playlists.checkpoint(course, chapter, progress)
    return asyncio.run(_QuizSitting(settings, library, quiz).run())


def review(settings: Settings) -> int:
    """Ask what comes back today; return the exit code."""
    progress, library = Progress(paths.progress_file()), load_library(settings.lessons)
    trusted = Trust(paths.trust_file()).digests
    quiz = playlists.review(
        library.course, progress, lambda each: untrusted(library, each, trusted) is None
    )
    sitting = _QuizSitting(settings, library, quiz)
    if not quiz.items:
        later = quiz.result(library.course).later
        sitting.printer.say(
            QuizScreenTexts.done_today if later else QuizScreenTexts.none_due, later=later
        )
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
        self, asked: PlaylistItem, worker: Worker, sitting: PlaylistSitting, playlist: Playlist
    ) -> None:
        super().__init__(
            asked.session,
            worker,
            sitting.printer,
            on_progress=lambda saved: sitting.keep(lambda: playlist.save(saved)),
        )
        self._asked, self._sitting, self._number = asked, sitting, playlist.score[1] + 1

    @property
    def is_over(self) -> bool:
        """Whether nothing of the program is asked any more."""
        return self.runner.session.may_experiment

    def lead(self) -> None:
        """How to go on is said after the answer."""

    def open(self) -> None:
        self.printer.gap()
        self.printer.text(self._sitting.head(self._asked, self._number))
        super().open()

    def leaves(self, typed: TypedCommand) -> bool:
        at_end = typed.name == "next" and self.view.cursor == len(self.view.timeline) - 1
        leads_on = self.is_over and (typed.name == self.onward or at_end)
        return leads_on or super().leaves(typed)

    async def send(self, signal: signals.Signal) -> None:
        """Print the reply to an answer; after the last one, what the run did."""
        asked = not self.is_over
        await super().send(signal)
        if asked and self.is_over:
            self._sitting.print_answered(self._asked, self.view)
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


class PlaylistSitting(Sitting):
    """Program after program, and how it went."""

    SHELL: type[QuizShell] = QuizShell

    @abstractmethod
    def playlist(self, worker: Worker) -> Playlist: ...

    @abstractmethod
    def head(self, asked: PlaylistItem, number: int) -> str:
        """Return the line above a program, `number` being how many there were with it."""

    def print_answered(self, asked: PlaylistItem, view: View) -> None:  # noqa: ARG002  (of the drill)
        """Say how to go on, after the last answer."""
        self.printer.say(PlainQuizTexts.answered)

    @abstractmethod
    def print_result(self) -> None: ...

    async def run(self) -> int:
        """Ask until the input ends or all is answered; print the result."""
        self.print_notice()
        print_message(say(CommandTexts.loading, self.printer.language))
        async with warm_worker() as worker, aclosing(read_lines()) as lines:
            playlist = self.playlist(worker)
            try:
                while not playlist.is_over:
                    shell = self.SHELL(await playlist.next(), worker, self, playlist)
                    if (await shell.run(lines)).name in shell.leaving:
                        break
            finally:
                await playlist.close()
        self.printer.gap()
        self.print_result()
        return 0


class _QuizSitting(PlaylistSitting):
    def __init__(self, settings: Settings, library: Library, quiz: Quiz) -> None:
        super().__init__(settings, quiz.progress)
        self._course = library.course
        self._quiz = quiz

    def playlist(self, worker: Worker) -> Playlist:  # noqa: ARG002  (of the drill)
        return self._quiz

    def head(self, asked: PlaylistItem, number: int) -> str:  # noqa: ARG002  (of the drill)
        loaded = asked.lesson
        assert loaded is not None, "it is of a quiz"
        place = {"number": self._quiz.number(loaded, None), "total": len(self._quiz.names)}
        told = say(QuizScreenTexts.question_of, self.printer.language, **place)
        return f"{self._quiz.title[self.printer.language]}  {told}"

    def print_result(self) -> None:
        if not self._quiz.is_over:
            self.printer.say(PlainQuizTexts.left)
            return
        result, language = self._quiz.result(self._course), self.printer.language
        self.printer.rows(result_summary(result, self._course, self.printer.room, language))
        if result.challenge is not None:
            about = result.challenge.challenge
            self.printer.gap()
            text = say(QuizScreenTexts.to_challenge, language, title=about.title[language])
            self.printer.text(text)
            self.printer.lines([f"  inplace-tui challenge {about.id}"])


BEFORE = ("language", "help")
"""Commands that work before the prediction: they show nothing of the run."""


class DrillShell(QuizShell):
    """One program; nothing of its run is shown before the answer."""

    groups = DRILL
    leaving = ("quit",)
    onward = "drill"

    async def take(self, typed: Typed, line: str) -> None:
        asked = self.view.question
        if asked is None or self.is_over:
            await super().take(typed, line)
            return
        choices = count(asked.answers)
        match typed:
            case (number,) if 1 <= number <= choices:
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

    def show(self) -> None:
        """Print the question that comes next; the reply is that of the drill."""
        if not self.view.awaits_answer:
            super().show()
            return
        self.view = self.current_view()
        self._ask(self.view, gap=False)

    def _print_moment(self, view: View, *, since: int) -> None:
        if self.is_over:
            super()._print_moment(view, since=since)

    def _ask(self, view: View, *, gap: bool = True) -> None:
        if view.question is not None and view.awaits_answer:
            if gap:
                self.printer.gap()
            room, language = self.printer.room, self.printer.language
            self.printer.rows(words.question(view.question, room, language))


def drill(settings: Settings, wanted: DrillOptions) -> int:
    return asyncio.run(_DrillSitting(settings, wanted).run())


class _DrillSitting(PlaylistSitting):
    """Program after program, made up while the one before is thought about."""

    SHELL = DrillShell

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

    def playlist(self, worker: Worker) -> Playlist:
        self._queue = drill_queue(worker, self._wanted, self.progress)
        return self._queue

    def head(self, asked: PlaylistItem, number: int) -> str:
        assert asked.drill is not None, "it is of a drill"
        made, repeat = asked.drill.drill, asked.drill.repeat
        key = PlainDrillTexts.head_again if repeat else PlainDrillTexts.head
        numbers = {"number": number, "level": made.level, "seed": made.seed}
        return say(key, self.printer.language, **numbers)

    def print_answered(self, asked: PlaylistItem, view: View) -> None:
        assert self._queue is not None, "it was answered"
        assert asked.drill is not None, "it is of a drill"
        assert view.question is not None, "its reply stands at the end of the run"
        lesson, printer = lesson_after(asked.drill, self._course), self.printer
        room, language = printer.room, printer.language
        printer.rows(words.reply_rows(asked.drill, view.question, lesson, room, language))
        printer.gap()
        is_last = self._queue.is_over
        printer.say(PlainDrillTexts.answered_last if is_last else PlainDrillTexts.answered)

    def print_result(self) -> None:
        score = (0, 0) if self._queue is None else self._queue.score
        self.printer.lines([words.session(score, self.printer.language)])
        if self._wanted.counts:
            print_lines(words.summary(self.progress.record.drill, self.printer.language))
