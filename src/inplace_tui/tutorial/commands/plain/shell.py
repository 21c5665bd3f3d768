"""A session on lines of text: commands are read, and what changed is printed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.stdin import prompt
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.survey import installed_survey
from inplace_tui.common.rows import Row, spans
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts import say, space
from inplace_tui.common.texts.glossary import HEADING, WORDS, Word
from inplace_tui.common.texts.ops import OpTexts
from inplace_tui.common.texts.plain import NOTICES, PlainTexts
from inplace_tui.common.texts.plain_commands import MOVES, WATCH
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.timeouts import timeout
from inplace_tui.diagnosis.fixes import rows as fixes
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import parse_place
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.commands.plain import panels
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.typed import (
    CommandGroup,
    Typed,
    TypedCommand,
    help_lines,
    parse_line,
)
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswersView,
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.kinds.typed import read_answer
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present import code, narration, op_card, why
from inplace_tui.tutorial.present.why import NodeSubject
from inplace_tui.tutorial.progress import Progress, ProgressError
from inplace_tui.tutorial.report import plain
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.state.watch import Watch

PATIENCE = 1.0
"""Seconds after which a message says that something runs."""


class PlainSessionRunner(SessionRunner):
    """Performs a session; fixes are looked for once they are asked for."""

    _wanted: signals.FindFixes | None = None

    def is_idle(self) -> bool:
        """Whether the run in view is over and its truth known, and an answer judged."""
        view = self.session.view()
        if view.running or view.verifying:
            return False
        asked = view.question
        judged = asked is not None and (asked.status is QuestionStatus.CHECKING or asked.searching)
        return not (judged and self._tasks)

    def find_fixes(self) -> None:
        """Find the fixes that the session wants: until now nobody waited for them."""
        if self._wanted is not None:
            super()._perform([self._wanted])
            self._wanted = None

    def _perform(self, instructions: list[signals.Instruction]) -> None:
        for each in instructions:
            if isinstance(each, signals.FindFixes):
                self._wanted = each  # the session has one search at a time
            elif isinstance(each, signals.CancelRun) and self._wanted is not None:
                self._wanted = None if self._wanted.run == each.run else self._wanted
        super()._perform([each for each in instructions if not isinstance(each, signals.FindFixes)])


class RunShell(ABC):
    """Reads commands about one run, and prints what changed."""

    groups: Mapping[str, CommandGroup]
    leaving: tuple[str, ...] = ("quit", "lesson", "contents")
    """Commands for whoever opened this shell."""

    def __init__(
        self,
        session: Session,
        worker: Worker,
        printer: Printer,
        *,
        on_progress: Callable[[SaveProgress], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.printer = printer
        self._changed = asyncio.Event()
        self.make = partial(
            PlainSessionRunner,
            worker=worker,
            on_change=self._changed.set,
            on_notice=self.notice,
            on_progress=on_progress,
            limits=limits,
        )
        self.runner = self.make(session)
        self._watching = WatchCommands()
        self.view: View = self.current_view()
        """What was printed last."""

    def current_view(self) -> View:
        return self._watching.over(self.runner.session.view())

    async def run(self, lines: AsyncIterator[str]) -> TypedCommand:
        """Obey until a command leaves the run; return that. The end of the input is `quit`."""
        try:
            await self.begin()
            while True:
                prompt()
                line = await anext(lines, None)
                typed = TypedCommand("quit") if line is None else parse_line(line, self.groups)
                if isinstance(typed, TypedCommand) and self.leaves(typed):
                    return typed
                answer = self._typed_answer(line or "")
                await (self.take(typed, line or "") if answer is None else self.send(answer))
        finally:
            await self.runner.close()

    async def begin(self) -> None:
        self.runner.start()
        await self.until_idle()
        self.open()
        self.lead()

    def lead(self) -> None:
        """Say how to go on."""
        self.printer.say(PlainTexts.lead)

    def leaves(self, typed: TypedCommand) -> bool:
        """Whether a command is for whoever opened this shell."""
        return typed.name in self.leaving

    def notice(self, text: LocalText) -> None:
        self.printer.text(NOTICES.get(text, text)[self.printer.language])

    # What is typed.

    async def take(self, typed: Typed, line: str) -> None:
        match typed:
            case None:
                self.printer.say(PlainTexts.unknown, line=line.strip())
            case tuple() as given:
                await self._answer(given)
            case TypedCommand(name="guess", rest=rest):
                numbers = parse_line(rest, {})
                await self._answer(numbers if isinstance(numbers, tuple) else (), guessed=True)
            case TypedCommand(name=name, rest=rest) if name in MOVES:
                if (moved := self._movement(name, rest)) is not None:
                    await self.send(moved)
            case TypedCommand(name="why" | "values" | "op" as name, rest=rest):
                look = {"why": self._why, "values": self._values, "op": self._op}[name]
                await look(rest)
            case TypedCommand(name=name) if name in WATCH:
                self._watching.take(typed, self.view, self.printer)
                self.view = self.current_view()
            case TypedCommand(name="fixes"):
                await self._fixes()
            case TypedCommand(name="language"):
                self.printer.switch()
                self.open()
            case TypedCommand(name="help"):
                self.printer.lines(help_lines(self.groups, self.printer.language))
                self.printer.say(HEADING)
                self.print_words(WORDS)
            case TypedCommand():
                if not await self.do(typed):
                    panels.show(typed, self.view, self.printer)

    def _typed_answer(self, line: str) -> signals.AnswerGiven | None:
        """Return the numbers that answer a question in a line, where one asks for numbers."""
        asked = self.view.question
        if not self.view.awaits_answer or asked is None or not isinstance(asked.answers, TypedView):
            return None
        given = line.removeprefix("guess")
        answer = read_answer(given)
        return None if answer is None else signals.AnswerGiven(answer, guessed=given != line)

    @abstractmethod
    async def do(self, typed: TypedCommand) -> bool:
        """Do what only this kind of run has; False if it has nothing of that name."""

    async def send(self, signal: signals.Signal) -> None:
        """Tell the session, wait until it is idle, and print what changed."""
        self.runner.send(signal)
        await self.until_idle()
        self.show()

    async def until_idle(self) -> None:
        await self.until(self.runner.is_idle)

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait for something; say that it runs if that takes long."""
        patience: float | None = PATIENCE
        while not done():
            self._changed.clear()
            try:
                async with timeout(patience):
                    await self._changed.wait()
            except TimeoutError:
                print_message(say(PlainTexts.running, self.printer.language))
                patience = None

    async def _op(self, rest: str) -> None:
        view, survey = self.view, installed_survey()
        line = int(rest) if rest.isdecimal() else code.current_line(view)
        if not self.runner.session.may_experiment:
            self.notice(NoticeTexts.answer_all_first)
        elif line is not None:
            found = op_card.line_of(survey, view, line)
            rows = op_card.cards(survey, found, self.printer.room, self.printer.language)
            self.printer.rows(rows)
            if not rows:
                self.printer.say(OpTexts.about_line, line=line)

    def _movement(self, name: str, rest: str) -> signals.Movement | None:
        """Return where a command leads; None after a refusal."""
        view = self.view
        if name in ("wrote", "writes"):
            if (tensor := panels.require_tensor(rest, view, self.printer)) is None:
                return None
            return signals.WriteRequested(tensor.id, ahead=name == "writes")
        if name != "go":
            return signals.Moved(signals.Move(name))
        # Alone, a number is that of a line: those of steps are nowhere to be read beside the code.
        place = f":{rest}" if rest.isdecimal() else rest
        known = min(view.reachable, len(view.timeline) - 1) + 1
        wanted = parse_place(place, steps=known, source=view.source)
        if wanted is None:
            self.printer.say(PlainTexts.no_place)
        return wanted

    async def _answer(self, given: tuple[int, ...], *, guessed: bool = False) -> None:
        view, asked = self.view, self.view.question
        if asked is None or not view.awaits_answer:
            self.notice(NoticeTexts.no_question)
            return
        answer = parse_answer(asked.answers, given)
        if answer is None:
            self.printer.rows(plain.how_to_answer(view, self.printer.room, self.printer.language))
            return
        await self.send(signals.AnswerGiven(answer, guessed))

    # What is printed.

    def open(self) -> None:
        self.view = view = self.current_view()
        room, language = self.printer.room, self.printer.language
        self.printer.gap()
        self.printer.rows(code.titled_rows(view, room, language))
        self._print_moment(view, since=view.cursor)
        self._print_end(view)
        self._ask(view)

    def show(self) -> None:
        before, self.view = self.view, self.current_view()
        after = self.view
        room, language = self.printer.room, self.printer.language
        moved = (before.cursor, before.variant) != (after.cursor, after.variant)
        if _reply(before) != _reply(after) and _same_question(before, after):
            news = plain.reply_rows(before, after, room, language)
            self.printer.rows(news)
            self.explain_words(news)
            if after.awaits_answer:
                self.printer.rows(plain.how_to_answer(after, room, language))
        if moved:
            self._print_moment(after, since=before.cursor)
        if after.outcome is not None and before.outcome is None:
            self._print_end(after)
        elif after.recap is not None and before.recap is None:
            self._print_recap(after)
        if after.awaits_answer and (moved or not _same_question(before, after)):
            self._ask(after)

    def _print_moment(self, view: View, *, since: int) -> None:
        room, language = self.printer.room, self.printer.language
        shown = replace(view, recap=None)  # which comes after how it ended
        self.printer.gap()
        self.printer.rows(plain.step_rows(shown, room, language, since=since))
        self.explain_words(narration.words(shown, room, language))

    def _print_end(self, view: View) -> None:
        ended = plain.ending(view, self.printer.room, self.printer.language)
        if ended:
            self.printer.gap()
            self.printer.rows(ended)
            self.explain_words(ended)
        self._print_recap(view)

    def _print_recap(self, view: View) -> None:
        if view.recap is None:
            return
        room, language = self.printer.room, self.printer.language
        closing = narration.closing(view, room, language)
        self.printer.rows([Row(), *closing])
        self.explain_words(closing)
        self.printer.gap()
        self.finished()

    def finished(self) -> None:  # noqa: B027  # nothing else has a recap to follow
        """Say how to go on, once a lesson is done."""

    def _ask(self, view: View) -> None:
        if view.awaits_answer:
            asked = plain.question_rows(view, self.printer.room, self.printer.language)
            self.explain_words(asked)
            self.printer.gap()
            self.printer.rows(asked)

    def explain_words(self, rows: Iterable[Row]) -> None:
        """Print what words of the field mean that the learner meets here for the first time."""
        # What a row ends with goes on in the next.
        between = space(self.printer.language)
        words = self.new_words(between.join(row.text for row in rows))
        if words:
            self.printer.gap()
            self.print_words(words)

    def new_words(self, text: str) -> Sequence[Word]:  # noqa: ARG002  # a lesson's shell reads it
        """Return the words of a text that are to be explained: none, but in a lesson."""
        return ()

    def print_words(self, words: Iterable[Word]) -> None:
        for word in words:
            self.printer.spans(spans(word.text[self.printer.language]))

    # What is asked about.

    async def _why(self, rest: str) -> None:
        if not rest:
            panels.print_ending(self.view, self.printer)
            return
        found = panels.parse_why(rest, self.view, self.printer)
        if found is None:
            return
        if isinstance(found, NodeSubject):
            self.printer.rows(why.rows(self.view, found, self.printer.room, self.printer.language))
            return
        tensor, facets = found
        if "forecast" in facets:
            session = self.runner.session
            self.runner.send(signals.ForecastRequested(tensor.id))
            await self.until(lambda: session.view().pending_forecast is None)
            self.view = self.current_view()
        panels.print_reasons(tensor, facets, self.view, self.printer)

    async def _values(self, rest: str) -> None:
        asked = panels.values_asked(rest, self.view, self.printer)
        if asked is not None:
            await panels.print_values(asked, self.view, self.runner, self.printer)

    async def _fixes(self) -> None:
        view, session = self.view, self.runner.session
        if view.fixes is not None:
            self.runner.find_fixes()
            await self.until(lambda: (fixes := session.view().fixes) is None or fixes.over)
            self.view = view = self.current_view()
            assert view.fixes is not None, "a search does not go away"
            room, language = self.printer.room, self.printer.language
            listed = fixes.page(
                view.fixes.found, view.fixes, room, language, blame=view.blame, source=view.source
            )
            self.printer.rows(listed)
        elif not session.may_experiment:
            self.notice(NoticeTexts.answer_all_first)
        elif view.outcome is None:
            self.printer.say(PlainTexts.fixes_not_yet)
        else:
            good = isinstance(view.outcome, Completed)
            self.printer.say(PlainTexts.fixes_none_needed if good else PlainTexts.fixes_unknown)


def parse_answer(answers: AnswersView, given: tuple[int, ...]) -> str | None:
    """Return the answer that typed numbers are; None if they are none."""
    match answers:
        case OrderView(lines=lines):
            every = sorted(given) == list(range(1, len(lines) + 1))
            return " ".join(lines[place - 1].name for place in given) if every else None
        case LinesView():
            return str(given[0]) if len(given) == 1 else None
        case TypedView():
            return None  # numbers were taken before
        case ChoicesView(choices=choices):
            one = len(given) == 1 and 1 <= given[0] <= len(choices)
            return choices[given[0] - 1][0] if one else None


def _reply(view: View) -> object:
    asked = view.question
    return None if asked is None else (asked.id, asked.status, asked.tried, asked.hints)


def _same_question(before: View, after: View) -> bool:
    if before.question is None or after.question is None:
        return False
    return before.question.id == after.question.id


class WatchCommands:
    """Pins and hides tensors."""

    def __init__(self) -> None:
        self._watch = Watch()

    def over(self, view: View) -> View:
        return replace(view, watched=self._watch)

    def take(self, typed: TypedCommand, view: View, printer: Printer) -> None:
        watch = self._watch
        if typed.name == "modules":
            hidden = not watch.without_modules
            self._watch = replace(watch, without_modules=hidden)
            printer.say(ScreenTexts.modules_hidden if hidden else ScreenTexts.modules_shown)
        elif (tensor := panels.require_tensor(typed.rest, view, printer)) is not None:
            said = ScreenTexts.pinned if watch.pins(tensor) is None else ScreenTexts.unpinned
            self._watch = watch.with_pin(tensor)
            printer.say(said, name=tensor_name(tensor))


class Sitting:
    """Somebody who reads lines, in their language, and what is kept of them."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self.progress = progress
        self.printer = Printer(
            settings.chosen or progress.record.language or settings.language,
            on_language=lambda chosen: self.keep(lambda: progress.remember(language=chosen)),
        )

    def print_notice(self) -> None:
        """Say what is wrong with the file of progress, if anything is."""
        if self.progress.notice is not None:
            print_message(self.progress.notice[self.printer.language])

    def keep(self, change: Callable[[], None]) -> None:
        """Change the progress, or say why it can't be kept."""
        try:
            change()
        except ProgressError as failure:
            print_message(failure.text[self.printer.language])
