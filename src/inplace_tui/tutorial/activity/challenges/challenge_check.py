"""Whether a challenge is one: it isn't won as it is, its solution wins, and no deletion does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems, fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.activity.challenges.grading import References, end, finished, grade
from inplace_tui.tutorial.course import edits
from inplace_tui.tutorial.course.lessons.check import Verified
from inplace_tui.tutorial.course.lessons.claims import (
    FinishedRun,
    goes_as_far,
    how_it_ended,
    is_slip,
    mismatches,
    needs_truth,
    parts,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge


@dataclass(frozen=True)
class ChallengeRun:
    """A program that must be run to judge a challenge."""

    source: str
    deleted: int | None = None
    """It is the start without the statement on this line."""


def attempts(loaded: LoadedChallenge) -> list[ChallengeRun]:
    solved = loaded.solved_code
    probes = [
        ChallengeRun(source, line)
        for line, source in edits.deletions(loaded.code)
        if edits.tree(source) is not None and edits.lines_changed(solved, source)
    ]
    return [ChallengeRun(loaded.code), ChallengeRun(solved), *probes]


def verified_by(loaded: LoadedChallenge, run: FinishedRun) -> bool:
    """Whether the replays of a run are worth their time: all but gradients may be so."""
    goal = loaded.challenge.goal
    return needs_truth(goal) and goes_as_far(run, goal.ends)


def judge(loaded: LoadedChallenge, runs: Mapping[str, FinishedRun]) -> Verified:
    """Return everything that is wrong with a challenge."""
    judging = _ChallengeChecker(loaded, runs)
    if judging.start():
        judging.solution()
    if not judging.problems:
        judging.deletions()
    claims = len(list(parts(loaded.challenge.goal))) + len(loaded.challenge.same)
    return Verified(judging.problems.sorted(), programs=len(runs), claims=claims)


class _ChallengeChecker:
    def __init__(self, loaded: LoadedChallenge, runs: Mapping[str, FinishedRun]) -> None:
        self.problems = Problems(loaded.path)
        self._loaded = loaded
        self._runs = runs
        self._start = finished(loaded, runs[loaded.code])
        self._solution = finished(loaded, runs[loaded.solved_code])
        self._references = References(self._start.timeline, self._solution.timeline)

    def _note(self, text: LocalText, *path: str | int) -> None:
        self.problems.say(self._loaded.where(*path), text)

    def start(self) -> bool:
        """There is something to do, and what must come out the same is there.

        False if the rest would follow from what is wrong with one of the programs.
        """
        about, goal = self._loaded.challenge, self._loaded.challenge.goal
        for run, key in ((self._start, "code"), (self._solution, "solution")):
            if not isinstance(run.timeline.outcome, Completed | Raised) or is_slip(run, [goal]):
                self._note(fill(AuthoringTexts.no_run, how=how_it_ended(run)), key)
                return False
        changed = edits.lines_changed(self._loaded.code, self._loaded.solved_code)
        if changed < about.par:
            self._note(fill(AuthoringTexts.over_par, changed=changed, par=about.par), "par")
        numbers = (claim for each in goal.tensors.values() for claim in (each.grad, each.values))
        if goal.ends is Ending.RIGHT and all(each is UNSET for each in numbers):
            self._note(AuthoringTexts.cut_wins, "goal", "ends")
        if not list(parts(goal)):
            self._note(AuthoringTexts.claims_nothing, "goal")
        elif not mismatches(goal, self._start, None):
            self._note(AuthoringTexts.start_wins, "goal")
        snapshot = end(self._start.timeline)
        for key, names in (("same", about.same), ("once", about.once)):
            for index, name in enumerate(names):
                if snapshot.named(name) is None:
                    self._note(fill(AuthoringTexts.same_missing, name=name), key, index)
        return True

    def solution(self) -> None:
        """The solution wins, by the rules."""
        for path, part in parts(self._loaded.challenge.goal):
            for reason in mismatches(part, self._solution, None):
                self._note(fill(AuthoringTexts.solution_fails, why=reason), "goal", *path)
        found = grade(self._loaded, self._solution, self._references)
        for mark in found.broken:
            self._note(fill(AuthoringTexts.solution_fails, why=mark.text), "solution")

    def deletions(self) -> None:
        """To take a line away is no answer, unless it is the answer."""
        code = self._loaded.code.split("\n")
        for attempt in attempts(self._loaded):
            if attempt.deleted is None:
                continue
            if grade(self._loaded, self._runs[attempt.source], self._references).solved:
                values = {"line": attempt.deleted, "code": code[attempt.deleted - 1].strip()}
                self._note(fill(AuthoringTexts.deletion_wins, **values), "goal")
