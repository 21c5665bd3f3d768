"""The questions of a lesson against its run: which bar the way, which hide something.

A question is asked before its line runs. The gate of a question is the number
of steps that had finished when its line began: the cursor waits at gate - 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session.question_state import QuestionState, Reply
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.signals import QuestionLeft
from inplace_tui.tutorial.activity.session.view import Gate, QuestionView
from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion, Ruling
from inplace_tui.tutorial.course.lessons.kinds.registry import AnswersView
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


_STRICTEST = (Gate.OPEN, Gate.PASSED, Gate.DONE)


class Questions:
    """All questions of one lesson, in its order; none in the sandbox."""

    def __init__(self, lesson: LoadedLesson | None, learner: int = 0) -> None:
        self._learner = learner
        self._lesson = "" if lesson is None else lesson.lesson.id
        anchors = {} if lesson is None else lesson.anchors
        steps = () if lesson is None else lesson.lesson.steps
        self._asked = {} if lesson is None else lesson.questions
        self._places = {step.ask.id: place(step.at, anchors) for step in steps if step.ask}
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
        for key, state in self._located():
            if state.bars and self._gate(key) - 1 == cursor:
                return state
        return None

    def at(self, cursor: int) -> QuestionView | None:
        """Return the question to show at the cursor: one to answer, or one answered here."""
        if self.shown is not None:
            return self.view(self.shown)
        state = self.barring(cursor)
        if state is not None:
            return self.view(state.asked.question.id)
        for key, other in self._located():
            if other.done and cursor == self._gate(key) - 1:
                return self.view(key)
        return None

    def shows_outcome(self, cursor: int) -> bool:
        """Whether the line that ran last is one whose question about the outcome is answered."""
        return any(
            state.done and state.asked.asks_outcome and self.gates.asked.get(key) == cursor
            for key, state in self.states.items()
        )

    def unanswered(self) -> list[tuple[AskedQuestion[AnswersView], int | None]]:
        return [
            (state.asked, self.gates.before.get(key))
            for key, state in self.states.items()
            if not state.done and (key in self.gates.before or not self.located)
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
        self.states[state.asked.question.id] = state
        if state.done:
            self.shown = state.asked.question.id

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
        right = sum(
            state.status is QuestionStatus.RIGHT and len(state.tried) == 1
            for state in self.states.values()
        )
        return (right, len(self.states)) if self.states else None

    def restore(self, answers: dict[str, SavedAnswer]) -> None:
        """Restore saved answers; those to questions that are gone are dropped."""
        for key, state in self.states.items():
            if key in answers:
                self.states[key] = state.restored(answers[key])

    def judge_answers(
        self, ruling_of: Callable[[QuestionState, int | None], Ruling | None]
    ) -> bool:
        """Compare what was answered with what the run did, where that is known by now.

        The judgement of the runs on a question is None while it is unknown. Returns whether an
        answer turned out to be impossible to judge.
        """
        puzzled = False
        for key, state in self.states.items():
            if state.status is not QuestionStatus.CHECKING and not (state.done and not state.right):
                continue
            ruling = ruling_of(state, self.gates.asked.get(key))
            if ruling is None:
                continue
            judged = state.with_ruling(ruling)
            puzzled |= state.status is QuestionStatus.CHECKING and ruling.good is None
            if state.status is QuestionStatus.CHECKING:
                self.commit(judged)
            else:
                self.states[key] = judged
        return puzzled

    def reply(self, cursor: int, signal: Reply) -> LocalText | None:
        """Have the question at the cursor take a reply; return a notice, if there is one."""
        if self.shown is not None and isinstance(signal, QuestionLeft):
            self.dismiss(cursor)
            return None
        state = self.barring(cursor)
        if state is None or self.shown is not None:
            return NoticeTexts.no_question
        replied, notice = state.replied(signal)
        self.commit(replied)
        return notice

    def before_learner(self, cursor: int) -> QuestionState | None:
        shown = self.at(cursor)
        return None if shown is None else self.states[shown.id]

    def view(self, key: str) -> QuestionView:
        shuffle = f"{self._learner}/{self._lesson}/{key}" if self._learner else ""
        return self.states[key].view(self._places[key][0], shuffle)

    def _gate(self, key: str) -> int:
        return self.gates.before[key]

    def _located(self) -> list[tuple[str, QuestionState]]:
        """Return the questions whose place in the run is known, first asked first."""
        found = [pair for pair in self.states.items() if pair[0] in self.gates.before]
        return sorted(found, key=lambda pair: self._gate(pair[0]))
