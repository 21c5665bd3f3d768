"""A runner that shows its session on a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_tui.common.local_text import LocalText
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.drive.session_runner import SessionRunner

if TYPE_CHECKING:
    from typing_extensions import Self

    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen

Play = Callable[[Session], "ScreenSessionRunner"]


class ScreenSessionRunner(SessionRunner):
    """A runner whose screen is made after it; the screen binds itself."""

    def __init__(
        self, session: Session, worker: Worker, keep: Callable[[SaveProgress], None] | None = None
    ) -> None:
        self._page: RunScreen | None = None
        super().__init__(
            session, worker, on_change=self._changed, on_notice=self._noticed, on_progress=keep
        )

    def for_session(self, session: Session) -> Self:
        return type(self)(session, self._worker, self._on_progress)

    @property
    def worker(self) -> Worker:
        return self._worker

    def bind(self, page: RunScreen) -> None:
        self._page = page

    def _changed(self) -> None:
        # A search may end while the screen is being removed.
        if self._page is not None and self._page.is_there:
            self._page.refresh_view()

    def _noticed(self, text: LocalText) -> None:
        if self._page is not None and self._page.is_there:
            self._page.notify_session(text)
