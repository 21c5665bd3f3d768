"""Draws the next step while the learner still reads this one.

Most steps are followed by another of their kind. What it will show is made in the pause
after a step, out of sight, and drawn when the key comes: if it is what is to be shown then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from inplace_tui.engine.session.view import View
from inplace_tui.ui.painting import Painter
from inplace_tui.ui.panels.panel import Panel

PAUSE = 0.005
"""Seconds without anything new to show, after which there is time to look ahead."""


class Foresight:
    """What a screen will show next, probably."""

    def __init__(
        self, guess: Callable[[], View | None], panels: Sequence[Panel], painter: Painter
    ) -> None:
        """Nothing is foreseen yet.

        Args:
            guess: returns the view that will probably be wanted next, if there is one.
            panels: what shows it.
            painter: paints them.
        """
        self._guess, self._panels, self._painter = guess, panels, painter
        self.view: View | None = None
        """What will probably be shown next; None if that can't be told, or was not yet."""

        self.is_done = False
        """Whether there was time to think of it."""

        self._timer: asyncio.TimerHandle | None = None

    def recognise(self, view: View) -> View:
        """Return what is to be shown now; the very one that was foreseen, if it is equal."""
        return self.view if self.view == view else view

    def look_ahead(self) -> None:
        """Make what comes next, unless something else is to be shown first."""
        self.stop()
        self.view, self.is_done = None, False
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self._make)

    def stop(self) -> None:
        """Make nothing any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _make(self) -> None:
        self.view, self.is_done = self._guess(), True
        view = self.view
        if view is None:
            return
        for panel in self._panels:
            rows = panel.foresee(view)
            if rows is not None:
                self._painter.prepare(panel, rows)
