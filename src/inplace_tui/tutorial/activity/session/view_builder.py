"""What may be shown of a session at a step."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.tutorial.activity.session.questions import Questions, QuestionState, place
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.view import (
    UNVERIFIED,
    Gate,
    Mask,
    QuestionView,
    View,
    covered,
    mask,
    without_answer,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson


@dataclass(frozen=True)
class ViewBuilder:
    """Makes the view of a session at a step; it withholds what an open question hides."""

    lesson: LoadedLesson | None
    variant: str | None
    run: SessionRun
    """Of the variant, or of the program itself."""

    questions: Questions

    @property
    def predicted(self) -> QuestionState | None:
        """What the learner predicts of it, before anything of it is shown."""
        return self.questions.prediction(self.variant)

    def build(self) -> View:
        run, cursor = self.run, self.run.cursor
        own = self.variant is None
        if self.predicted is not None and not self.predicted.done:
            return self._before_prediction(self.predicted)
        snapshot = run.timeline.at(cursor)
        hidden_from = self.questions.hidden_from() if own else None
        visible = hidden_from is None or cursor < hidden_from
        step = run.timeline.steps[cursor] if cursor >= 0 else None
        furthest = max(run.furthest, cursor)
        hiding = Mask()
        if own:
            asked = self.questions.unanswered()
            hiding = mask(asked, snapshot, cursor=cursor, furthest=furthest)
        pending_at, pending = run.pending_forecast or (None, None)
        previous = EMPTY if step is None else run.timeline.at(step.began - 1)
        if hiding.saves:
            snapshot, previous = snapshot.without_saved(), previous.without_saved()
        question = self._prediction()
        if own and self.predicted is None:
            question = self.questions.at(cursor)
        reachable = self.questions.limit(run.last) if own else run.last
        outcome = self._may_show_outcome(hiding)
        recap = self._recap()
        return View(
            source=run.program.source,
            program=run.program,
            timeline=run.part(reachable=reachable, hidden_from=hidden_from, mask=hiding),
            cursor=cursor,
            reachable=reachable,
            furthest=None if self.lesson is None else furthest,
            snapshot=snapshot,
            previous=previous,
            ran=step and covered(step if visible else without_answer(step), hiding),
            # That no line follows the asked one would give away that it raised.
            next_line=run.line_after(cursor) if visible else None,
            mask=hiding,
            watch=() if self.lesson is None else tuple(self.lesson.lesson.watch),
            narration=self._narration() if visible else None,
            question=question,
            gates=self.questions.marks() if own else {},
            running=run.outcome is None,
            outcome=run.outcome if outcome else None,
            truth=run.truth if outcome and run.truth is not None else UNVERIFIED,
            verifying=run.verifying,
            blame=self._blame_in_view() if outcome else None,
            fixes=None if self.questions.unanswered() else run.search,
            step_forecasts=None if hiding != Mask() else run.step_forecasts(cursor),
            found_forecasts={
                t: found for (at, t), found in run.found_forecasts.items() if at == cursor
            },
            pending_forecast=pending if pending_at == cursor else None,
            variant=self.variant,
            recap=recap,
            goal=self.lesson.lesson.goal if own and self.lesson and cursor < 0 else None,
            teaches=self._teaches(cursor) if own else (),
            score=None if recap is None else self.questions.score,
            links=() if recap is None or self.lesson is None else self.lesson.links,
        )

    def _before_prediction(self, predicted: QuestionState) -> View:
        """Nothing but the program: all that it does would answer the question."""
        source = self.run.program.source
        return View(
            source=source,
            program=self.run.program,
            timeline=self.run.part(reachable=-1, hidden_from=0),
            next_line=self._first_change(source),
            mask=Mask(outcome=True),
            question=predicted.view(0),
            gates={0: Gate.OPEN},
            running=not predicted.status.is_open,
            variant=self.variant,
        )

    def _first_change(self, source: str) -> int | None:
        """Return the first line that is not the lesson's own: the question stands there."""
        if self.lesson is None:
            return None
        pairs = zip_longest(source.split("\n"), self.lesson.code.split("\n"))
        return next((line for line, (now, was) in enumerate(pairs, 1) if now != was), None)

    def _prediction(self) -> QuestionView | None:
        """A prediction stands beside the end of the run that it was about."""
        ended = self.run.outcome is not None and self.run.cursor == self.run.last
        return self.predicted.view(0) if self.predicted is not None and ended else None

    def _may_show_outcome(self, hiding: Mask) -> bool:
        """The outcome shows from the line that raised, else at the end, and where it was asked."""
        run = self.run
        if run.outcome is None or hiding.outcome:
            return False
        if run.cursor >= run.shows_outcome_from:
            return True
        return self.variant is None and self.questions.shows_outcome(run.cursor)

    def _blame_in_view(self) -> Blame | None:
        """Return the blame, unless it is about a line that ran after the step that is shown."""
        run, blame = self.run, self.run.blame()
        if blame is None or blame.reader is None or run.cursor == run.last:
            return blame
        visits = run.timeline.index.visits.get(blame.reader, ())
        return blame if visits and visits[0] <= run.cursor else None

    def _narration(self) -> LocalText | None:
        """What the lesson says after this line ran; the text of a variant comes at its end."""
        run = self.run
        if self.lesson is None or self.run.cursor < 0:
            return None
        if self.variant is not None:
            ended = run.outcome is not None and run.cursor == run.last
            known = self.predicted is not None and ended  # not a program of `holds`
            return self.lesson.variant(self.variant).say if known else None
        step = run.timeline.steps[self.run.cursor]
        for each in self.lesson.lesson.steps:
            if each.say and place(each.at, self.lesson.anchors) == (step.line, step.visit):
                return each.say
        return None

    def _teaches(self, cursor: int) -> tuple[str, ...]:
        return tuple(self.lesson.lesson.teaches) if self.lesson and cursor < 0 else ()

    def _recap(self) -> LocalText | None:
        run = self.run
        if self.lesson is None or self.variant is not None:
            return None
        ended = run.over and run.cursor == run.last
        return self.lesson.lesson.recap if ended and not self.questions.unanswered() else None
