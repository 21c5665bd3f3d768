"""A runner for somebody who reads lines: what takes long is done when it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from inplace_tui.commands.output import print_message
from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.drive.timeouts import timeout
from inplace_tui.engine.session.saved import QuestionStatus, SaveProgress
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import CancelRun, FindFixes, Instruction
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.program import Limits
from inplace_tui.runner.worker import Worker
from inplace_tui.texts import say
from inplace_tui.texts.plain import PlainTexts

PATIENCE = 1.0
"""Seconds after which a message says that something runs."""


class PlainSessionRunner(SessionRunner):
    """Performs a session and can be waited for."""

    def __init__(
        self,
        session: Session,
        worker: Worker,
        *,
        on_notice: Callable[[LocalText], None],
        on_progress: Callable[[SaveProgress], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._changed = asyncio.Event()
        self._searches: list[FindFixes] = []
        super().__init__(
            session,
            worker,
            on_change=self._changed.set,
            on_notice=on_notice,
            on_progress=on_progress,
            limits=limits,
        )

    async def until_idle(self, language: str) -> None:
        """Wait until the run in view is over and its truth known, and an answer judged."""
        await self.until(self._is_idle, language)

    async def until(self, done: Callable[[], bool], language: str) -> None:
        """Wait for something; say that it runs if that takes long."""
        patience: float | None = PATIENCE
        while not done():
            self._changed.clear()
            try:
                async with timeout(patience):
                    await self._changed.wait()
            except TimeoutError:
                print_message(say(PlainTexts.running, language))
                patience = None

    def _is_idle(self) -> bool:
        view = self.session.view()
        if view.running or view.verifying:
            return False
        asked = view.question
        judged = asked is not None and (asked.status is QuestionStatus.CHECKING or asked.searching)
        return not (judged and self._tasks)

    def find_fixes(self) -> None:
        """Find the fixes that the session wants: until now nobody waited for them."""
        searches, self._searches = self._searches, []
        super()._perform(list(searches))

    def _perform(self, instructions: list[Instruction]) -> None:
        for each in instructions:
            if isinstance(each, FindFixes):
                self._searches.append(each)
            elif isinstance(each, CancelRun):
                self._searches = [search for search in self._searches if search.run != each.run]
        super()._perform([each for each in instructions if not isinstance(each, FindFixes)])
