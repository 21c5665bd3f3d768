"""Questions: what of each may be shown, which bar the way in a run, which hide something.

A question is asked before its line runs. The gate of a question is the number
of steps that had finished when its line began: the cursor waits at gate - 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from inplace_tui.common.local_text import LocalText, joined
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.view import Gate, QuestionView
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.kinds.choice import EndingQuestion
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswerProgress,
    AnswerRuns,
    AskedQuestion,
    Ruling,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson


def place(anchor: str, anchors: dict[str, int]) -> tuple[int, int]:
    """Return the line and the visit that an anchor means.

    Raises:
        KeyError: there is no such anchor.
    """
    name, _, visit = anchor.partition("#")
    return anchors[name], int(visit or 1)


class Gates:
    """Finds the gates of one run while its steps arrive.

    A gate is known as soon as its line begins, which may be long before it
    finishes, if it ever does.
    """

    def __init__(self, places: Iterable[tuple[str, tuple[int, int]]]) -> None:
        self.before: dict[str, int] = {}
        """Id of a question -> its gate."""

        self.asked: dict[str, int] = {}
        """Id of a question -> index of the step of its line, once that finished."""

        self._waiting: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for question, (line, visit) in places:
            self._waiting[line].append((question, visit))
        self._visits: dict[int, int] = defaultdict(int)

    def begin(self, line: int | None) -> None:
        self._expect(line, gate=0)

    def add(self, step: Step) -> None:
        self._visits[step.line] = max(self._visits[step.line], step.visit)
        for question, visit in self._waiting.get(step.line, ()):
            if visit == step.visit:
                self.before[question] = step.began
                self.asked[question] = step.index
        self._expect(step.then, gate=step.index + 1)

    def _expect(self, line: int | None, *, gate: int) -> None:
        """Ask already where a line begins: it may run long, or never finish."""
        if line is None:
            return
        for question, visit in self._waiting.get(line, ()):
            if question not in self.before and visit == self._visits[line] + 1:
                self.before[question] = gate

    def end(self, timeline: Timeline) -> None:
        """Forget gates of lines that were never begun after all."""
        dying = len(timeline)
        for question in list(self.before):
            if question not in self.asked and self.before[question] != dying:
                del self.before[question]


@dataclass(frozen=True)
class QuestionState:
    """One question, as far as the learner got with it."""

    asked: AskedQuestion
    status: QuestionStatus = QuestionStatus.OPEN
    tried: tuple[str, ...] = ()
    draft: str = ""
    """An answer that is put together but not given yet."""

    hints: int = 0
    left: bool = False
    """Left for later; it stays open, but no longer bars the way."""

    guessed: bool = False
    """The last answer was given as a guess."""

    judged: bool = True
    """Whether a run could say if it is right."""

    right: str | None = None
    """A right answer, once it may be shown."""

    reply: LocalText | None = None
    """What the run of the last try leads to say."""

    did: LocalText | None = None
    """What the program did when it was run for the last try."""

    whys: Mapping[str, LocalText | None] = field(default_factory=dict)
    """What the run says to answers, by answer."""

    @property
    def done(self) -> bool:
        """Whether the learner has committed and knows how it came out."""
        return self.status.is_done

    @property
    def bars(self) -> bool:
        return not self.done and not self.left

    @property
    def gate(self) -> Gate:
        if self.done:
            return Gate.DONE
        return Gate.PASSED if self.left else Gate.OPEN

    def replied(self, signal: signals.Reply) -> tuple[QuestionState, LocalText | None]:
        """Return it after what the learner did, and what is to be said of that, if anything is."""
        if self.status is QuestionStatus.CHECKING:
            return self, NoticeTexts.checking
        match signal:
            case signals.AnswerGiven(given=given, guessed=guessed):
                return replace(self, guessed=guessed)._given(given)
            case signals.AnswerDrafted(draft=draft):
                return replace(self, draft=draft), None
            case signals.AnswerRequested():
                return replace(self, status=QuestionStatus.SHOWN, left=False), None
            case signals.QuestionLeft():
                return replace(self, left=True), NoticeTexts.left_for_later
            case signals.HintRequested():
                spent = self.hints == len(self.asked.question.hints)
                hints = self.hints if spent else self.hints + 1
                return replace(self, hints=hints), NoticeTexts.no_more_hints if spent else None

    def _given(self, given: str) -> tuple[QuestionState, LocalText | None]:
        answer = self.asked.parse(given, self.draft)
        if answer is None:
            return self, self.asked.NOT_AN_ANSWER
        if answer in self.tried:
            return self, NoticeTexts.tried_before
        return replace(self, draft=answer).answered(answer), None

    def answered(self, answer: str) -> QuestionState:
        """Return it after a commitment, to be judged as soon as the run allows.

        What was tried before, or is no answer, changes nothing.
        """
        open_ = self.status.is_open and answer not in self.tried
        if not open_ or not self.asked.is_answer(answer):
            return self
        return replace(
            self, status=QuestionStatus.CHECKING, tried=(*self.tried, answer), left=False
        )

    def with_ruling(self, ruling: Ruling) -> QuestionState:
        judged = replace(self, reply=ruling.reply, did=ruling.did, whys=ruling.whys)
        if self.status is not QuestionStatus.CHECKING:
            return replace(judged, right=ruling.right if self.done else None)
        if ruling.good is None:
            return replace(judged, status=QuestionStatus.SHOWN, judged=False)
        if ruling.good:
            return replace(judged, status=QuestionStatus.RIGHT, right=self.tried[-1])
        if len(self.tried) == 1 and self.asked.has_second_try:
            return replace(judged, status=QuestionStatus.AGAIN)
        return replace(judged, status=QuestionStatus.WRONG, right=ruling.right)

    def view(self, line: int, shuffle: str = "") -> QuestionView:
        """Return what may be shown of it before a line.

        `shuffle` is the seed of the order of its choices; empty for that of the file.
        """
        question = self.asked.question
        open_ = self.status.is_open
        unknown = self.right is None and self.status in {QuestionStatus.WRONG, QuestionStatus.SHOWN}
        return QuestionView(
            id=question.id,
            prompt=question.prompt,
            answers=self.asked.view(
                AnswerProgress(open_, self.tried, self.right, self.draft, shuffle)
            ),
            status=self.status,
            tried=self.tried,
            draft=self.draft,
            right=self.right,
            searching=unknown and bool(self.asked.trials),
            feedback=self._feedback(),
            did=self.did,
            whys=self._whys() if self.status is QuestionStatus.SHOWN else (),
            hints=tuple(question.hints[: self.hints]),
            hints_total=len(question.hints),
            line=line,
        )

    def _feedback(self) -> LocalText | None:
        if self.reply is not None:
            return self.reply
        shown = [] if self.status is QuestionStatus.CHECKING else list(self.tried[-1:])
        if self.right is not None and self.right not in shown:
            # All that was picked stands beside what is right.
            shown = [*self.tried, self.right]
        of = self.asked.why if len(shown) == 1 else self.asked.why_beside_others
        found = [why for each in shown if (why := self.whys.get(each) or of(each)) is not None]
        if not found:
            return None
        return found[0] if len(found) == 1 else joined(dict.fromkeys(found), "\n\n")

    def _whys(self) -> tuple[tuple[str, LocalText], ...]:
        """Return what is said to the wrong answers, whoever gave them."""
        asked = self.asked.question
        wrong = [each.id for each in asked.choices if self.right not in (None, each.id)]
        found = [(each, self.asked.why_beside_others(each)) for each in wrong]
        others = [*(each.say for each in asked.why), *(each.why for each in asked.slips)]
        return (*((each, why) for each, why in found if why), *(("", why) for why in others))

    def answer(self) -> SavedAnswer:
        return SavedAnswer(
            question=self.asked.question.id,
            status=self.status,
            tried=self.tried,
            hints=self.hints,
            left=self.left,
            guessed=self.guessed,
            judged=self.judged,
        )

    def restored(self, answer: SavedAnswer) -> QuestionState:
        """Return it as it was kept; answers that the lesson no longer has are dropped."""
        tried = tuple(each for each in answer.tried if self.asked.is_answer(each))
        lost = len(tried) < len(answer.tried)
        status = QuestionStatus.OPEN if lost else answer.status
        return replace(
            self,
            status=status,
            tried=() if lost else tried,
            hints=min(answer.hints, len(self.asked.question.hints)),
            left=answer.left and status.is_open,
            guessed=answer.guessed,
            judged=answer.judged,
        )


_STRICTEST = (Gate.OPEN, Gate.PASSED, Gate.DONE)


class Questions:
    """All questions of one session: those of a lesson, in its order; none in the sandbox.

    A prediction is asked of a whole program, before anything of it is shown: of a variant, or in
    the drill of the session's own.
    """

    def __init__(
        self, lesson: LoadedLesson | None, asked: AskedQuestion | None = None, learner: int = 0
    ) -> None:
        self._learner = learner
        self._lesson = "" if lesson is None else lesson.lesson.id
        anchors = {} if lesson is None else lesson.anchors
        steps = () if lesson is None else lesson.lesson.steps
        self._asked = {} if lesson is None else dict(lesson.questions)
        self._places = {step.ask.id: place(step.at, anchors) for step in steps if step.ask}
        predictions: dict[str | None, AskedQuestion] = {}
        if lesson is not None:
            for each in lesson.lesson.variants:
                code = lesson.variants[each.id]
                predictions[each.id] = EndingQuestion.of_variant(each, code)
        if asked is not None:
            predictions[None] = asked
        self._programs = {key: each.question.id for key, each in predictions.items()}
        """Variant -> id of what is predicted of it; None is the session's own program."""

        self._asked |= {each.question.id: each for each in predictions.values()}
        self.states: dict[str, QuestionState] = {}
        self.shown: str | None = None
        """The question whose feedback is on the screen until the learner moves on."""

        self.reset()

    def reset(self) -> None:
        self.states = {key: QuestionState(asked) for key, asked in self._asked.items()}
        self.shown = None
        self.rerun()

    def rerun(self) -> None:
        """The program runs again: what was answered stays, where it is asked is found anew."""
        self.gates = Gates(self._places.items())
        self.located = False
        """Whether the run is over, so that a question without a gate is never asked."""

    def limit(self, last: int) -> int:
        """Return the last step that the learner may come to, `last` where nothing bars."""
        barring = (self._gate(key) for key, state in self._located() if state.bars)
        return min((gate - 1 for gate in barring), default=last)

    def barring(self, cursor: int) -> QuestionState | None:
        here = (state for key, state in self._located() if self._gate(key) - 1 == cursor)
        return next((state for state in here if state.bars), None)

    def at(self, cursor: int) -> QuestionView | None:
        """Return the question to show at the cursor: one to answer, or one answered here."""
        here = [pair for pair in self._located() if self._gate(pair[0]) - 1 == cursor]
        answered = next((key for key, state in here if state.done), None)
        barring = next((key for key, state in here if state.bars), answered)
        key = barring if self.shown is None else self.shown
        return None if key is None else self.view(key)

    def shows_outcome(self, cursor: int) -> bool:
        """Whether the line that ran last is one whose question about the outcome is answered."""
        return any(
            state.done and state.asked.asks_outcome and self.gates.asked.get(key) == cursor
            for key, state in self.states.items()
        )

    def unanswered(self) -> list[tuple[AskedQuestion, int | None]]:
        return [
            (state.asked, self.gates.before.get(key))
            for key, state in self.states.items()
            if key in self._places and not state.done
            if key in self.gates.before or not self.located
        ]

    def hidden_from(self) -> int | None:
        """Return the first step that would give an answer away; None if none does.

        The asked line may run others first, hooks in a backward: they say as much.
        """
        hiding = (self._gate(key) for key, state in self._located() if not state.done)
        return min(hiding, default=None)

    def marks(self) -> dict[int, Gate]:
        """Return the mark of every gate; of several questions at one, the strictest."""
        found: dict[int, Gate] = {}
        for key, state in self._located():
            gate = self._gate(key)
            found[gate] = min(found.get(gate, Gate.DONE), state.gate, key=_STRICTEST.index)
        return found

    def commit(self, state: QuestionState) -> None:
        """Replace the state of a question; feedback shows until the learner moves on."""
        identity = state.asked.question.id
        self.states[identity] = state
        if state.done and identity in self._places:
            self.shown = identity

    def dismiss(self, cursor: int) -> bool:
        """Hide the feedback; return whether that shows a question again."""
        dismissed, self.shown = self.shown, None
        return dismissed is not None and self.barring(cursor) is not None

    def answers(self) -> tuple[SavedAnswer, ...]:
        """Return what is to be saved: the questions that were answered, hinted or left."""
        return tuple(
            state.answer()
            for state in self.states.values()
            if replace(state, draft="") != QuestionState(state.asked)
        )

    def place_of_shown(self) -> tuple[int, int] | None:
        """Return where the shown question was asked, and the step at which its line has run."""
        if self.shown is None or self.shown not in self.gates.asked:
            return None
        return self._gate(self.shown) - 1, self.gates.asked[self.shown]

    def reopen(self, cursor: int) -> int | None:
        """Open the question left last before the cursor; return where it is asked."""
        left = {self._gate(key): key for key, state in self._located() if state.left}
        if not left:
            return None
        gate = max((gate for gate in left if gate - 1 <= cursor), default=min(left))
        self.states[left[gate]] = replace(self.states[left[gate]], left=False)
        return gate - 1

    @property
    def score(self) -> tuple[int, int] | None:
        """How many were right at the first try, of how many; None where nothing is asked."""
        asked = [self.states[key] for key in self._places]
        right = sum(each.status is QuestionStatus.RIGHT and len(each.tried) == 1 for each in asked)
        return (right, len(asked)) if asked else None

    def restore(self, answers: dict[str, SavedAnswer]) -> None:
        """Restore saved answers; those to questions that are gone are dropped."""
        for key, state in self.states.items():
            if key in answers:
                self.states[key] = state.restored(answers[key])

    def judge_answers(
        self, ruling_of: Callable[[QuestionState, int | None, str | None], Ruling | None]
    ) -> tuple[bool, list[str | None]]:
        """Compare what was answered with what the runs did, where that is known by now.

        What the runs say is asked for with the step of the asked line and the program. Returns
        whether an answer to a question can't be judged, and the programs whose prediction was.
        """
        puzzled, predicted = False, list[str | None]()
        programs = {identity: program for program, identity in self._programs.items()}
        for key, state in self.states.items():
            is_checking = state.status is QuestionStatus.CHECKING
            if not is_checking and not (state.done and not state.right):
                continue
            program = programs.get(key)
            ruling = ruling_of(state, self.gates.asked.get(key), program)
            if ruling is None:
                continue
            self.states[key] = judged = state.with_ruling(ruling)
            if key in programs:
                predicted.append(program)
            elif is_checking:
                puzzled |= ruling.good is None
                self.commit(judged)
        return puzzled, predicted

    # Predictions.

    def prediction(self, program: str | None) -> QuestionState | None:
        """Return what is asked of a variant, or of the session's program; None if nothing is."""
        return self.states[self._programs[program]] if program in self._programs else None

    def pending(self, program: str | None) -> bool:
        """Whether a program must not be shown yet."""
        asked = self.prediction(program)
        return asked is not None and not asked.done

    @property
    def guesses(self) -> dict[str, Ending | None]:
        """What was predicted of variants that may be shown; None where it was not."""
        known = {each: self.states[key] for each, key in self._programs.items() if each is not None}
        return {
            each: Ending(state.tried[-1]) if state.tried else None
            for each, state in known.items()
            if state.done
        }

    # Replies.

    def reply(self, cursor: int, signal: signals.Reply) -> LocalText | None:
        """Have the question at the cursor take a reply; return a notice, if there is one."""
        if self.shown is not None and isinstance(signal, signals.QuestionLeft):
            self.dismiss(cursor)
            return None
        state = self.barring(cursor)
        if state is None or self.shown is not None:
            return NoticeTexts.no_question
        return self._take(state, signal)

    def predict(self, program: str | None, signal: signals.Reply) -> LocalText | None:
        """Have the prediction of a program take a reply; return a notice, if there is one."""
        state = self.prediction(program)
        assert state is not None, "it is pending"
        return self._take(state, signal)

    def take_back(self, program: str | None) -> bool:
        """Take a step of a prediction back; return whether there was one."""
        state = self.prediction(program)
        if state is None or not state.status.is_open or not state.draft:
            return False
        self.commit(replace(state, draft=""))
        return True

    def _take(self, state: QuestionState, signal: signals.Reply) -> LocalText | None:
        replied, notice = state.replied(signal)
        self.commit(replied)
        return notice

    def view(self, key: str) -> QuestionView:
        shuffle = f"{self._learner}/{self._lesson}/{key}" if self._learner else ""
        return self.states[key].view(self._places[key][0], shuffle)

    def _gate(self, key: str) -> int:
        return self.gates.before[key]

    def _located(self) -> list[tuple[str, QuestionState]]:
        """Return the questions whose place in the run is known, first asked first."""
        found = [pair for pair in self.states.items() if pair[0] in self.gates.before]
        return sorted(found, key=lambda pair: self._gate(pair[0]))


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

    def ruling(self, state: QuestionState, at: int | None, run: SessionRun | None) -> Ruling | None:
        """Return what the runs say of an answer, the one it is about first; None if unknown yet."""
        own = None
        if run and run.over and (run.truth is not None or not state.asked.needs_truth):
            anchors = {} if self._lesson is None else self._lesson.anchors
            truth, source = run.truth or Unverified(), run.program.source
            own = FinishedRun(run.timeline, truth, anchors, source)
        return state.asked.ruling(state.tried, AnswerRuns(own, at, self._ended))

    def next_trial(self, state: QuestionState, number: int) -> signals.RunTrial | None:
        """Return the program that must be run next for an answer, if there is one."""
        if self._lesson is None or self._running is not None:
            return None
        answer = self._missing(state)
        if answer is None:
            return None
        changed = state.asked.trials[answer]
        self._running = (number, answer, changed)
        program = self._lesson.program_of(changed)
        return signals.RunTrial(run=number, program=program, with_truth=state.asked.needs_truth)

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

    def take(self, signal: signals.TrialEnded) -> None:
        if self._running is None or self._running[0] != signal.run:
            return  # cancelled meanwhile
        _, answer, program = self._running
        self._ended[answer] = FinishedRun(
            signal.timeline, signal.truth, program.anchors, program.code
        )
        self._running = None
