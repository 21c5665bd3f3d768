"""Whether a lesson is true: every claim in it, compared with runs of its programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from msgspec.structs import replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problem, Problems, fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Raised, Unverified
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Event, Mutation, Step, Warned
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import Claim, Kind, LessonStep, Variant
from inplace_tui.tutorial.course.lessons.claims import (
    FinishedRun,
    find_visit,
    how_it_ended,
    is_slip,
    mismatches,
    needs_truth,
    not_visited,
    parts,
)
from inplace_tui.tutorial.course.lessons.general import refutation
from inplace_tui.tutorial.course.lessons.held import adds, mentions
from inplace_tui.tutorial.course.lessons.kinds.kind import AnswerRuns, AskedQuestion, empty_claims
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.course.lessons.strict_yaml import Path

Ran = tuple[str | None, str]
"""A variant, None being the lesson itself, and the answer that changes the program, or none.

`HELD` and an id is one of the programs under `holds`.
"""

HELD = "holds"

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
class Asked:
    """A question or a variant: something to predict."""

    kind: Kind | None
    """None for a variant, of which the ending is predicted."""

    ending: Ending
    """How its program ends."""


@dataclass(frozen=True)
class Verified:
    """The result of checking one lesson."""

    problems: tuple[Problem, ...]
    programs: int
    claims: int
    asked: tuple[Asked, ...] = ()
    warnings: tuple[Problem, ...] = ()
    """What is no fault in a pack: it knows what its learners know."""


def jobs(loaded: LoadedLesson) -> list[Job]:
    return [
        Job(OWN, loaded.program(), loaded.anchors, loaded.needs_truth),
        *(
            Job((v.id, ""), loaded.program(v.id), anchored.anchors, with_truth=True)
            for v in loaded.lesson.variants
            if (anchored := loaded.variants[v.id])
        ),
        *(
            Job((HELD, each.id), loaded.program_of(held), held.anchors, needs_truth(each.expect))
            for each in loaded.lesson.holds
            if (held := loaded.held[each.id])
        ),
        *(
            Job((None, answer), loaded.program_of(anchored), anchored.anchors, with_truth)
            for question in loaded.questions.values()
            for with_truth in [question.needs_truth]
            for answer, anchored in list(question.trials.items())[1:]
        ),
    ]


def judge(loaded: LoadedLesson, runs: Mapping[Ran, FinishedRun]) -> Verified:
    check = _Check(loaded, runs)
    own = runs[OWN]
    if not loaded.questions:
        check.note(("steps",), AuthoringTexts.no_question)
    steps = [step.at for step in loaded.lesson.steps]
    is_whole = check.ended(own, ("code",), loaded.own_claims, steps)
    if is_whole:
        check.watched()
    for index, step in enumerate(loaded.lesson.steps if is_whole else ()):
        check.step(("steps", index), step)
    for index, variant in enumerate(loaded.lesson.variants if is_whole else ()):
        run, path = runs[variant.id, ""], ("variants", index)
        if not check.ended(run, (*path, "swap"), [variant.expect]):
            continue
        check.claim((*path, "expect"), variant.expect, run, None)
        check.asked.append(Asked(None, run.ending))
        same = _missing_difference(own, run, variant)
        if same is not None:
            check.note((*path, "swap"), same)
    for index, held in enumerate(loaded.lesson.holds):
        run, path = runs[HELD, held.id], ("holds", index)
        if check.ended(run, (*path, "code"), [held.expect]):
            check.claim((*path, "expect"), held.expect, run, None)
        if not mentions(loaded, held.code):
            check.note((*path, "code"), AuthoringTexts.held_elsewhere)
        elif run.ending is own.ending and not adds(loaded, held.code):
            check.note((*path, "code"), AuthoringTexts.held_again)
    for index, general in enumerate(loaded.lesson.general):
        check.claims += 1
        if (problem := refutation(general)) is not None:
            check.note(("general", index), problem)
    return Verified(
        check.problems.sorted(), programs=len(runs), claims=check.claims, asked=tuple(check.asked)
    )


class _Check:
    """Checks one lesson, and says where each problem is."""

    def __init__(self, loaded: LoadedLesson, runs: Mapping[Ran, FinishedRun]) -> None:
        self.problems = Problems(loaded.path)
        self.claims = 0
        self.asked: list[Asked] = []
        self._loaded = loaded
        self._runs = runs

    def note(self, path: Path, text: LocalText) -> None:
        self.problems.say(self._loaded.where(*path), text)

    def ended(
        self, run: FinishedRun, path: Path, claims: Iterable[Claim], steps: Iterable[str] = ()
    ) -> bool:
        """Whether its claims can be judged; report a time-out, a crash, a limit or a slip.

        So is an error before a line at which there is a step: all that is said of it would follow.
        """
        outcome = run.timeline.outcome
        ahead = [run.anchors.get(s.partition("#")[0], 0) for s in steps if not find_visit(run, s)]
        early = isinstance(outcome, Raised) and max(ahead, default=0) > (outcome.line or 0)
        if not isinstance(outcome, Completed | Raised) or early or is_slip(run, claims):
            self.note(path, fill(AuthoringTexts.no_run, how=how_it_ended(run)))
            return False
        return True

    def watched(self) -> None:
        """Report watched names that no tensor ever has: they are misspelt."""
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
        there = find_visit(run, step.at)
        at = None if there is None else there.index
        if there is None:
            self.note((*path, "at"), *not_visited(run, step.at))
        elif step.expect is not None:
            self.claim((*path, "expect"), step.expect, run, at)
        if step.ask is not None:
            self.question((*path, "ask"), self._loaded.questions[step.ask.id], at)

    def claim(self, path: Path, claim: Claim, run: FinishedRun, at: int | None) -> None:
        self.claims += 1
        for below, text in empty_claims(((), claim)):
            self.note((*path, *below), text)
        for below, part in parts(claim):
            for reason in mismatches(part, run, at):
                self.note((*path, *below), reason)

    def question(self, path: Path, asked: AskedQuestion, at: int | None) -> None:
        self.claims += len(asked.claims)
        trials = {
            answer: self._runs[(None, answer) if place else OWN]
            for place, answer in enumerate(asked.trials)
        }
        runs = AnswerRuns(self._runs[OWN], at, trials)
        for below, text in asked.verify(runs):
            self.note((*path, *below), text)
        own = self._runs[OWN].ending
        ending = Ending.RIGHT if own is Ending.RUNS else own
        self.asked.append(Asked(asked.question.kind, ending))


def _missing_difference(own: FinishedRun, other: FinishedRun, variant: Variant) -> LocalText | None:
    """Return in which way a variant makes no difference.

    That nothing changes may be what a variant teaches; then it has to say so.
    """
    if not _end_alike(own, other):
        return None
    if [*map(_placeless, own.timeline)] == [*map(_placeless, other.timeline)]:
        return AuthoringTexts.same_run
    claims_a_difference = variant.expect == Claim() or mismatches(variant.expect, own, None)
    return None if claims_a_difference or variant.say is not None else AuthoringTexts.same_claims


def _end_alike(own: FinishedRun, other: FinishedRun) -> bool:
    ours, theirs = own.timeline.outcome, other.timeline.outcome
    if isinstance(ours, Raised) and isinstance(theirs, Raised):
        same = attrgetter("exception", "message", "in_backward")
        return bool(same(ours) == same(theirs))
    known = not isinstance(own.truth, Unverified) and not isinstance(other.truth, Unverified)
    return ours == theirs and (own.truth == other.truth or not known)


def _placeless(step: Step) -> Step:
    return replace(
        step,
        line=0,
        end_line=0,
        then=None,
        visit=1,
        events=tuple(map(_placeless_event, step.events)),
        tensors=tuple(replace(tensor, data_ptr=None) for tensor in step.tensors),
        nodes=tuple(replace(node, line=None) for node in step.nodes),
    )


def _placeless_event(event: Event) -> Event:
    if isinstance(event, Mutation):
        return replace(event, line=0, column=None, end_line=None, end_column=None, chain=())
    return replace(event, line=None) if isinstance(event, Warned) else event
