"""The questions of a lesson against its run: which bar the way, which hide something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.session.asking import Ruling, Standing
from inplace_tui.engine.session.gates import Gates, place
from inplace_tui.engine.session.pointing import moved, own_order
from inplace_tui.engine.session.signals import Answer
from inplace_tui.engine.session.view import Gate, QuestionView, Try
from inplace_tui.model.lesson import Kind, Question

_STRICTEST = (Gate.OPEN, Gate.PASSED, Gate.DONE)


class Questions:
    """All questions of one lesson, in its order; none in the sandbox."""

    def __init__(self, lesson: LoadedLesson | None) -> None:
        steps = () if lesson is None else lesson.lesson.steps
        anchors = {} if lesson is None else lesson.anchors
        self._places = {
            step.ask.id: (step.ask, place(step.at, anchors)) for step in steps if step.ask
        }
        self._marked = None if lesson is None else lesson.marked
        self._drafts: dict[str, str] = {}
        self.standings: dict[str, Standing] = {}
        self.shown: str | None = None
        """The question whose feedback is on the screen until the learner moves on."""

        self.reset()

    def reset(self) -> None:
        """Forget every answer."""
        self.standings = {key: Standing(asked) for key, (asked, _) in self._places.items()}
        self.shown = None
        self._drafts = {}
        self.rerun()

    def rerun(self) -> None:
        """The program runs again: what was answered stays, where it is asked is found anew."""
        self.gates = Gates(self._places.values())
        self.located = False
        """Whether the run is over, so that a question without a gate is never asked."""

    def limit(self, last: int) -> int:
        """Return the last step that the learner may come to, `last` where nothing bars."""
        barring = (self._gate(key) for key, standing in self._located() if standing.bars)
        return min((gate - 1 for gate in barring), default=last)

    def barring(self, cursor: int) -> Standing | None:
        """Return the question that the cursor waits at."""
        for key, standing in self._located():
            if standing.bars and self._gate(key) - 1 == cursor:
                return standing
        return None

    def at(self, cursor: int) -> QuestionView | None:
        """Return the question to show at the cursor: one to answer, or one answered here."""
        if self.shown is not None:
            return self._view(self.shown)
        standing = self.barring(cursor)
        if standing is not None:
            return self._view(standing.question.id)
        for key, other in self._located():
            if other.done and cursor in {self._gate(key) - 1, self.gates.asked.get(key)}:
                return self._view(key)
        return None

    def unanswered(self) -> list[tuple[Question, int | None]]:
        """Return the questions that hide something, with their gates."""
        return [
            (standing.question, self.gates.before.get(key))
            for key, standing in self.standings.items()
            if not standing.done and (key in self.gates.before or not self.located)
        ]

    def hidden_from(self) -> int | None:
        """Return the first step that would tell an answer; None if all may be told.

        The asked line may run others first, hooks in a backward: they tell as much.
        """
        hiding = (self._gate(key) for key, standing in self._located() if not standing.done)
        return min(hiding, default=None)

    def marks(self) -> dict[int, Gate]:
        """Return the mark of every gate; of several questions at one, the strictest."""
        found: dict[int, Gate] = {}
        for key, standing in self._located():
            gate = self._gate(key)
            found[gate] = min(found.get(gate, Gate.DONE), standing.gate, key=_STRICTEST.index)
        return found

    def commit(self, standing: Standing) -> None:
        """Replace how a question stands; feedback shows until the learner moves on."""
        self.standings[standing.question.id] = standing
        if standing.done:
            self.shown = standing.question.id

    def dismiss(self, cursor: int) -> bool:
        """Take the feedback off the screen; return whether that uncovers a question."""
        dismissed, self.shown = self.shown, None
        return dismissed is not None and self.barring(cursor) is not None

    def answers(self) -> tuple[Answer, ...]:
        """Return what is to be kept: the questions that were touched."""
        return tuple(
            standing.answer()
            for standing in self.standings.values()
            if standing != Standing(standing.question)
        )

    def place_of_shown(self) -> tuple[int, int] | None:
        """Return where the shown question was asked, and the step at which its line has run."""
        if self.shown is None or self.shown not in self.gates.asked:
            return None
        return self._gate(self.shown) - 1, self.gates.asked[self.shown]

    def reopen(self, cursor: int) -> int | None:
        """Open the question left last before the cursor; return where it is asked."""
        left = {self._gate(key): key for key, standing in self._located() if standing.left}
        if not left:
            return None
        gate = max((gate for gate in left if gate - 1 <= cursor), default=min(left))
        self.standings[left[gate]] = replace(self.standings[left[gate]], left=False)
        return gate - 1

    def restore(self, answers: dict[str, Answer]) -> None:
        """Take up what was kept; answers to questions that are gone are dropped."""
        for key, standing in self.standings.items():
            if key in answers:
                self.standings[key] = standing.restored(answers[key])

    def settle(self, judge: Callable[[Standing, int | None], Ruling | None]) -> bool:
        """Compare what was answered with what the run did, where that can be told by now.

        Args:
            judge: takes how a question stands and the step of its line; returns
                what is to be said of that, None while it can't be told.

        Returns:
            Whether an answer turned out to be impossible to judge.
        """
        puzzled = False
        for key, standing in self.standings.items():
            if standing.status is not Try.CHECKING and not (standing.done and not standing.right):
                continue
            ruling = judge(standing, self.gates.asked.get(key))
            if ruling is None:
                continue
            settled = standing.settled(ruling)
            puzzled |= standing.status is Try.CHECKING and ruling.good is None
            if standing.status is Try.CHECKING:
                self.commit(settled)
            else:
                self.standings[key] = settled
        return puzzled

    def arrange(self, standing: Standing, place: int, by: int) -> None:
        """Move one of the lines that are to be put into an order."""
        self._drafts[standing.question.id] = moved(self.draft(standing), place, by)

    def draft(self, standing: Standing) -> str:
        """Return the order that the learner has put the lines into by now."""
        assert self._marked is not None, "only a lesson asks"
        own = own_order(standing.question, self._marked)
        return self._drafts.get(standing.question.id, own)

    def undecided(self, cursor: int) -> Standing | None:
        """Return the `order` question before the learner of which a run has still to tell."""
        shown = self.at(cursor)
        standing = None if shown is None else self.standings[shown.id]
        return standing if standing and standing.question.kind is Kind.ORDER else None

    def _view(self, key: str) -> QuestionView:
        line = self._places[key][1][0]
        return self.standings[key].view(line, self._marked, self._drafts.get(key, ""))

    def _gate(self, key: str) -> int:
        return self.gates.before[key]

    def _located(self) -> list[tuple[str, Standing]]:
        """Return the questions whose place in the run is known, first asked first."""
        found = [pair for pair in self.standings.items() if pair[0] in self.gates.before]
        return sorted(found, key=lambda pair: self._gate(pair[0]))
