"""The page that shows a run, as its parts know it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Protocol, TypeVar

from textual.app import App
from textual.geometry import Size
from textual.widget import Widget

from inplace_tui.engine.session.signals import Signal
from inplace_tui.engine.session.view import View
from inplace_tui.model.lesson import LocalText
from inplace_tui.ui.host import Host
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
    def size(self) -> Size: ...
    @property
    def is_there(self) -> bool: ...

    def send(self, signal: Signal) -> None:
        """Tell the session what the learner did."""

    def refresh_view(self) -> None:
        """Show what the session says now."""

    # Widgets and focus.

    def query_one(self, kind: type[W], /) -> W: ...
    @property
    def focused(self) -> Widget | None: ...
    def set_focus(self, widget: Widget | None, /) -> None: ...
    def choose_panel(self, name: str) -> None:
        """Bring a panel to the front and go to it."""

    def point_at_line(self, line: int) -> None:
        """Put the code panel's cursor on a line."""

    # Texts.

    def say(self, text: LocalText, /, **values: object) -> str: ...
    def note(self, text: LocalText, /, **values: object) -> None: ...
    def notice(self, text: str, *, wrong: bool = False) -> None: ...

    # Textual's.

    def call_after_refresh(self, callback: Callable[..., object], *args: object) -> bool: ...
    def run_worker(
        self, work: Coroutine[object, object, object], *, group: str = ..., exclusive: bool = ...
    ) -> object: ...
