"""Judges what is run in a challenge, and keeps what was reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import msgspec

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import Grade, References, grade
from inplace_tui.engine.lessons.claims import claimed_end
from inplace_tui.engine.session.session import Session
from inplace_tui.model.timeline import Timeline
from inplace_tui.present.challenge import ChallengeAttempt
from inplace_tui.progress import ChallengeProgress

TRIES = 3
"""Times that the programs an edit is judged by are run: a worker may die under them."""

KeepAttempt = Callable[[ChallengeProgress], None]


class ChallengeJudge:
    """Grades a run that is over, once."""

    def __init__(
        self,
        loaded: LoadedChallenge,
        *,
        kept: ChallengeProgress,
        keep: KeepAttempt,
        references: Callable[[], Awaitable[References]],
    ) -> None:
        """Have judged nothing yet.

        Args:
            loaded: the challenge.
            kept: what was reached before.
            keep: called with what is reached.
            references: runs the programs that an edit is judged by.
        """
        self._loaded = loaded
        self.kept = kept
        self.attempt = ChallengeAttempt(loaded, hints=kept.hints)
        self._keep = keep
        self._run_references = references
        self._references: References | None = None
        self._failed = False
        self._judged: Timeline | None = None

    async def prepare(self) -> bool:
        """Run what an edit is judged by; return whether that could be done."""
        for _ in range(TRIES):
            known = await self._run_references()
            ends = (claimed_end(known.start.outcome), claimed_end(known.solution.outcome))
            if None not in ends:
                self._references = known
                return True
        self._failed = True
        return False

    def judge(self, session: Session) -> Grade | None:
        """Return the grade of a run, the first time that there is one."""
        done, references = session.finished, self._references
        if self._failed:
            return None
        if done is None or references is None:
            view = session.view()
            # A run that was lost has no verdict.
            awaited = view.timeline.outcome is None or view.verifying
            self.attempt = replace(self.attempt, grade=None, grading=awaited)
            return None
        if done.timeline is self._judged:
            return None
        self._judged = done.timeline
        found = grade(self._loaded, done, references)
        self.attempt = replace(self.attempt, grade=found, grading=False)
        if found.solved:
            best = found.changed if self.kept.lines is None else self.kept.lines
            self.reach(lines=min(best, found.changed))
        return found

    def hint(self) -> bool:
        """Show the next hint; return whether there was one."""
        if self.attempt.hints >= len(self._loaded.challenge.hints):
            return False
        self.attempt = replace(self.attempt, hints=self.attempt.hints + 1)
        self.reach(hints=self.attempt.hints)
        return True

    def reach(self, **reached: object) -> None:
        self.kept = msgspec.structs.replace(self.kept, **reached)
        self._keep(self.kept)
