"""The program on the screen: one app, its screens, one worker beside it, an end in order."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual import events
from textual.content import Content
from textual.filter import LineFilter, Monochrome
from textual.reactive import reactive
from textual.screen import Screen
from textual.scrollbar import ScrollBar

from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.presence import Presence
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.actions import next_language
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.drill import DrillTexts
from inplace_tui.common.texts.packs import TrustTexts
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.programs import ProgramTexts
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.common.texts.screen import LOADING, THEME_NAMES, ScreenTexts
from inplace_tui.diagnosis.protocol.messages import Closed, Loading, Ready, Refused, Starting, State
from inplace_tui.tutorial.activity.drill.record import ENDLESS, DrillOptions
from inplace_tui.tutorial.activity.drill.sketch import tag_about
from inplace_tui.tutorial.ui.garbage import collect_when_idle
from inplace_tui.tutorial.ui.key_dispatch import KeyDispatch
from inplace_tui.tutorial.ui.keymap import Keymap, key_of
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.opening import Opening, program_opened
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen, waits_for_lessons
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.textual_private.app import BaseApp, BaseScreen, is_exiting
from inplace_tui.tutorial.ui.theme import (
    COLOURLESS,
    CONTROLS,
    SIXTEEN_COLOURS,
    THEMES,
    colourless,
    theme_name,
)
from inplace_tui.tutorial.ui.widgets.lines import Lines
from inplace_tui.tutorial.ui.widgets.scroll_bar import ThumbRender

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from inplace_tui.common.command.settings import Leads, LessonName
    from inplace_tui.common.run.program import Program
    from inplace_tui.diagnosis.drive.investigation import Investigation
    from inplace_tui.diagnosis.runner.process import BegunProcess
    from inplace_tui.diagnosis.runner.worker import Worker
    from inplace_tui.tutorial.activity.session.saved import SaveProgress
    from inplace_tui.tutorial.activity.session.session import Session
    from inplace_tui.tutorial.course.course import Course
    from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
    from inplace_tui.tutorial.drive.playlist import Playlist, Quiz
    from inplace_tui.tutorial.drive.session_runner import SessionRunner
    from inplace_tui.tutorial.progress import ChallengeProgress, Progress
    from inplace_tui.tutorial.state.watch import Watch
    from inplace_tui.tutorial.ui import course_rows, deferred
    from inplace_tui.tutorial.ui.course_rows import Catalogue
    from inplace_tui.tutorial.ui.drafts.draft import Recovery
    from inplace_tui.tutorial.ui.launch import CourseReader
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
    from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
    from inplace_tui.tutorial.ui.screens import welcome
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
else:
    course_rows = LazyModule("inplace_tui.tutorial.ui.course_rows")
    deferred = LazyModule("inplace_tui.tutorial.ui.deferred")
    welcome = LazyModule("inplace_tui.tutorial.ui.screens.welcome")

__all__ = ["InplaceApp", "Opening"]

RUN_FIRST = 5.0
"""Seconds that a lesson, opened by its name, has for its run before the course is read."""

MOVEMENTS = ("next", "back", "into", "scrub", "scrub_back")
"""Actions that are one larger movement if many come in a row."""

MOVING_KEYS = frozenset({"up", "down", "left", "right", "pageup", "pagedown"})
"""Keys of panels, lists and editors that move the cursor and can't be rebound."""

SOON = 0.01
"""Seconds until it is looked again whether one may leave."""


class InplaceApp(BaseApp):
    """Draws its first frame, then starts what is slow; owns the worker and the terminal."""

    TITLE = "inplace-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    """Ours is opened by our own action, with our own commands only."""

    BINDINGS = bindings(Where.EVERYWHERE)

    language: reactive[str] = reactive("en", init=False)

    def __init__(
        self,
        *,
        opening: Opening,
        progress: Callable[[], Progress],
        home: Path,
        lessons_folder: Path,
        language: str = "en",
        theme: str | None = None,
        read: Callable[[Path], Course] | None = None,
        worker: Worker | None = None,
        begun: BegunProcess | None = None,
        packs: CourseReader | None = None,
        glyphs: LineFilter | None = None,
        keymap: Keymap | None = None,
        guided: bool = False,
    ) -> None:
        super().__init__()
        ScrollBar.renderer = ThumbRender
        self._read_learner = progress
        self.keymap = keymap or Keymap()
        self.watches: dict[str, Watch] = {}
        """The tensors that the learner watches, by program, until the end of the session."""

        self.no_color = bool(os.environ.get("NO_COLOR"))  # empty means nothing, by no-color.org
        # The same objects each time: Textual caches filtered lines by them.
        self._text_filters = (CONTROLS, *(() if glyphs is None else (glyphs,)))
        few = self.console.color_system in {"standard", "windows"}
        self._colour_filters = (SIXTEEN_COLOURS,) if few else ()
        # Before anything is drawn: another theme would draw all of it anew.
        for each in THEMES:
            self.register_theme(colourless(each) if self.no_color else each)
        self.theme = theme_name(self.learner.record.theme if theme is None else theme)
        self.set_keymap(self.keymap.bound())
        self._worker = worker
        self.refusal = ""
        """Why no program can run, once that is known: it may be too long for a row."""

        self._begun = begun
        self.presence = Presence()
        """The learner at the keyboard, who is answered before anything runs on."""

        self._worker_state: State = Closed()
        self._retiring: set[asyncio.Task[None]] = set()
        self.set_reactive(InplaceApp.language, language)
        self._packs = packs
        self.lessons_folder = lessons_folder
        self.home = home
        self.course: Course | None = None
        """None while it is being read; so is the catalogue."""

        self.catalogue: Catalogue | None = None
        self.is_loaded = False
        """Whether all modules are imported; the contents are listed before that."""

        self._opening = opening
        self.presenting = opening.present
        """Lessons are shown to a class: answers are locked, and nothing is kept."""

        self.guided = guided
        """Words are explained, and panels appear, where a learner first needs them."""

        self._held: list[tuple[str | ActionParseResult, DOMNode | None]] = []
        """What was pressed in the contents before there were any."""

        self._read = read
        self.key_dispatch = KeyDispatch(self)
        self._desks: dict[object, Investigation] = {}
        """What was found of programs, by how each is started."""

    # Keys.

    async def on_event(self, event: events.Event) -> None:
        await self.key_dispatch.dispatch(event, super().on_event)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do nothing with a screen that is still being laid out, nor once all is closing."""
        if is_exiting(self) or (
            isinstance(default_namespace, BaseScreen) and not default_namespace.is_there
        ):
            return False
        if self.course is None and waits_for_lessons(default_namespace, action):
            self._held.append((action, default_namespace))
            self.key_dispatch.close()  # what is pressed next is meant for where this leads
            return True
        return await super().run_action(action, default_namespace, namespaces)

    # Start and end.

    def get_default_screen(self) -> ContentsScreen:
        """The contents are behind everything: no frame is drawn without them."""
        return ContentsScreen()

    def on_ready(self) -> None:
        """Do all that is slow: the first frame is drawn, and no screen waits for it."""
        self.run_worker(self._begin())

    async def _begin(self) -> None:
        introduces = self._opening.introduce and self.learner.is_new
        if introduces:
            # It needs less than the other screens: there is something to read at once.
            await asyncio.to_thread(import_module, "inplace_tui.tutorial.ui.screens.welcome")
            self.open_welcome()
            await self._drawn()
        elif self._opening.screen == "contents":
            self.key_dispatch.open()
            await self._read_course()
            await self._drawn()
        self._engine.on_state = self._worker_changed
        await self._engine.start()
        # In a thread, so that keys are still answered.
        await asyncio.to_thread(import_module, "inplace_tui.tutorial.ui.deferred")
        self.is_loaded = True
        self._open_own()
        # Reading the course takes the time of torch, for which the learner waits.
        file = self._opening.lesson_file
        lesson = None if file is None else deferred.read_lesson(file)
        if lesson is not None:
            shown = self._show_lesson(lesson, self._opening.step)
            self.key_dispatch.open()
            await shown.pause(RUN_FIRST)
        if introduces:
            self.key_dispatch.open()
        if self.course is None:
            await self._read_course()
        if is_exiting(self):  # the learner left meanwhile
            return
        self._update_texts()
        if lesson is None:
            self._open_first()
        self.key_dispatch.open()
        if not gc.isenabled():  # the launcher switched it off until now
            collect_when_idle(self, self.presence)
        notice = self.keymap.message(self.language)
        if self.learner.notice is not None:
            notice = self.learner.notice[self.language]
        if notice is not None:
            self.notice(notice, wrong=True)
        self._offer_half_saved()

    def _open_own(self) -> None:
        """Open a program of the learner's own at once: it needs no course."""
        opening = self._opening
        if opening.screen not in ("sandbox", "desk"):
            return
        self._leave_runs()  # what was opened meanwhile would be behind it
        if opening.screen == "desk":
            self.open_desk(opening)
        else:
            self.open_sandbox(opening=opening)
        self.key_dispatch.open()

    def _offer_half_saved(self) -> None:
        """Ask about files of which some only were saved before the program was killed."""
        found = deferred.half_saved(self.home / "unsaved")
        if found is None:
            return

        def answered(complete: bool) -> None:
            try:
                found.settle(complete=complete)
            except OSError as error:
                values = {"path": error.filename, "reason": error.strerror}
                self.notice(say(ScreenTexts.not_saved, self.language, **values), wrong=True)

        def text(what: LocalText) -> str:
            written = list_of((Path(each.path).name for each in found.written), self.language)
            missing = list_of((Path(each.path).name for each in found.missing), self.language)
            return say(what, self.language, written=written, missing=missing)

        answers = [
            (True, partial(text, ScreenTexts.do_complete)),
            (False, partial(text, ScreenTexts.do_undo)),
        ]
        question = partial(text, ScreenTexts.ask_half_saved)
        self.ask(deferred.AskDialog(question, answers), answered)

    async def _drawn(self) -> None:
        """Let whoever looks see the screen first: what follows keeps the loop busy."""
        drawn = asyncio.Event()
        if self.screen.call_after_refresh(drawn.set):
            await drawn.wait()

    async def _read_course(self) -> None:
        """List the lessons, then handle the keys that waited for them."""
        read = self._read or partial(deferred.read_course, origin=deferred.Origin.PACK)
        self.course = await asyncio.to_thread(read, self.lessons_folder)
        if is_exiting(self):  # the learner left meanwhile
            return
        self.keep(partial(self.learner.carry_over, self.course.replaced))
        self._mark_lessons()
        for screen in self.screen_stack:
            if isinstance(screen, ContentsScreen) and screen.is_there:
                screen.update_texts()
            elif isinstance(screen, deferred.PaletteDialog):
                screen.add(deferred.places_of(self))
        held, self._held = self._held, []
        for action, there in held:
            if isinstance(self.screen, ContentsScreen):
                await self.run_action(action, there)
        if held:
            self.key_dispatch.open()

    def _open_first(self) -> None:
        opening = self._opening
        match opening.screen:
            case "lesson":
                self._open_lesson_asked_for(opening)
            case "challenge":
                self._open_challenge_asked_for(opening.challenge)
            case "drill":
                self.open_drill(opening.drill)
            case "checkpoint":
                self._open_checkpoint_asked_for(opening.checkpoint)
            case "review":
                self.open_review()
            case _:
                pass

    def _open_lesson_asked_for(self, opening: Opening) -> None:
        assert self.catalogue is not None, "there is a course"
        wanted = opening.lesson
        if wanted is None:
            if self.catalogue.suggested is not None:
                self.open_lesson(self.catalogue.suggested.lesson.id)
        elif self.catalogue.course.find(wanted) is None:
            self.note(ScreenTexts.unknown_lesson, lesson=wanted)
        else:
            self.open_lesson(wanted, step=opening.step)

    def _open_challenge_asked_for(self, wanted: str | None) -> None:
        catalogue = self.catalogue
        assert catalogue is not None, "there is a course"
        course = catalogue.course
        found = catalogue.after_challenge() if wanted is None else course.find_challenge(wanted)
        if found is not None:
            self.open_challenge(found.challenge.id)
        elif wanted is not None:
            self.note(ChallengeTexts.unknown, id=wanted)
        else:
            self.note(ChallengeTexts.all_solved if course.challenges else ChallengeTexts.none)

    def _open_checkpoint_asked_for(self, wanted: str | None) -> None:
        assert self.course is not None, "it was read"
        undone = (
            each.slug
            for each in self.course.checkpoints
            if self.learner.checkpoint(each.slug).best is None
        )
        slug = next(undone, None) if wanted is None else wanted
        if slug is None:
            self.note(QuizScreenTexts.all_done)
        else:
            self.open_checkpoint(slug)

    async def on_unmount(self) -> None:
        """Leave no process behind."""
        closing = (each.close() for each in self._desks.values())
        await asyncio.gather(*self._retiring, *closing, return_exceptions=True)
        if self._worker is not None:
            await self._worker.close()

    async def action_quit(self) -> None:
        """Quit, once nothing can be lost."""
        self.run_worker(self._quit(), exclusive=True)

    def action_help_quit(self) -> None:
        """Say which key quits; Textual's own answer to Ctrl-C is in English."""
        self.note(ScreenTexts.interrupt, quit=key_of("quit", self.screen))

    async def _quit(self) -> None:
        if await self._may_lose():
            self.exit(0)

    @property
    def _unsaved(self) -> list[EditorScreen]:
        open_ones = [each for each in self.screen_stack if isinstance(each, deferred.EditorScreen)]
        return [each for each in open_ones if each.is_mounted and each.unsaved]

    async def _may_lose(self) -> bool:
        """Ask about everything that is not saved; False if the learner would rather stay."""
        for editor in self._unsaved:
            while isinstance(self.screen, deferred.Dialog):
                await self.pop_screen()
            if not await editor.may_lose():
                return False
        return True

    # Language.

    def on_paste_cut(self) -> None:
        """Say that not all of a text came."""
        self.note(ScreenTexts.paste_cut)

    def watch_language(self) -> None:
        """Write all texts again in the new language, and keep the choice."""
        self.remember(language=self.language)
        self._update_texts()

    def action_language(self) -> None:
        self.language = next_language(self.language)

    def _update_texts(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Page | deferred.Dialog) and screen.is_there:
                screen.update_texts()

    # Help and commands.

    def action_help(self) -> None:
        front = self.screen
        if isinstance(front, Page | deferred.Dialog) and front.is_there:
            self.ask(deferred.HelpDialog(front), self.simulate_key)

    async def action_commands(self) -> None:
        """Open the command palette, and wait for it: what is typed next is typed there."""
        if isinstance(self.screen, Page) and self.screen.is_there:
            palette = deferred.PaletteDialog(deferred.commands(self))
            await self.ask(palette, lambda command: self.call_later(command.do))

    # Lessons.

    def open_lesson(self, identity: str, *, step: int | None = None) -> None:
        """Open a lesson where the learner left it, or at a step."""
        assert self.course is not None, "lessons are opened from the contents"
        lesson = self.course.find(identity)
        assert lesson is not None, "the caller looked it up"
        if self._may_open(partial(self.open_lesson, identity, step=step), lesson):
            self._show_lesson(lesson, step)

    def _show_lesson(self, lesson: LoadedLesson, step: int | None) -> SessionRunner:
        identity = lesson.lesson.id
        kept = self.learner.lesson(identity)
        if self.catalogue is not None:
            lesson = self.catalogue.bridged(lesson)
        session = deferred.Session(lesson, learner=self.learner.number)
        cursor = -1 if kept.finished or self.presenting else kept.cursor
        answers = () if self.presenting else kept.answers.values()
        session.restore(cursor if step is None else step - 1, answers)
        runner = self._runner(session, _forget if self.presenting else None)
        self._show_run(deferred.LessonScreen(lesson, runner))
        return runner

    def _show_run(self, screen: RunScreen) -> None:
        if not isinstance(self.screen, deferred.DeskScreen):
            self._leave_runs()
        self.push_screen(screen)
        screen.runner.start()

    def _may_open(
        self, again: Callable[[], None], loaded: LoadedLesson | LoadedChallenge | None = None
    ) -> bool:
        """Return whether something can be opened now; else ask, and call `again` after a yes.

        What is unsaved is asked about first, then whether a program that is to run is trusted.
        """
        if self._unsaved:
            self.run_worker(self._open_if_nothing_is_lost(again), exclusive=True)
            return False
        packs = self._packs
        pack = None if packs is None or loaded is None else packs.untrusted(loaded)
        if packs is None or pack is None:
            return True

        def trusted(_: str) -> None:
            packs.trust.add(pack.digest, pack.folder)
            if packs.trust.notice is not None:
                self.notice(packs.trust.notice[self.language], wrong=True)
            again()

        answers = [("trust", lambda: say(TrustTexts.trust, self.language))]
        self.ask(deferred.AskDialog(lambda: packs.question(pack, self.language), answers), trusted)
        return False

    async def _open_if_nothing_is_lost(self, opening: Callable[[], None]) -> None:
        if await self._may_lose():
            self._leave_runs()
            opening()

    def show_contents(self, identity: str | None = None) -> None:
        """Go back to the contents, to what is to be taken next; or to the desk below a lesson."""
        below = self.screen_stack[-2:-1]
        if below and isinstance(below[0], deferred.DeskScreen):
            self.save_all()
            self.pop_screen()
            return
        self._leave_runs()
        self._mark_lessons()
        contents = self.screen
        if isinstance(contents, ContentsScreen) and self.catalogue is not None:
            challenge = None if identity is None else self.catalogue.course.find_challenge(identity)
            if challenge is not None:
                contents.point_at(challenge)
                return
            left = None if identity is None else self.catalogue.course.find(identity)
            done = left is not None and self.catalogue.is_passed(left.id)
            contents.point_at(self.catalogue.suggested if done or left is None else left)

    def _leave_runs(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, deferred.RunScreen):
                screen.runner.save()  # the marks are about to be made of it
        while len(self.screen_stack) > 1 and not isinstance(self.screen, ContentsScreen):
            self.pop_screen()

    def _mark_lessons(self) -> None:
        if self.course is not None:
            self.catalogue = course_rows.catalogue_of(self.course, self.learner)

    def choose_path(self, identity: str) -> None:
        self.keep(partial(self.learner.save_path, identity))
        self._mark_lessons()

    def open_placement(self) -> None:
        """Ask five questions of the learner's path, to leave out what is known."""
        catalogue = self.catalogue
        assert catalogue is not None, "paths are chosen in the contents"
        if not self._may_open(self.open_placement):
            return
        quiz = deferred.placement(catalogue.course, catalogue.path, self.learner)
        if quiz.items:
            self._show_quiz(quiz)
        else:
            self.note(PathTexts.all_known)

    def open_welcome(self) -> None:
        if self.is_loaded:
            self._leave_runs()
        self.push_screen(welcome.WelcomeScreen(self._engine))

    def open_introduction(self) -> None:
        self._show_run(deferred.IntroductionScreen(self._engine))

    # Challenges.

    def open_challenge(self, identity: str) -> None:
        """Open a challenge with what the learner typed last."""
        assert self.course is not None, "challenges are opened from the contents"
        loaded = self.course.find_challenge(identity)
        assert loaded is not None, "the caller looked it up"
        if not self._may_open(partial(self.open_challenge, identity), loaded):
            return

        def save(reached: ChallengeProgress) -> None:
            if not self.presenting:
                self.keep(partial(self.learner.save_challenge, identity, reached))

        kept = deferred.ChallengeProgress() if self.presenting else self.learner.challenge(identity)
        screen = deferred.ChallengeScreen(loaded, self._engine, kept, save)
        self._leave_runs()
        self._mark_lessons()
        self.push_screen(screen)

    # Checkpoints and the review.

    def open_checkpoint(self, slug: str) -> None:
        """Open a chapter's checkpoint: go on with it, or have another one drawn."""
        assert self.course is not None, "checkpoints are opened from the contents"
        whole = self.course.whole
        chapter = whole.find_chapter(slug)
        assert chapter is not None, "the caller looked it up"
        first = next(iter(chapter.lessons), None)
        if self._may_open(partial(self.open_checkpoint, slug), first):
            self._show_quiz(deferred.checkpoint(whole, chapter, self.learner))

    def open_review(self) -> None:
        if not self._may_open(self.open_review):
            return
        assert self.course is not None, "the review is opened from the contents"
        packs = self._packs
        quiz = deferred.review(
            self.course, self.learner, lambda each: packs is None or packs.untrusted(each) is None
        )
        if quiz.items:
            self._show_quiz(quiz)
        elif later := self.catalogue.due.later if self.catalogue else 0:
            self.note(QuizScreenTexts.done_today, later=later)
        else:
            self.note(QuizScreenTexts.none_due)

    def _show_quiz(self, quiz: Quiz) -> None:
        if self.presenting:
            quiz.answers, quiz.is_kept = {}, False
        self._show_playlist(quiz)

    def _show_playlist(self, playlist: Playlist) -> None:
        self._leave_runs()
        play = partial(self._runner, save=playlist.save)
        self.push_screen(deferred.PlaylistScreen(playlist, play))

    # The drill.

    @property
    def assigned_drills(self) -> Sequence[DrillOptions]:
        return self._opening.drills

    def open_drill(self, options: DrillOptions | None = None) -> None:
        assigned = self._opening.drills
        if options is None and len(assigned) > 1:
            self._ask_which_drill(assigned)
            return
        if options is None:
            options = assigned[0] if assigned else ENDLESS
        if self.presenting:  # at the teacher's level, but nothing that a class says is kept
            level = options.level or self.learner.record.drill.level
            options = replace(options, level=level, kept=False)
        if self._may_open(partial(self.open_drill, options)):
            self._show_playlist(deferred.drill_queue(self._engine, options, self.learner))

    def _ask_which_drill(self, assigned: Sequence[DrillOptions]) -> None:
        def text(options: DrillOptions) -> str:
            return say(DrillTexts.assigned, self.language, **vars(options))

        answers = [(each, partial(text, each)) for each in assigned]
        question = partial(say, DrillTexts.which, self.language)
        self.ask(deferred.AskDialog(question, answers), self.open_drill)

    # The desk.

    def ways_to_learn(self, leads: Leads) -> list[tuple[Callable[[], str], Callable[[], object]]]:
        """Return what a failure leads to: how each is called, and what opens it."""

        def title(lesson: LessonName) -> str:
            return say(ProgramTexts.lesson, self.language, title=lesson.title[self.language])

        ways: list[tuple[Callable[[], str], Callable[[], object]]] = [
            (partial(title, each), partial(self.open_lesson, each.id)) for each in leads.lessons
        ]
        if leads.drill is not None:
            about = replace(ENDLESS, about=tag_about([leads.drill]))
            drill = partial(self.open_drill, about)
            ways.append((lambda: say(DrillTexts.like_it, self.language), drill))
        return ways

    def ask_which_lead(self, leads: Leads) -> None:
        """Ask which lesson about a failure to open, or whether to practice."""
        answers = [(opened, title) for title, opened in self.ways_to_learn(leads)]
        question = partial(say, DrillTexts.which_lead, self.language)
        self.ask(deferred.AskDialog(question, answers), lambda opened: opened())

    def ask_for_program(self) -> None:
        """Ask which program of the learner's own to open."""
        self.ask(deferred.ProgramDialog("desk"), self.open_desk)

    def open_desk(self, opening: Opening) -> None:
        """Open what is known of a program of the learner's own, and look into it if need be."""
        key = (opening.file, opening.module, opening.arguments, opening.line)
        found = self._desks.get(key)
        if found is None:
            # A module that imports the user's own files is started as it is, to be explained.
            load = partial(program_opened, replace(opening, is_imported=False))
            found = deferred.Investigation(self._engine, load)
            try:
                found.run()
            except CommandError as refusal:
                self.notice(refusal.text[self.language], wrong=True)
                return
            self._desks[key] = found
        if opening.file is not None:
            deferred.remember(self.home, opening.file, opening.line)
        self.push_screen(deferred.DeskScreen(found, opening))

    # The sandbox.

    @cached_property
    def _recovery(self) -> Recovery:
        return deferred.Recovery(self.home / "unsaved")

    def open_sandbox(
        self,
        *,
        program: Program | None = None,
        cursor: int = -1,
        opening: Opening | None = None,
        notice: LocalText | None = None,
        recorded: Session | None = None,
    ) -> SandboxScreen:
        """Open the sandbox: with a copy of a program at a step, with a file, or with nothing.

        `notice` is said first; `recorded` is a run of the file, which is shown instead of another
        one.
        """
        refusal: deferred.FileError | None = None
        try:
            draft = deferred.drafted(self._recovery, opening or Opening())
            if program is not None:
                draft = deferred.Draft(
                    program.source,
                    origin=program.origin,
                    seed=program.seed,
                    cursor=cursor,
                    notice=notice,
                )
        except deferred.FileError as problem:
            draft, refusal = deferred.Draft("", origin=deferred.Origin.OWN), problem
        session = recorded or deferred.Session(draft.program)
        if recorded is not None:
            draft = replace(draft, cursor=recorded.view().cursor)
        elif draft.cursor is not None:
            session.restore(draft.cursor, ())
        runner = self._runner(session)
        screen = deferred.SandboxScreen(runner, draft, self._recovery)
        self.push_screen(screen)
        if draft.cursor is not None and recorded is None:
            runner.start()
        if refusal is not None:
            self.notice(refusal.text[self.language], wrong=True)
        return screen

    def leave(self, screen: Screen[None]) -> None:
        """Close the screen of a run, if it is in front."""
        if self.screen is screen:
            assert isinstance(screen, deferred.RunScreen)
            screen.runner.save()
            self.pop_screen()
            if isinstance(self.screen, ContentsScreen):
                self.show_contents()

    # The theme, the keys, the clipboard.

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Switch off the blinking cursor where animations are off."""
        widget = event.widget
        if self.animation_level != "none" or isinstance(widget, Lines):
            return  # the first frame has lines alone, and does not wait for what types
        if isinstance(widget, deferred.Input | deferred.TextArea):
            widget.cursor_blink = False

    def quits(self, key: str) -> bool:
        return key in self.keymap.keys("quit")

    def moves(self, key: str) -> bool:
        return key in MOVING_KEYS or key in self.keymap.keys(*MOVEMENTS)

    @cached_property
    def learner(self) -> Progress:
        return self._read_learner()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of this terminal; none depends on the text."""
        # Textual's own answer to NO_COLOR is grey, and greys are colours, too.
        own = (each for each in super().get_line_filters() if not isinstance(each, Monochrome))
        colours = (COLOURLESS,) if self.no_color else (*own, *self._colour_filters)
        return (*colours, *self._text_filters)

    def action_theme(self) -> None:
        names = [theme.name for theme in THEMES]
        place = names.index(self.theme) if self.theme in names else -1
        self.use_theme(names[(place + 1) % len(names)])
        self.note(ScreenTexts.theme, name=THEME_NAMES[self.theme][self.language])

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.remember(theme=name)

    def remember(self, **chosen: str) -> None:
        """Save a choice of the learner's, by its name in `Progress.remember`."""
        self.keep(partial(self.learner.remember, **chosen))

    def keep(self, save: Callable[[], None]) -> None:
        """Save something of the learner's progress; where that can't be, say why."""
        from inplace_tui.tutorial.progress import ProgressError  # noqa: PLC0415  # not for the first frame

        try:
            save()
        except ProgressError as failure:
            self.notice(failure.text[self.language], wrong=True)

    # The end.

    def save_all(self) -> None:
        # Imports nothing: a module may be half imported in another thread just now.
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.save_all()

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave, once every screen that was opened is there: half of one misses the other half."""
        if all(screen.is_mounted for screen in self.screen_stack):
            super().exit(result, return_code, message)
        else:
            # No timer of Textual's: who was sent away by a signal comes from another thread.
            loop = asyncio.get_running_loop()
            loop.call_later(SOON, self.exit, result, return_code, message)

    def exit_on_signal(self, number: int) -> None:
        self.save_all()
        self.exit(128 + number)

    async def leave_unasked(self) -> None:
        await self.key_dispatch.until_handled()
        self.save_all()
        self.exit()

    # The worker.

    @property
    def _engine(self) -> Worker:
        """The worker, from the moment when somebody needs it."""
        from inplace_tui.diagnosis.runner.worker import Worker  # noqa: PLC0415  # not for the first frame

        self._worker = self._worker or Worker(
            python=self._opening.python, begun=self._begun, presence=self.presence
        )
        return self._worker

    def _runner(
        self, session: Session, save: Callable[[SaveProgress], None] | None = None
    ) -> SessionRunner:
        """Return a runner, whose progress `save` takes, else the learner's file."""
        save = save or self.learner.save
        return deferred.SessionRunner(
            session, self._engine, on_progress=lambda saved: self.keep(partial(save, saved))
        )

    def retire(self, runner: SessionRunner | Playlist) -> None:
        """Stop what nobody looks at any more."""
        task = asyncio.create_task(runner.close())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    def _worker_changed(self, state: State) -> None:
        self._worker_state = state
        if isinstance(state, Refused):
            self.refusal = state.reason
        if self.page is not None:
            if isinstance(state, Starting) and state.after_death is not None:
                self.page.note(ScreenTexts.worker_died)
            self.page.show_status()

    def worker_waits(self) -> bool:
        """Whether a run that is asked for now has to wait for torch."""
        return isinstance(self._worker_state, Starting | Loading | Closed)

    def worker_notice(self) -> Content | None:
        """Return what the worker is waiting for, or why it can't serve."""
        language = self.language
        match self._worker_state:
            case Starting():
                return Content.styled(say(ScreenTexts.starting, language), "$warning")
            case Loading(what=what):
                return Content.styled(say(LOADING[what], language), "$warning")
            case Refused(reason=reason):
                last = reason.strip().splitlines()[-1] if reason.strip() else "?"
                return Content.styled(say(ScreenTexts.refused, language, reason=last), "$error")
            case Ready() | Closed():
                return None

    def worker_rest(self) -> Content:
        state = self._worker_state
        if isinstance(state, Ready):
            text = say(ScreenTexts.ready, self.language, torch=state.torch)
            return Content.styled(text, "$text-muted")
        return Content("")

    # What is said on the page in front.

    @property
    def page(self) -> Page | None:
        """The page in front, or behind a dialog; None before the first and once all is closing."""
        pages = (screen for screen in reversed(self.screen_stack) if isinstance(screen, Page))
        return next((page for page in pages if page.is_there), None)

    def note(self, text: LocalText, /, **values: object) -> None:
        if self.page is not None:
            self.page.note(text, **values)

    def notice(self, text: str, *, wrong: bool = False) -> None:
        """Show a notice on the page in front, which may not be mounted yet."""
        page = next((each for each in reversed(self.screen_stack) if isinstance(each, Page)), None)
        if page is None or is_exiting(self):
            return
        if page.is_there:
            page.notice(text, wrong=wrong)
        else:
            self.call_after_refresh(self.notice, text, wrong=wrong)


def _forget(_: SaveProgress) -> None:
    """Keep nothing of what is shown to others."""
