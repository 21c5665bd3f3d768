"""The page that shows a run, as its parts know it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Protocol, TypeVar

from textual.app import App
from textual.content import Content
from textual.widget import Widget

from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.session.signals import Signal
from inplace_tui.engine.session.view import View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.program import Program
from inplace_tui.ui.arrangement import Needs
from inplace_tui.ui.host import Host
from inplace_tui.ui.panels import Panel
from inplace_tui.ui.run.session_runner import ScreenSessionRunner

W = TypeVar("W", bound=Widget)


class RunPage(Protocol):
    """What a part may ask of the page it belongs to.

    The actions of a part are the page's actions; what Textual tells the page of them, the page
    hands on.
    """

    view: View
    """What is shown now."""

    runner: ScreenSessionRunner

    @property
    def app(self) -> App[object]: ...
    @property
    def host(self) -> Host: ...
    @property
    def language(self) -> str: ...
    @property
    def is_there(self) -> bool: ...

    def send(self, signal: Signal) -> None: ...

    def refresh_view(self) -> None: ...
    def progress_text(self, view: View) -> Content:
        """Return where the cursor is, and how the run ended."""

    # The program.

    def program_shown(self) -> Program | None:
        """Return the program whose run is on the screen; None before the first run."""

    def open_fix(self, fix: Fix) -> None:
        """Open the fixed program, and run it."""

    def base_name(self) -> str:
        """Return what names of exported files begin with."""

    def lesson_shown(self) -> str | None:
        """Return the id of the lesson whose program it is, if it is one's."""

    # Widgets and focus.

    @property
    def panels(self) -> Sequence[Panel]:
        """All panels, seen or not."""

    def panel(self, name: str) -> Panel: ...
    def adjust(self, needs: Needs, view: View) -> Needs:
        """Return what the moment needs, with what this kind of page needs besides."""

    def first_focus(self) -> Widget:
        """Return what has the focus when nothing else has."""

    def has_class(self, name: str, /) -> bool: ...
    def query_one(self, kind: type[W], /) -> W: ...
    @property
    def focused(self) -> Widget | None: ...
    def set_focus(self, widget: Widget | None, /) -> None: ...

    # Texts.

    def say(self, text: LocalText, /, **values: object) -> str: ...
    def note(self, text: LocalText, /, **values: object) -> None: ...
    def notify_session(self, text: LocalText) -> None: ...
    def notice(self, text: str, *, wrong: bool = False) -> None: ...
    def clear_notice(self) -> None: ...

    # Textual's.

    def call_after_refresh(self, callback: Callable[..., object], *args: object) -> bool: ...
    def run_worker(
        self, work: Coroutine[object, object, object], *, group: str = ..., exclusive: bool = ...
    ) -> object: ...
