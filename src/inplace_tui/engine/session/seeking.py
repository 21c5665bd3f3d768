"""When to look for fixes: once a failure is in view, and nothing is asked any more."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_tui.engine.fixes.search import Search
from inplace_tui.engine.session.run import Run
from inplace_tui.engine.session.signals import CancelRun, FindFixes, FixesTried, Instruction


def is_ripe(run: Run) -> bool:
    """Whether all is known that a search begins with, and nobody has searched yet."""
    return run.over and run.truth is not None and not run.verifying and run.search is None


def seek(run: Run, runs: Iterable[Run]) -> list[Instruction]:
    """Look for fixes of a run that is ripe, if it came out in a way that has a name.

    One search at a time: what another run's has found by now is found again when
    the learner comes back to it.

    Args:
        run: the one in view.
        runs: all of the session.
    """
    assert run.truth is not None
    if run.verdict() is None:
        return []
    cancelled: list[Instruction] = []
    for other in runs:
        if is_sought(other):
            other.search = None
            cancelled.append(CancelRun(run=other.number))
    run.search = Search()
    wanted = FindFixes(
        run=run.number,
        program=run.program,
        blame=run.blame(),
        timeline=run.timeline,
        truth=run.truth,
    )
    return [*cancelled, wanted]


def is_sought(run: Run) -> bool:
    """Whether a search for its fixes is under way."""
    return run.search is not None and not run.search.over


def take(runs: Iterable[Run], signal: FixesTried) -> None:
    """Keep what a search tells; one that was cancelled may tell a last thing."""
    for run in runs:
        if run.number == signal.run and is_sought(run):
            run.search = signal.search
