"""Judges what is run in a challenge, and keeps what was reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

import msgspec

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import Grade, References, grade
from inplace_tui.engine.editor.line_matching import moved
from inplace_tui.engine.lessons.claims import FinishedRun, claimed_end
from inplace_tui.engine.problems import fill
from inplace_tui.engine.session.session import Session
from inplace_tui.model.lesson import LocalText
from inplace_tui.present.challenge import ChallengeAttempt
from inplace_tui.progress import ChallengeProgress
from inplace_tui.texts.challenges import GradingTexts

TRIES = 3
"""Times that the programs an edit is judged by are run: a worker may die under them."""

SaveAttempt = Callable[[ChallengeProgress], None]


def _called(places: Mapping[int, int], line: int) -> int | LocalText:
    """Return what a line of the program that ran is called in a newer text."""
    return places[line] if line in places else fill(GradingTexts.removed, line=line)


class ChallengeJudge:
    """Grades a run that is over, once."""

    def __init__(
        self,
        loaded: LoadedChallenge,
        *,
        kept: ChallengeProgress,
        save: SaveAttempt,
        references: Callable[[], Awaitable[References]],
    ) -> None:
        self._loaded = loaded
        self.kept = kept
        hints = min(kept.hints, len(loaded.challenge.hints))  # it may have had more
        self.attempt = ChallengeAttempt(loaded, hints=hints)
        self._save = save
        self._run_references = references
        self._references: References | None = None
        self._failed = False
        self._judged: FinishedRun | None = None
        self._moved: Mapping[int, int] = {}
        """Where the lines of what was judged are in the text that the verdict is shown beside."""

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
        if self._judged is not None and done.timeline is self._judged.timeline:
            return None
        self._judged = done
        self._moved = {}
        found = grade(self._loaded, done, references)
        self.attempt = replace(self.attempt, grade=found, grading=False)
        if found.solved:
            best = found.changed if self.kept.lines is None else self.kept.lines
            self.reach(lines=min(best, found.changed))
        return found

    def follow(self, source: str) -> None:
        """Number lines as they are in a text: what is edited, or what ran."""
        done, known = self._judged, self._references
        self.attempt = replace(self.attempt, source=source)
        if done is None or known is None or self.attempt.grade is None:
            return
        places = {} if source == done.source else moved(done.source, source)
        if places != self._moved:
            self._moved = places
            number = partial(_called, places) if places else str
            self.attempt = replace(self.attempt, grade=grade(self._loaded, done, known, number))

    def hint(self) -> bool:
        """Show the next hint; return whether there was one."""
        if self.attempt.hints >= len(self._loaded.challenge.hints):
            return False
        self.attempt = replace(self.attempt, hints=self.attempt.hints + 1)
        self.reach(hints=self.attempt.hints)
        return True

    def reach(self, **reached: object) -> None:
        self.kept = msgspec.structs.replace(self.kept, **reached)
        self._save(self.kept)
