"""An app with a worker that runs programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.filter import LineFilter
from textual.reactive import reactive

from inplace_tui.lazy import LazyModule
from inplace_tui.model.lesson import LocalText
from inplace_tui.protocol.states import Closed, Loading, Ready, Refused, Starting, State
from inplace_tui.runner.presence import Presence
from inplace_tui.texts import say
from inplace_tui.texts.screen import LOADING, THEME_NAMES, ScreenTexts
from inplace_tui.ui.keymap import Keymap
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.shutdown import SafeExitApp

if TYPE_CHECKING:
    from inplace_tui.drive.drill import DrillQueue
    from inplace_tui.drive.session_runner import SessionRunner
    from inplace_tui.engine.session.saved import SaveProgress
    from inplace_tui.engine.session.session import Session
    from inplace_tui.progress import Progress, ProgressError
    from inplace_tui.runner.process import WorkerProcess
    from inplace_tui.runner.worker import Worker
    from inplace_tui.ui import deferred
    from inplace_tui.ui.run.session_runner import ScreenSessionRunner
else:
    deferred = LazyModule("inplace_tui.ui.deferred")


class WorkerApp(SafeExitApp):
    """Owns the worker, gives it to the pages that show a run, and says what it is doing."""

    language: reactive[str] = reactive("en", init=False)

    def __init__(
        self,
        learner: Callable[[], Progress],
        worker: Worker | None,
        *,
        begun: WorkerProcess | None = None,
        language: str,
        theme: str | None = None,
        glyphs: LineFilter | None = None,
        keymap: Keymap | None = None,
    ) -> None:
        super().__init__(learner, theme=theme, glyphs=glyphs, keymap=keymap)
        self._worker = worker
        self._begun = begun
        self.presence = Presence()
        """The learner at the keyboard, who is answered before anything runs on."""

        self._worker_state: State = Closed()
        self._retiring: set[asyncio.Task[None]] = set()
        self.set_reactive(WorkerApp.language, language)

    @property
    def page(self) -> Page | None:
        """The page in front, or behind a dialog; None before the first and once all is closing."""
        pages = (screen for screen in reversed(self.screen_stack) if isinstance(screen, Page))
        return next((page for page in pages if page.is_there), None)

    @property
    def _engine(self) -> Worker:
        """The worker, from the moment when somebody needs it."""
        from inplace_tui.runner.worker import Worker  # noqa: PLC0415  # not for the first frame

        self._worker = self._worker or Worker(begun=self._begun, presence=self.presence)
        return self._worker

    def _runner(self, session: Session, *, kept: bool = True) -> ScreenSessionRunner:
        save = self._save if kept else _forget
        return deferred.ScreenSessionRunner(session, self._engine, save)

    def retire(self, runner: SessionRunner | DrillQueue) -> None:
        """Stop what nobody looks at any more."""
        task = asyncio.create_task(runner.close())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    def _save(self, saved: SaveProgress) -> None:
        try:
            self.learner.save(saved)
        except deferred.ProgressError as failure:
            self.save_failed(failure)

    def save_failed(self, failure: ProgressError) -> None:
        self.notice(failure.text[self.language], wrong=True)

    def _worker_changed(self, state: State) -> None:
        self._worker_state = state
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

    def action_theme(self) -> None:
        super().action_theme()
        self.note(ScreenTexts.theme, name=THEME_NAMES[self.theme][self.language])

    def note(self, text: LocalText, /, **values: object) -> None:
        if self.page is not None:
            self.page.note(text, **values)

    def notice(self, text: str, *, wrong: bool = False) -> None:
        if self.page is not None:
            self.page.notice(text, wrong=wrong)


def _forget(_: SaveProgress) -> None:
    """Keep nothing of what is shown to others."""
