"""A lesson on lines of text: what it has besides its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplace_tui.commands.plain.printer import Printer
from inplace_tui.commands.plain.shell import RunShell
from inplace_tui.commands.plain.typed import LESSON, TypedCommand
from inplace_tui.engine.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.engine.session.saved import SaveProgress
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import (
    AnswerRequested,
    HintRequested,
    HoldsRequested,
    OutcomesRequested,
    QuestionLeft,
    QuestionReopened,
    Restarted,
    VariantChosen,
)
from inplace_tui.present import question, variants
from inplace_tui.report import plain
from inplace_tui.runner.worker import Worker
from inplace_tui.texts.glossary import Word
from inplace_tui.texts.plain import PlainTexts
from inplace_tui.texts.session import NoticeTexts


class LessonShell(RunShell):
    """One lesson in front of the learner."""

    groups = LESSON

    def __init__(
        self,
        lesson: LoadedLesson,
        session: Session,
        worker: Worker,
        printer: Printer,
        *,
        on_progress: Callable[[SaveProgress], None],
        new_words: Callable[[str], Sequence[Word]],
        after: LoadedLesson | None,
    ) -> None:
        super().__init__(session, worker, printer, on_progress=on_progress)
        self._lesson = lesson
        self._after = after
        self._new_words = new_words

    async def do(self, typed: TypedCommand) -> bool:
        match typed.name:
            case "hint":
                await self.send(HintRequested())
            case "answer":
                await self.send(AnswerRequested())
            case "reopen":
                await self.send(QuestionReopened())
            case "question":
                self._print_question()
            case "leave":
                await self._leave()
            case "restart":
                await self._restart()
            case "variants":
                await self._variants(typed.rest)
            case "holds":
                await self._holds(typed.rest)
            case _:
                return False
        return True

    def new_words(self, text: str) -> Sequence[Word]:
        return self._new_words(text)

    def finished(self) -> None:
        if self._after is None:
            self.printer.say(PlainTexts.finished_last)
            return
        about = self._after.lesson
        title = about.title[self.printer.language]
        self.printer.say(PlainTexts.finished, title=title, id=about.id)

    def _print_question(self) -> None:
        room, language = self.printer.room, self.printer.language
        if self.view.awaits_answer:
            self.printer.rows(plain.question_rows(self.view, room, language))
        else:
            self.printer.rows(question.rows(self.view, room, language))

    async def _restart(self) -> None:
        self.runner.send(Restarted())
        await self.until_idle()
        self.open()

    async def _leave(self) -> None:
        if self.view.awaits_answer:
            await self.send(QuestionLeft())
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
        session, language = self.runner.session, self.printer.language
        self.runner.send(OutcomesRequested())
        known = {None, *session.guesses}
        await self.runner.until(lambda: known <= session.outcomes.keys(), language)
        shown = variants.rows(
            self._lesson,
            session.outcomes,
            session.guesses,
            shown=self.view.variant,
            room=self.printer.room,
            language=language,
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
            self.runner.send(HoldsRequested())
            await self.runner.until(lambda: set(keys) <= session.outcomes.keys(), language)
            rows = variants.held_rows(self._lesson, session.outcomes, session.held, room, language)
            self.printer.rows(rows)
            self.printer.say(PlainTexts.which_held)

    async def _show_variant(self, variant: str | None) -> None:
        self.runner.send(VariantChosen(variant))
        await self.until_idle()
        self.printer.gap()
        if variant is None:
            self.printer.say(PlainTexts.own)
        else:
            title = self._lesson.title_of(variant)[self.printer.language]
            self.printer.say(PlainTexts.variant, id=variant, title=title)
        self.open()
