"""Whether a lesson is true: every claim in it, held against what its programs did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inplace_tui.engine.lessons.claims import (
    FinishedRun,
    ending,
    holds,
    how_it_ended,
    needs_truth,
    not_visited,
    parts,
    visit,
)
from inplace_tui.engine.lessons.kinds.kind import AnswerRuns, AskedQuestion, empty_claims
from inplace_tui.engine.lessons.kinds.registry import AnswersView
from inplace_tui.engine.lessons.likeness import sameness
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.lessons.strict_yaml import Path
from inplace_tui.engine.problems import Problem, Problems, fill
from inplace_tui.model.lesson import Claim, LessonStep, LocalText
from inplace_tui.model.program import Program
from inplace_tui.texts.authoring import AuthoringTexts

Ran = tuple[str | None, str]
"""A variant, None being the lesson itself, and the answer that changes the program, or none."""

OWN: Ran = (None, "")
"""The lesson's own program."""


@dataclass(frozen=True)
class Job:
    """A program that must be run to judge a lesson."""

    ran: Ran
    program: Program
    anchors: dict[str, int]
    with_truth: bool
    """Its replays are needed too."""


@dataclass(frozen=True)
class Verified:
    """The result of checking one lesson."""

    problems: tuple[Problem, ...]
    programs: int
    claims: int


def jobs(loaded: LoadedLesson) -> list[Job]:
    """Return the programs of a lesson, its own first."""
    return [
        Job(OWN, loaded.program(), loaded.anchors, loaded.needs_truth),
        *(
            Job((v.id, ""), loaded.program(v.id), marked.anchors, needs_truth(v.expect))
            for v in loaded.lesson.variants
            if (marked := loaded.variants[v.id])
        ),
        *(
            Job((None, answer), loaded.program_of(marked), marked.anchors, with_truth)
            for question in loaded.questions.values()
            for with_truth in [any(map(needs_truth, question.claims))]
            for answer, marked in list(question.trials.items())[1:]
        ),
    ]


def judge(loaded: LoadedLesson, runs: Mapping[Ran, FinishedRun]) -> Verified:
    """Return everything in a lesson that is not true."""
    check = _Check(loaded, runs)
    own = runs[OWN]
    check.ended(own, ("code",))
    check.watched()
    for index, step in enumerate(loaded.lesson.steps):
        check.step(("steps", index), step)
    for index, variant in enumerate(loaded.lesson.variants):
        run, path = runs[variant.id, ""], ("variants", index)
        check.ended(run, (*path, "swap"))
        check.claim((*path, "expect"), variant.expect, run, None)
        same = sameness(own, run, variant)
        if same is not None:
            check.note((*path, "swap"), same)
    return Verified(check.problems.sorted(), programs=len(runs), claims=check.claims)


class _Check:
    """Goes through one lesson, with a place for every complaint."""

    def __init__(self, loaded: LoadedLesson, runs: Mapping[Ran, FinishedRun]) -> None:
        self.problems = Problems(loaded.path)
        self.claims = 0
        self._loaded = loaded
        self._runs = runs

    def note(self, path: Path, said: LocalText) -> None:
        self.problems.say(self._loaded.where(*path), said)

    def ended(self, run: FinishedRun, path: Path) -> None:
        """A time-out, a crash or a limit is nothing to teach with."""
        if ending(run.timeline.outcome) is None:
            how = how_it_ended(run.timeline.outcome)
            self.note(path, fill(AuthoringTexts.no_run, how=how))

    def watched(self) -> None:
        """A name that no tensor ever has is misspelt: its row never comes."""
        there = {
            name
            for run in self._runs.values()
            for step in run.timeline
            for tensor in step.tensors
            for name in tensor.names
        }
        for place, name in enumerate(self._loaded.lesson.watch):
            if name not in there:
                self.note(("watch", place), fill(AuthoringTexts.not_watched, name=name))

    def step(self, path: Path, step: LessonStep) -> None:
        run = self._runs[OWN]
        there = visit(run, step.at)
        at = None if there is None else there.index
        if there is None:
            self.note((*path, "at"), *not_visited(run, step.at))
        elif step.expect is not None:
            self.claim((*path, "expect"), step.expect, run, at)
        if step.ask is not None:
            self.question((*path, "ask"), self._loaded.questions[step.ask.id], at)

    def claim(self, path: Path, claim: Claim, run: FinishedRun, at: int | None) -> None:
        """Hold every field of a claim against the run, so that the place is exact."""
        self.claims += 1
        for below, said in empty_claims(((), claim)):
            self.note((*path, *below), said)
        for below, part in parts(claim):
            for reason in holds(part, run, at):
                self.note((*path, *below), reason)

    def question(self, path: Path, asked: AskedQuestion[AnswersView], at: int | None) -> None:
        self.claims += len(asked.claims)
        trials = {
            answer: self._runs[(None, answer) if place else OWN]
            for place, answer in enumerate(asked.trials)
        }
        for below, said in asked.verify(AnswerRuns(self._runs[OWN], at, trials)):
            self.note((*path, *below), said)
