"""The program on the screen: one app, its screens, one worker beside it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.filter import LineFilter

from inplace_tui.engine.drill.wish import EVERYTHING, Wish
from inplace_tui.later import Later
from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.keying import Keying
from inplace_tui.ui.keymap import Keymap
from inplace_tui.ui.keys import Where, bindings
from inplace_tui.ui.opening import Opening, open_alone, open_first
from inplace_tui.ui.screens.contents import ContentsScreen
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.tidying import tidy_in_pauses

if TYPE_CHECKING:
    from inplace_tui.drive.player import Player
    from inplace_tui.engine.lessons.loader import Course, LoadedLesson
    from inplace_tui.model.program import Program
    from inplace_tui.progress import Progress
    from inplace_tui.runner.process import WorkerProcess
    from inplace_tui.runner.worker import Worker
    from inplace_tui.ui import rest
    from inplace_tui.ui.commands import Command
    from inplace_tui.ui.drafts.recovery import Recovery
    from inplace_tui.ui.sandbox.sandbox import SandboxScreen
    from inplace_tui.ui.screens.course_rows import Catalogue
    from inplace_tui.ui.screens.run_screen import RunScreen
    from inplace_tui.ui.shelf import Shelf
else:
    rest = Later("inplace_tui.ui.rest")

__all__ = ["InplaceApp", "Opening"]


class InplaceApp(Keying):
    """Draws its first frame, then starts what is slow."""

    TITLE = "inplace-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    """Ours is opened by our own action, with our own commands only."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.EVERYWHERE)]

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
        begun: WorkerProcess | None = None,
        shelf: Shelf | None = None,
        glyphs: LineFilter | None = None,
        keymap: Keymap | None = None,
    ) -> None:
        super().__init__(
            progress,
            worker,
            begun=begun,
            language=language,
            theme=theme,
            glyphs=glyphs,
            keymap=keymap,
        )
        self._shelf = shelf
        self.lessons_folder = lessons_folder
        self._home = home
        self.course: Course | None = None
        self.catalogue: Catalogue | None = None
        self._opening = opening
        self._read = read

    # Start and end.

    def get_default_screen(self) -> ContentsScreen:
        """The contents are behind everything: no frame is drawn without them."""
        return ContentsScreen()

    def on_ready(self) -> None:
        """Do all that is slow: the first frame is drawn, and no screen waits for it."""
        self.run_worker(self._begin())

    async def _begin(self) -> None:
        self._engine.on_state = self._worker_changed
        await self._engine.start()
        # In a thread: whoever presses a key meanwhile is answered.
        await asyncio.to_thread(import_module, "inplace_tui.ui.rest")
        if self._opening.screen == "sandbox":
            self._leave_runs()  # what was opened meanwhile would be behind it
            self.open_sandbox(path=self._opening.file)
        shown = await open_alone(self, self._opening)
        self.course = await asyncio.to_thread(self._reader(), self.lessons_folder)
        if self._exit:  # the learner left meanwhile
            return
        self._mark_lessons()
        self._retell()
        if not shown:
            open_first(self, self._opening)
        if not gc.isenabled():  # whoever started us switched it off until now
            tidy_in_pauses(self, self.presence)
        said = self.keymap.said(self.language)
        if self.learner.notice is not None:
            said = self.learner.notice[self.language]
        if said is not None:
            self._tell_in_front(said)

    def _tell_in_front(self, said: str) -> None:
        """Tell it on the page in front, which may still be on its way there."""
        page = next((each for each in reversed(self._screen_stack) if isinstance(each, Page)), None)
        if page is None or self._exit:
            return
        if page.is_there:
            page.notice(said, wrong=True)
        else:
            self.call_after_refresh(self._tell_in_front, said)

    def _reader(self) -> Callable[[Path], Course]:
        return self._read or rest.read_course

    async def on_unmount(self) -> None:
        """Leave no process behind."""
        await asyncio.gather(*self._retiring, return_exceptions=True)
        if self._worker is not None:
            await self._worker.close()

    async def action_quit(self) -> None:
        """Quit, once nothing can be lost."""
        self.run_worker(self._quit(), exclusive=True)

    async def _quit(self) -> None:
        if await self._may_lose():
            self.exit(0)

    @property
    def _unsaved(self) -> list[SandboxScreen]:
        """The sandboxes with something in them that is in no file."""
        open_ones = [each for each in self.screen_stack if isinstance(each, rest.SandboxScreen)]
        return [each for each in open_ones if each.is_mounted and each.unsaved]

    async def _may_lose(self) -> bool:
        """Ask about everything that is not saved; False if the learner would rather stay."""
        for sandbox in self._unsaved:
            while isinstance(self.screen, rest.Dialog):
                await self.pop_screen()
            if not await sandbox.may_lose():
                return False
        return True

    # Language and look.

    def watch_language(self) -> None:
        """Say everything again, everywhere, and keep the choice."""
        self.remember(language=self.language)
        self._retell()

    def action_language(self) -> None:
        """Switch to the other language."""
        self.language = "zh" if self.language == "en" else "en"

    def _retell(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Page | rest.Dialog) and screen.is_there:
                screen.retell()

    # Help and commands.

    def action_help(self) -> None:
        """Tell what the keys do where the learner is."""
        front = self.screen
        if isinstance(front, Page | rest.Dialog) and front.is_there:
            self.push_screen(rest.HelpScreen(front), self._helped)

    def _helped(self, key: str | None) -> None:
        """Press the key that was chosen on the help page."""
        if key is not None:
            self.simulate_key(key)

    async def action_commands(self) -> None:
        """Open the command palette, and wait for it: what is typed next is typed there."""
        if isinstance(self.screen, Page) and self.screen.is_there:
            await self.push_screen(rest.Palette(rest.commands(self)), self._commanded)

    def _commanded(self, command: Command | None) -> None:
        """Do what was chosen, once the palette is gone."""
        if command is not None:
            self.call_later(command.do)

    # Lessons.

    def open_lesson(self, identity: str, *, step: int | None = None) -> None:
        """Open a lesson where the learner left it, or at a step."""
        if self._unsaved:
            opening = partial(self.open_lesson, identity)
            self.run_worker(self._open_if_nothing_is_lost(opening), exclusive=True)
            return
        assert self.course is not None, "lessons are opened from the contents"
        lesson = self.course.find(identity)
        assert lesson is not None, "the caller looked it up"
        if self._shelf and self._shelf.asks_first(
            self, lesson.path, partial(self.open_lesson, identity, step=step)
        ):
            return
        self.show_lesson(lesson, step)

    def show_lesson(self, lesson: LoadedLesson, step: int | None) -> Player:
        """Show a lesson that may be run; return what runs it."""
        identity = lesson.lesson.id
        kept = self.learner.lesson(identity)
        session = rest.Session(lesson)
        cursor = -1 if kept.finished else kept.cursor
        session.restore(cursor if step is None else step - 1, kept.answers.values())
        player = self._player(session)
        screen = rest.LessonScreen(lesson, player)
        player.bind(screen)
        self._leave_runs()
        self.push_screen(screen)
        player.start()
        self.remember(last_lesson=identity)
        return player

    async def _open_if_nothing_is_lost(self, opening: Callable[[], None]) -> None:
        if await self._may_lose():
            self._leave_runs()
            opening()

    def show_contents(self, identity: str | None = None) -> None:
        """Go back to the contents, to what is to be taken next."""
        self._leave_runs()
        self._mark_lessons()
        contents = self.screen
        if isinstance(contents, ContentsScreen) and self.catalogue is not None:
            challenge = None if identity is None else self.catalogue.course.find_challenge(identity)
            if challenge is not None:
                contents.point_at(challenge)
                return
            left = None if identity is None else self.catalogue.course.find(identity)
            finished = left is not None and self.catalogue.mark(left.lesson.id) is rest.Mark.DONE
            contents.point_at(self.catalogue.suggested if finished or left is None else left)

    def _leave_runs(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, rest.RunScreen):
                screen.player.save()  # the marks are about to be made of it
        while len(self.screen_stack) > 1 and not isinstance(self.screen, ContentsScreen):
            self.pop_screen()

    def _mark_lessons(self) -> None:
        if self.course is None:
            return
        ids = [each.lesson.id for each in self.course.lessons]
        marks = {identity: rest.how_far(self.learner.lesson(identity)) for identity in ids}
        self.catalogue = rest.Catalogue(self.course, marks, self.learner.record.challenges)

    def open_introduction(self) -> None:
        """Open the lesson about the screen itself."""
        screen = rest.introduction_screen(self._engine)
        self._leave_runs()
        self.push_screen(screen)
        screen.player.start()

    # Challenges.

    def open_challenge(self, identity: str) -> None:
        """Open a challenge with what the learner typed last."""
        if self._unsaved:
            opening = partial(self.open_challenge, identity)
            self.run_worker(self._open_if_nothing_is_lost(opening), exclusive=True)
            return
        assert self.course is not None, "challenges are opened from the contents"
        loaded = self.course.find_challenge(identity)
        assert loaded is not None, "the caller looked it up"
        again = partial(self.open_challenge, identity)
        if self._shelf and self._shelf.asks_first(self, loaded.path, again):
            return
        screen = rest.challenge_screen(
            loaded, self._engine, self.learner, self._recovery, self.unkept
        )
        self._leave_runs()
        self._mark_lessons()
        self.push_screen(screen)

    # The drill.

    def open_drill(self, wish: Wish = EVERYTHING) -> None:
        """Open the drill: at the learner's level, or with what somebody chose."""
        if self._unsaved:
            opening = partial(self.open_drill, wish)
            self.run_worker(self._open_if_nothing_is_lost(opening), exclusive=True)
            return
        practice = rest.Practice(self._engine, rest.programme(wish, self.learner))
        self._leave_runs()
        self.push_screen(rest.DrillScreen(practice, self._player, most=wish.count))

    # The sandbox.

    @property
    def home(self) -> Path:
        """Where the program keeps what is the learner's."""
        return self._home

    @cached_property
    def _recovery(self) -> Recovery:
        return rest.Recovery(self._home / "unsaved")

    def open_sandbox(
        self,
        *,
        program: Program | None = None,
        cursor: int = -1,
        path: Path | None = None,
        notice: str | None = None,
    ) -> None:
        """Open the sandbox: with a copy of a program at a step, with a file, or with nothing.

        Args:
            program: to copy.
            cursor: the step to open it at.
            path: of the file to open.
            notice: key of what to say first.
        """
        refusal: rest.FileError | None = None
        try:
            draft = rest.drafted(self._recovery, path)
            if program is not None:
                draft = rest.Draft(
                    program.source,
                    seed=program.seed,
                    cursor=cursor,
                    confined=program.confined,
                    notice=notice,
                )
        except rest.FileError as problem:
            draft, refusal = rest.Draft(""), problem
        session = rest.Session(
            rest.Program(source=draft.text, filename="sandbox.py", seed=draft.seed)
        )
        if draft.cursor is not None:
            session.restore(draft.cursor, ())
        player = self._player(session)
        screen = rest.SandboxScreen(player, draft, self._recovery)
        player.bind(screen)
        self.push_screen(screen)
        if draft.cursor is not None:
            player.start()
        if refusal is not None:
            text = say(TEXTS, refusal.key, self.language, **refusal.values)
            self.call_after_refresh(screen.notice, text, wrong=True)

    def leave(self, screen: RunScreen) -> None:
        """Close a screen that is in front."""
        if self.screen is screen:
            screen.player.save()
            self.pop_screen()
            if isinstance(self.screen, ContentsScreen):
                self.show_contents()
