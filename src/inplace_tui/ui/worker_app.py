"""What the app is before it knows lessons: a theme, keys, an end in order, a worker."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual import events
from textual.content import Content
from textual.filter import LineFilter, Monochrome
from textual.reactive import reactive
from textual.scrollbar import ScrollBar

from inplace_tui.lazy import LazyModule
from inplace_tui.model.lesson import LocalText
from inplace_tui.protocol.states import Closed, Loading, Ready, Refused, Starting, State
from inplace_tui.runner.presence import Presence
from inplace_tui.texts import say
from inplace_tui.texts.screen import LOADING, THEME_NAMES, ScreenTexts
from inplace_tui.ui import clipboard
from inplace_tui.ui.keymap import Keymap
from inplace_tui.ui.line_filters import COLOURLESS, SIXTEEN_COLOURS, ControlFilter
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.textual_private.app import BaseApp
from inplace_tui.ui.theme import THEMES, colourless, theme_name
from inplace_tui.ui.widgets.lines import Lines
from inplace_tui.ui.widgets.scroll_bar import ThumbRender

if TYPE_CHECKING:
    from inplace_tui.drive.drill import DrillQueue
    from inplace_tui.drive.session_runner import SessionRunner
    from inplace_tui.engine.session.saved import SaveProgress
    from inplace_tui.engine.session.session import Session
    from inplace_tui.engine.state.watch import Watch
    from inplace_tui.progress import Progress
    from inplace_tui.runner.process import WorkerProcess
    from inplace_tui.runner.worker import Worker
    from inplace_tui.ui import deferred
    from inplace_tui.ui.run.session_runner import ScreenSessionRunner
else:
    deferred = LazyModule("inplace_tui.ui.deferred")

MOVEMENTS = ("next", "back", "into", "scrub", "scrub_back")
"""Actions that are one larger movement if many come in a row."""

MOVING_KEYS = frozenset({"up", "down", "left", "right", "pageup", "pagedown"})
"""Keys of panels, lists and editors that move the cursor and can't be rebound."""

PATIENCE = 3.0
"""Seconds to end in order; a terminal that is gone may let nobody do that."""

RESTORE = 1.0
"""Seconds for what a terminal gets in the end, which one that is gone never takes."""

SOON = 0.01
"""Seconds until it is looked again whether one may leave."""


class WorkerApp(BaseApp):
    """Owns the worker and the terminal, and says on the page in front what goes on."""

    language: reactive[str] = reactive("en", init=False)

    def __init__(
        self,
        learner: Callable[[], Progress],
        worker: Worker | None,
        *,
        begun: WorkerProcess | None,
        language: str,
        theme: str | None,
        glyphs: LineFilter | None,
        keymap: Keymap | None,
    ) -> None:
        super().__init__()
        ScrollBar.renderer = ThumbRender
        self._read_learner = learner
        self.keymap = keymap or Keymap()
        self.watches: dict[str, Watch] = {}
        """The tensors that the learner watches, by program, until the end of the session."""

        self.no_color = bool(os.environ.get("NO_COLOR"))  # empty means nothing, by no-color.org
        # The same objects each time: Textual caches filtered lines by them.
        self._text_filters = (ControlFilter(), *(() if glyphs is None else (glyphs,)))
        few = self.console.color_system in {"standard", "windows"}
        self._colour_filters = (SIXTEEN_COLOURS,) if few else ()
        # Before anything is drawn: another theme would draw all of it anew.
        for each in THEMES:
            self.register_theme(colourless(each) if self.no_color else each)
        self.theme = theme_name(self.learner.record.theme if theme is None else theme)
        self.set_keymap(self.keymap.bound())
        self._worker = worker
        self._begun = begun
        self.presence = Presence()
        """The learner at the keyboard, who is answered before anything runs on."""

        self._worker_state: State = Closed()
        self._retiring: set[asyncio.Task[None]] = set()
        self.set_reactive(WorkerApp.language, language)

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

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text: a panel's, or what is selected somewhere."""
        self.send_to_clipboard(text, clipboard.sequences(text, os.environ))

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
        from inplace_tui.progress import ProgressError  # noqa: PLC0415  # not for the first frame

        try:
            save()
        except ProgressError as failure:
            self.notice(failure.text[self.language], wrong=True)

    # The end.

    def handle_signals(self) -> None:
        """Listen for what ends a program; called before anything is asked of the terminal."""
        woken, wake = os.pipe()
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: os.write(wake, bytes([number])))
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._await_signal, args=(loop, woken), daemon=True).start()

    def save_all(self) -> None:
        # Imports nothing: a module may be half imported in another thread just now.
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.save_all()

    def _await_signal(self, loop: asyncio.AbstractEventLoop, woken: int) -> None:
        """Wait for a signal or for the terminal to hang up; then see to it that all this ends.

        In a thread: whoever writes to a terminal that is gone may wait for it for ever,
        and with him the loop.
        """
        waiting = select.poll()
        waiting.register(woken, select.POLLIN)
        waiting.register(0, 0)  # a hang-up is reported without being asked for
        ready = {descriptor for descriptor, _ in waiting.poll()}
        number = os.read(woken, 1)[0] if woken in ready else int(signal.SIGHUP)
        with suppress(RuntimeError):  # the loop has ended by now
            loop.call_soon_threadsafe(self._exit_on_signal, number)
        time.sleep(PATIENCE)
        with suppress(Exception):
            self.save_all()
        restoring = threading.Thread(target=self.restore_terminal, daemon=True)
        restoring.start()
        restoring.join(RESTORE)
        os._exit(128 + number)

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

    def _exit_on_signal(self, number: int) -> None:
        self.save_all()
        self.exit(128 + number)

    # The worker.

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
        self.keep(partial(self.learner.save, saved))

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
        if self.page is not None:
            self.page.notice(text, wrong=wrong)


def _forget(_: SaveProgress) -> None:
    """Keep nothing of what is shown to others."""
