"""A desk on which all is known, without a run."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Fix, diff
from inplace_tui.common.run.outcome import Raised, Unverified
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.drive.investigation import Investigation
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.desk import DeskScreen, program_opened
from support.played import ERROR
from support.screens import Stage

SOURCE = "x = make()\ny = x.exp()\ny.add_(1)\ny.sum().backward()\n"
FIXED = tuple(SOURCE.replace("y.add_(1)", f"y = y + {n}") for n in range(1, 10))


class KnownCase(Investigation):
    """Knows at once what there is to know, and counts how often it was asked."""

    asked = 0

    def run(self) -> None:
        """Know it: there is nothing to wait for."""
        assert isinstance(ERROR, Raised)
        self.asked += 1
        self.program = program = self._load()
        saver = Saver(line=2, node="ExpBackward0", slot="result", version=0, tensor="y")
        self.fixes = tuple(
            Fix(
                title=LocalText(en=f"Fix {n}", zh=f"改法 {n}"),
                line=3,
                diff=diff(SOURCE, each),
                source=each,
            )
            for n, each in enumerate(FIXED, 1)
        )
        blame = Blame(verdict=Verdict.SAVED_TENSOR_MODIFIED, tensor="y", saver=saver, reader=4)
        self.case = Case(
            program=program,
            outcome=ERROR,
            truth=Unverified(),
            verdict=blame.verdict,
            blame=blame,
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
