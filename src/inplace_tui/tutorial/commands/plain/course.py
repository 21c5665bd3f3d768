"""Lessons as lines of text, one after the other: a run, and what a lesson has besides it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from inplace_tui.common import paths
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.command.stdin import prompt, read_lines
from inplace_tui.common.confinement import offered
from inplace_tui.common.problems import did_you_mean
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.command import CommandTexts
from inplace_tui.common.texts.glossary import Word, words_in
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.trust import Trust
from inplace_tui.common.trust import question as trust_question
from inplace_tui.diagnosis.drive.runs import warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.library import find_lesson, load_library
from inplace_tui.tutorial.commands.plain.challenge import print_program
from inplace_tui.tutorial.commands.plain.shell import RunShell, Sitting
from inplace_tui.tutorial.commands.plain.typed import LESSON, TypedCommand
from inplace_tui.tutorial.commands.programs import YES, untrusted
from inplace_tui.tutorial.course.course import panels_ahead
from inplace_tui.tutorial.course.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.tutorial.present import question, variants
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.report import pages, plain
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.course_rows import Catalogue, catalogue_of


class LessonShell(RunShell):
    """One lesson in front of the learner."""

    groups = LESSON

    def __init__(
        self, lesson: LoadedLesson, session: Session, worker: Worker, course: CourseShell
    ) -> None:
        self._lesson, self._course = lesson, course
        self._untaught = course.untaught(lesson)
        super().__init__(
            session,
            worker,
            course.printer,
            on_progress=lambda saved: course.keep(lambda: course.progress.save(saved)),
        )

    def current_view(self) -> View:
        """Leave out what no lesson has explained yet, unless a question asks for it."""
        view = super().current_view()
        self._untaught -= {facet for _, facet in view.mask.cells}
        return replace(view, untaught=self._untaught)

    async def do(self, typed: TypedCommand) -> bool:
        match typed.name:
            case "hint":
                await self.send(signals.HintRequested())
            case "answer":
                await self.send(signals.AnswerRequested())
            case "reopen":
                await self.send(signals.QuestionReopened())
            case "question":
                asked = plain.question_rows if self.view.awaits_answer else question.rows
                self.printer.rows(asked(self.view, self.printer.room, self.printer.language))
            case "leave":
                await self._leave()
            case "restart":
                self.runner.send(signals.Restarted())
                await self.until_idle()
                self.open()
            case "variants":
                await self._variants(typed.rest)
            case "holds":
                await self._holds(typed.rest)
            case "mend":
                self._mend()
            case _:
                return False
        return True

    async def send(self, signal: signals.Signal) -> None:
        """Print the recap right after the last reply: lines of text stay to be read."""
        await super().send(signal)
        if self.runner.session.closes:
            await super().send(signals.Moved(signals.Move.NEXT))

    def new_words(self, text: str) -> Sequence[Word]:
        return self._course.new_words(text)

    def finished(self) -> None:
        catalogue = self._course.catalogue
        after, challenge = (
            catalogue.beside(self._lesson.id, 1),
            catalogue.ends_path(self._lesson.id),
        )
        if challenge is not None:
            self.printer.say(PathTexts.ends_with, id=challenge.id)
            return
        if after is None:
            self.printer.say(PlainTexts.finished_last)
            return
        about = after.lesson
        title = about.title[self.printer.language]
        self.printer.say(PlainTexts.finished, title=title, id=about.id)
        if self._lesson.mending is not None:
            self.printer.say(PlainTexts.mend_offered)

    def _mend(self) -> None:
        """Print the program that the lesson offers to be fixed, and how its edit is judged."""
        if self._lesson.mending is None:
            self.notice(NoticeTexts.no_mend)
        elif not self.runner.session.may_experiment:
            self.notice(NoticeTexts.answer_all_first)
        else:
            print_program(self._lesson.mending, self.printer)

    async def _leave(self) -> None:
        if self.view.awaits_answer:
            await self.send(signals.QuestionLeft())
        elif self.view.variant is not None:
            await self._show_variant(None)
        else:
            self.printer.say(PlainTexts.nothing_to_leave)

    async def _variants(self, wanted: str) -> None:
        known = [None, *(each.id for each in self._lesson.lesson.variants)]
        if len(known) == 1:
            self.printer.say(PlainTexts.no_variants)
        elif not self.runner.session.may_experiment:
            self.notice(NoticeTexts.answer_all_first)
        elif not wanted:
            await self._compare()
        elif wanted.isdecimal() and 1 <= int(wanted) <= len(known):
            await self._show_variant(known[int(wanted) - 1])
        elif wanted in known:
            await self._show_variant(wanted)
        else:
            self.printer.say(PlainTexts.no_variant, id=wanted)

    async def _compare(self) -> None:
        session = self.runner.session
        self.runner.send(signals.OutcomesRequested())
        known = {None, *session.guesses}
        await self.until(lambda: known <= session.outcomes.keys())
        shown = variants.rows(
            self._lesson,
            session.outcomes,
            session.guesses,
            shown=self.view.variant,
            room=self.printer.room,
            language=self.printer.language,
        )
        self.printer.rows(shown)
        self.printer.say(PlainTexts.which_variant)

    async def _holds(self, wanted: str) -> None:
        """Run the programs that would show the recap false, or step through one."""
        keys = [HOLDS + each.id for each in self._lesson.lesson.holds]
        session, room, language = self.runner.session, self.printer.room, self.printer.language
        if not keys:
            self.printer.say(PlainTexts.no_holds)
        elif not session.may_experiment:
            self.notice(NoticeTexts.answer_all_first)
        elif wanted.isdecimal() and 1 <= int(wanted) <= len(keys):
            await self._show_variant(keys[int(wanted) - 1])
        else:
            self.runner.send(signals.OutcomesRequested(holds=True))
            await self.until(lambda: set(keys) <= session.outcomes.keys())
            rows = variants.held_rows(self._lesson, session.outcomes, session.held, room, language)
            self.printer.rows(rows)
            self.printer.say(PlainTexts.which_held)

    async def _show_variant(self, variant: str | None) -> None:
        self.runner.send(signals.VariantChosen(variant))
        await self.until_idle()
        self.printer.gap()
        if variant is None:
            self.printer.say(PlainTexts.own)
        else:
            title = self._lesson.title_of(variant)[self.printer.language]
            self.printer.say(PlainTexts.variant, id=variant, title=title)
        self.open()


QUITS = ("q", "quit", "exit")


def contents(settings: Settings) -> int:
    """List the course, and open what is chosen; return the exit code."""
    asyncio.run(CourseShell(settings).run(None, None))
    return 0


def lesson(settings: Settings, name: str | None, step: int | None) -> int:
    """Open a lesson, or the next one; return the exit code."""
    shell = CourseShell(settings)
    found = shell.catalogue.suggested if name is None else find_lesson(name, shell.course)
    asyncio.run(shell.run(found, step))
    return 0


class CourseShell(Sitting):
    """Opens one lesson after another."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, Progress(paths.progress_file()))
        self._settings = settings
        self._library = load_library(settings.lessons, settings.one_more)
        self.course = self._library.course
        if settings.course_filter is not None:
            self.course = settings.course_filter(self.course)
        self.keep(partial(self.progress.carry_over, self.course.replaced))

    @property
    def catalogue(self) -> Catalogue:
        """The course as it is for the learner now."""
        return catalogue_of(self.course, self.progress)

    async def run(self, first: LoadedLesson | None, step: int | None) -> None:
        """Open lessons until the learner quits; ask which, where none is named."""
        self.print_notice()
        async with aclosing(read_lines()) as lines:
            wanted = first or await self._choose(lines)
            if wanted is None:
                return
            if not await self._is_trusted(wanted, lines):
                raise untrusted(self._library.pack_of(wanted))
            print_message(say(CommandTexts.loading, self.printer.language))
            async with warm_worker() as worker:
                while wanted is not None:
                    typed = await self._open_lesson(wanted, step, worker, lines)
                    wanted, step = await self._next(wanted, typed, lines), None

    async def _open_lesson(
        self, loaded: LoadedLesson, step: int | None, worker: Worker, lines: AsyncIterator[str]
    ) -> TypedCommand:
        """Open one lesson from where the learner left it, or from a step."""
        about, language = loaded.lesson, self.printer.language
        catalogue = self.catalogue
        loaded = catalogue.bridged(loaded)
        kept = self.progress.lesson(about.id)
        session = Session(loaded, learner=self.progress.number)
        cursor = -1 if kept.finished else kept.cursor
        session.restore(cursor if step is None else step - 1, kept.answers.values())
        values = {"id": about.id, "minutes": about.minutes, "title": about.title[language]}
        number, total = catalogue.place_of(about.id)
        self.printer.gap()
        self.printer.say(PlainTexts.lesson, number=number, total=total, **values)
        return await LessonShell(loaded, session, worker, self).run(lines)

    def untaught(self, loaded: LoadedLesson) -> frozenset[str]:
        """Return the panels and columns that the learner has not come to yet."""
        record, path = self.progress.record, self.catalogue.path
        ids = () if path is None else path.ids
        ahead = panels_ahead(self.course.named_panels, loaded.id, record.lessons, ids)
        return frozenset(ahead.difference(record.panels))

    # What comes next.

    async def _next(
        self, left: LoadedLesson, typed: TypedCommand, lines: AsyncIterator[str]
    ) -> LoadedLesson | None:
        """Return the lesson that was asked for when another was left; None to end."""
        found: LoadedLesson | None = None
        if typed.name == "lesson" and typed.rest:
            found = self._find(typed.rest) or left
        elif typed.name == "lesson":
            found = self.catalogue.beside(left.id, 1)
        if typed.name == "quit":
            return None
        while found is None or not await self._is_trusted(found, lines):
            if found is not None:
                refused = untrusted(self._library.pack_of(found))
                self.printer.text(refused.text[self.printer.language])
            found = await self._choose(lines)
            if found is None:
                return None
        return found

    async def _choose(self, lines: AsyncIterator[str]) -> LoadedLesson | None:
        self._print_contents(library=False)
        while True:
            suggested = self.catalogue.suggested
            if suggested is None:
                self.printer.say(PlainTexts.which)
            else:
                title = suggested.lesson.title[self.printer.language]
                self.printer.say(PlainTexts.which_lesson, title=title, id=suggested.id)
            prompt()
            line = await anext(lines, None)
            answer = "" if line is None else line.strip()
            if line is None or answer.lower() in QUITS:
                return None
            word, _, rest = answer.partition(" ")
            if answer == "library" and self.catalogue.path is not None:
                self._print_contents(library=True)
                continue
            if word == "path" and self.course.paths:
                self._choose_path(rest.strip())
                continue
            found = suggested if not answer else self._find(answer)
            if found is not None:
                return found

    def _print_contents(self, *, library: bool) -> None:
        path, record, language = self.catalogue.path, self.progress.record, self.printer.language
        if path is None or library:
            self.printer.lines(pages.course(self.course, record, language))
        else:
            self.printer.lines(pages.path(path, record, language))
        self.printer.gap()
        if self.course.paths:
            self.printer.say(PathTexts.plain_ways, ids=list_of(self.course.path_ids, language))

    def _choose_path(self, identity: str) -> None:
        if identity in self.course.path_ids:
            self.keep(partial(self.progress.save_path, identity))
            self._print_contents(library=False)
        else:
            hint = did_you_mean(identity, self.course.path_ids)
            self.printer.say(PathTexts.unknown, id=identity, hint=hint)

    def _find(self, name: str) -> LoadedLesson | None:
        """Return a lesson by its id; say why there is none."""
        try:
            return find_lesson(name, self.course)
        except CommandError as refusal:
            self.printer.text(refusal.text[self.printer.language])
            return None

    async def _is_trusted(self, loaded: LoadedLesson, lines: AsyncIterator[str]) -> bool:
        """Whether the program of a lesson may run; at a terminal the user is asked."""
        pack = self._library.pack_of(loaded)
        if pack is None:
            return True
        trust = Trust(paths.trust_file())
        trusted = pack.digest in trust.digests
        if not trusted and (self._settings.trust or await self._confirmed(pack.folder, lines)):
            trust.add(pack.digest, pack.folder)
            trusted = True
        if trust.notice is not None:
            print_message(trust.notice[self.printer.language])
        return trusted

    async def _confirmed(self, folder: object, lines: AsyncIterator[str]) -> bool:
        if not sys.stdin.isatty():
            return False
        self.printer.text(trust_question(str(folder), offered(), self.printer.language))
        self.printer.say(PlainTexts.trust)
        prompt()
        return (await anext(lines, "")).strip().lower() in YES

    def new_words(self, text: str) -> list[Word]:
        """Return the words of a text that are not explained yet, and mark them as explained."""
        known = self.progress.record.words
        new = [word for word in words_in(text) if word.id not in known]
        for word in new:
            self.keep(partial(self.progress.save_explained, word.id))
        return new
