"""A desk on which all is known, without a run."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Fix, FixSearch, diff
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.investigation import Investigation
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.opening import Opening, program_opened
from inplace_tui.tutorial.ui.screens.desk import DeskScreen
from support.screens import Stage
from support.views import SOURCE, failing

FIXED = tuple(SOURCE.replace("y.add_(1)", f"y = y + {n}") for n in range(1, 10))


class KnownCase(Investigation):
    """Knows at once what there is to know, and counts how often it was asked."""

    asked = 0

    def run(self) -> None:
        """Know it: there is nothing to wait for."""
        self.asked += 1
        self.program = program = self._load()
        timeline = failing()
        blame = find_blame(timeline, Unverified(), source=SOURCE)
        title = LocalText(en="Add it out of place", zh="改为非原地")
        found = tuple(
            Fix(title=title, line=4, diff=diff(SOURCE, each), source=each) for each in FIXED
        )
        self.search = FixSearch(found=found, tried=len(found), total=len(found), over=True)
        assert blame is not None
        assert timeline.outcome is not None
        self.case = Case(
            program=program,
            outcome=timeline.outcome,
            truth=Unverified(),
            verdict=blame.verdict,
            blame=blame,
            timeline=timeline,
            runs=3,
            seconds=1.0,
        )

    @property
    def is_over(self) -> bool:
        """It is."""
        return True


async def desk(stage: Stage, path: Path) -> DeskScreen:
    """Open the desk for a program that fails."""
    opening = Opening(screen="desk", file=path)
    investigation = KnownCase(Worker(), lambda: program_opened(opening))
    investigation.run()
    screen = DeskScreen(investigation, opening)
    await stage.app.push_screen(screen)
    await stage.pilot.pause()
    return screen
