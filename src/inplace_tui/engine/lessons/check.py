"""Whether a lesson is true: every claim in it, held against what its programs did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inplace_tui.engine.lessons.answers import claims_of, of_the_step, untrue
from inplace_tui.engine.lessons.claims import (
    FinishedRun,
    ending,
    holds,
    how_it_ended,
    needs_truth,
    visit,
)
from inplace_tui.engine.lessons.likeness import sameness
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.lessons.order_check import wrong_in
from inplace_tui.engine.lessons.ordering import Order, orders
from inplace_tui.engine.lessons.strict_yaml import Path
from inplace_tui.engine.problems import Position, Problem, Problems, fill
from inplace_tui.model.lesson import Claim, Kind, LessonStep, LocalText, Question, TensorClaim
from inplace_tui.texts.authoring import AuthoringTexts

Ran = tuple[str | None, Order]
"""A variant, None being the lesson itself, and the order of its lines if they change places."""

Runs = Mapping[Ran, FinishedRun]

OWN: Ran = (None, ())
"""The lesson's own program."""

Part = tuple[Path, Claim]
"""One field of a claim, and where in the claim it stands."""


@dataclass(frozen=True)
class Job:
    """A program that must be run to judge a lesson."""

    variant: str | None
    with_truth: bool
    """Its replays are needed too."""

    order: Order = ()
    """Names of lines that change places."""

    @property
    def ran(self) -> Ran:
        """What is run."""
        return self.variant, self.order


@dataclass(frozen=True)
class Verified:
    """What came of checking one lesson."""

    problems: tuple[Problem, ...]
    programs: int
    claims: int


def jobs(loaded: LoadedLesson) -> list[Job]:
    """Return the programs of a lesson, its own first."""
    steps = loaded.lesson.steps
    claims = [step.expect for step in steps if step.expect is not None]
    asked = [step.ask for step in steps if step.ask is not None]
    claims += [claim for question in asked for claim in claims_of(question)]
    outcome = any(question.kind is Kind.OUTCOME for question in asked)
    own = Job(None, with_truth=outcome or any(map(needs_truth, claims)))
    variants = [Job(v.id, with_truth=needs_truth(v.expect)) for v in loaded.lesson.variants]
    return [own, *variants, *(job for question in asked for job in _orders(loaded, question))]


def _orders(loaded: LoadedLesson, question: Question) -> Iterator[Job]:
    """Yield the programs of an `order`, but for the lesson's own."""
    if question.kind is Kind.ORDER:
        with_truth = any(map(needs_truth, claims_of(question)))
        for order in orders(question.lines, loaded.marked)[1:]:
            yield Job(None, with_truth=with_truth, order=order)


def judge(loaded: LoadedLesson, runs: Runs) -> Verified:
    """Return everything in a lesson that is not true."""
    judging = _Judging(loaded)
    own = runs[OWN]
    judging.ended(own, ("code",))
    judging.watched(runs)
    for index, step in enumerate(loaded.lesson.steps):
        judging.step(("steps", index), step, own)
        if step.ask is not None and step.ask.kind is Kind.ORDER:
            judging.order(("steps", index, "ask"), step.ask, runs)
    for index, variant in enumerate(loaded.lesson.variants):
        run, path = runs[variant.id, ()], ("variants", index)
        judging.ended(run, (*path, "swap"))
        judging.claim((*path, "expect"), variant.expect, run, None)
        same = sameness(own, run, variant)
        if same is not None:
            judging.note((*path, "swap"), same)
    return Verified(judging.problems.sorted(), programs=len(runs), claims=judging.claims)


class _Judging:
    """Walks through one lesson, with a place for every complaint."""

    def __init__(self, loaded: LoadedLesson) -> None:
        self.problems = Problems(loaded.path)
        self.claims = 0
        self._loaded = loaded

    def note(self, path: Path, said: LocalText) -> None:
        self.problems.say(self._where(path), said)

    def _where(self, path: Path) -> Position:
        return self._loaded.where(*path)

    def ended(self, run: FinishedRun, path: Path) -> None:
        """A time-out, a crash or a limit is nothing to teach with."""
        if ending(run.timeline.outcome) is None:
            how = how_it_ended(run.timeline.outcome)
            self.note(path, fill(AuthoringTexts.no_run, how=how))

    def watched(self, runs: Runs) -> None:
        """A name that no tensor ever has is a slip of the pen: its row never comes."""
        there = {
            name
            for run in runs.values()
            for step in run.timeline
            for tensor in step.tensors
            for name in tensor.names
        }
        for place, name in enumerate(self._loaded.lesson.watch):
            if name not in there:
                self.note(("watch", place), fill(AuthoringTexts.not_watched, name=name))

    def step(self, path: Path, step: LessonStep, run: FinishedRun) -> None:
        there = visit(run, step.at)
        if there is None:
            name, _, wanted = step.at.partition("#")
            visits = sum(each.line == run.anchors[name] for each in run.timeline)
            said = fill(AuthoringTexts.not_visited, anchor=name, visits=visits, wanted=wanted or 1)
            self.note((*path, "at"), said)
            return
        if step.expect is not None:
            self.claim((*path, "expect"), step.expect, run, there.index)
        if step.ask is not None and step.ask.kind is not Kind.ORDER:
            self.question((*path, "ask", "choices"), step.ask, run, there.index)

    def claim(self, path: Path, claim: Claim, run: FinishedRun, at: int | None) -> None:
        """Hold every field of a claim against the run, so that the place is exact."""
        self.claims += 1
        given = list(parts(claim))
        if not given:
            self.note(path, AuthoringTexts.claims_nothing)
        for below, part in given:
            for reason in holds(part, run, at):
                self.note((*path, *below), reason)

    def question(self, path: Path, question: Question, run: FinishedRun, at: int) -> None:
        """Exactly one choice is right."""
        self.claims += len(question.choices)
        reasons = {choice.id: untrue(question, choice, run, at) for choice in question.choices}
        true = [index for index, choice in enumerate(question.choices) if not reasons[choice.id]]
        for index, choice in enumerate(question.choices):
            if not any(True for _ in parts(choice.when)):
                self.note((*path, index, "when"), AuthoringTexts.claims_nothing)
        if not true:
            self.note(path, fill(AuthoringTexts.no_when, reasons=_listed(reasons)))
        elif len(true) > 1:
            names = ", ".join(question.choices[index].id for index in true)
            said = fill(AuthoringTexts.many_when, count=len(true), names=names)
            self.note((*path, true[1], "when"), said)
        if question.kind is Kind.LINE:
            self._not_shown_before(path, question, run, at)

    def _not_shown_before(self, path: Path, question: Question, run: FinishedRun, at: int) -> None:
        """What a line leaves behind can be asked for only before it runs."""
        for index, choice in enumerate(question.choices):
            own = None if choice.at is None else visit(run, choice.at)
            seen = own is not None and own.index < run.timeline.steps[at].began
            if seen and of_the_step(choice.when):
                said = fill(AuthoringTexts.shown_before, name=choice.at)
                self.note((*path, index, "at"), said)

    def order(self, path: Path, question: Question, runs: Runs) -> None:
        """Every order of the lines was run."""
        given = orders(question.lines, self._loaded.marked)
        self.claims += len(claims_of(question))
        for below, claim in (
            (("goal",), question.goal),
            *((("why", place, "when"), each.when) for place, each in enumerate(question.why)),
        ):
            if claim is not None and not any(True for _ in parts(claim)):
                self.note((*path, *below), AuthoringTexts.claims_nothing)
        own = {given[0]: runs[OWN]}
        for below, said in wrong_in(question, own | {o: runs[None, o] for o in given[1:]}):
            self.note((*path, *below), said)


def _listed(reasons: Mapping[str, list[LocalText]]) -> LocalText:
    en = "; ".join(f"'{choice}': {said[0].en}" for choice, said in reasons.items())
    zh = "；".join(f"'{choice}'：{said[0].zh}" for choice, said in reasons.items())
    return LocalText(en, zh)


def parts(claim: Claim) -> Iterator[Part]:
    """Yield a claim field by field."""
    default = Claim()
    for name in Claim.__struct_fields__:
        value = getattr(claim, name)
        if name != "tensors" and value != getattr(default, name):
            yield (name,), Claim(**{name: value})
    for name, tensor in claim.tensors.items():
        fields = [each for each in TensorClaim.__struct_fields__ if _given(tensor, each)]
        if not fields:
            yield ("tensors", name), Claim(tensors={name: tensor})
        for field in fields:
            part = TensorClaim(**{field: getattr(tensor, field)})
            yield ("tensors", name, field), Claim(tensors={name: part})


def _given(tensor: TensorClaim, field: str) -> bool:
    return getattr(tensor, field) is not UNSET
