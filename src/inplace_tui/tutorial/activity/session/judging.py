"""Answers, and predictions of variants, held against what the programs did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.tutorial.activity.session.questions import QuestionState, Reply
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.signals import RunTrial, TrialEnded
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.kinds.choice import EndingQuestion
from inplace_tui.tutorial.course.lessons.kinds.kind import AnswerRuns, AskedQuestion, Ruling
from inplace_tui.tutorial.course.lessons.kinds.registry import AnswersView
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson


class AnswerJudge:
    """Tells which answers to a lesson's questions are true, and what must be run for that."""

    def __init__(self, lesson: LoadedLesson | None) -> None:
        self._lesson = lesson
        self._ended: dict[str, FinishedRun] = {}
        """Trials by their answer."""

        self._running: tuple[int, str, AnchoredCode] | None = None
        """Number, answer and program of the trial that runs; one at a time."""

    @property
    def running(self) -> int | None:
        return None if self._running is None else self._running[0]

    def ruling(self, state: QuestionState, at: int | None, main: SessionRun) -> Ruling | None:
        """Return what the runs say of an answer; None while that is unknown."""
        if self._lesson is None:
            return None
        own = None
        if main.over and (main.truth is not None or not state.asked.needs_truth):
            truth = Unverified() if main.truth is None else main.truth
            anchors, source = self._lesson.anchors, main.program.source
            own = FinishedRun(main.timeline, truth, anchors, source)
        return state.asked.ruling(state.tried, AnswerRuns(own, at, self._ended))

    def next_trial(self, state: QuestionState, number: int) -> RunTrial | None:
        """Return the program that must be run next for an answer, if there is one."""
        if self._lesson is None or self._running is not None:
            return None
        answer = self._missing(state)
        if answer is None:
            return None
        changed = state.asked.trials[answer]
        self._running = (number, answer, changed)
        program = self._lesson.program_of(changed)
        return RunTrial(run=number, program=program, with_truth=state.asked.needs_truth)

    def _missing(self, state: QuestionState) -> str | None:
        """Return the answer to learn about: the one given, then others until one is right."""
        trials = state.asked.trials
        if trials and state.tried and state.tried[-1] not in self._ended:
            return state.tried[-1]
        if not trials or not state.done or state.status is QuestionStatus.RIGHT:
            return None
        if state.asked.ruling((), AnswerRuns(None, None, self._ended)) is not None:
            return None
        return next((answer for answer in trials if answer not in self._ended), None)

    def take(self, signal: TrialEnded) -> None:
        if self._running is None or self._running[0] != signal.run:
            return  # cancelled meanwhile
        _, answer, program = self._running
        self._ended[answer] = FinishedRun(
            signal.timeline, signal.truth, program.anchors, program.code
        )
        self._running = None


class Predictions:
    """What is asked of a whole program before anything of it is shown: of variants, how they end.

    In the drill it is about the session's own program; in the sandbox nothing is asked.
    """

    def __init__(
        self, lesson: LoadedLesson | None, asked: AskedQuestion[AnswersView] | None
    ) -> None:
        variants = () if lesson is None else lesson.lesson.variants
        codes = {} if lesson is None else lesson.variants
        self._asked: dict[str | None, AskedQuestion[AnswersView]] = {
            each.id: EndingQuestion.of_variant(each, codes[each.id]) for each in variants
        }
        if asked is not None:
            self._asked[None] = asked
        self.states: dict[str | None, QuestionState] = {}
        """By the id of the variant; None is the program itself."""

        self.reset()

    def reset(self) -> None:
        self.states = {key: QuestionState(asked) for key, asked in self._asked.items()}

    def pending(self, variant: str | None) -> bool:
        """Whether this variant must not be shown yet."""
        return variant in self.states and not self.states[variant].done

    @property
    def guesses(self) -> dict[str, Ending | None]:
        """What was predicted of variants that may be shown; None where it was not."""
        return {
            key: Ending(state.tried[-1]) if state.tried else None
            for key, state in self.states.items()
            if state.done and key is not None
        }

    def answers(self) -> list[SavedAnswer]:
        return [each.answer() for each in self.states.values() if each.tried or each.done]

    def restore(self, answers: Mapping[str, SavedAnswer]) -> None:
        for key, state in self.states.items():
            identity = state.asked.question.id
            if identity in answers:
                self.states[key] = state.restored(answers[identity])

    def reply(self, key: str | None, signal: Reply) -> LocalText | None:
        """Have a prediction take a reply; return a notice, if there is one."""
        self.states[key], notice = self.states[key].replied(signal)
        return notice

    def take_back(self, key: str | None) -> bool:
        """Take a step of an answer back; return whether there was one."""
        state = self.states[key]
        self.states[key] = replace(state, draft="")
        return state.status.is_open and bool(state.draft)

    def judge_answers(self, runs: Mapping[str | None, SessionRun]) -> list[str | None]:
        """Compare predictions with runs that are over; return what may be shown from now on."""
        judged: list[str | None] = []
        for key, state in self.states.items():
            run = runs.get(key)
            waits = state.status is QuestionStatus.CHECKING or (state.done and not state.right)
            if not waits or run is None or not run.over or run.truth is None:
                continue
            finished = FinishedRun(run.timeline, run.truth, source=run.program.source)
            ruling = state.asked.ruling(state.tried, AnswerRuns(finished, None))
            assert ruling is not None, "the run is over"
            self.states[key] = state.with_ruling(ruling)
            if run.cursor < 0:
                judged.append(key)
        return judged
