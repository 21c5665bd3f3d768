"""From where a session stands to what may be shown."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.session.gates import place
from inplace_tui.engine.session.masking import mask, withheld
from inplace_tui.engine.session.questions import Questions
from inplace_tui.engine.session.run import Run
from inplace_tui.engine.session.view import UNVERIFIED, Mask, QuestionView, View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.snapshot import EMPTY


@dataclass(frozen=True)
class Sight:
    """What there is to look at."""

    lesson: LoadedLesson | None
    variant: str | None
    run: Run
    """Of the variant, or of the program itself."""

    questions: Questions
    cursor: int
    """The step to look at: that of the run, or one that it may come to."""


def look(sight: Sight) -> View:
    """Return the view; it withholds what an open question hides."""
    run, cursor = sight.run, sight.cursor
    own = sight.variant is None
    snapshot = run.timeline.at(cursor)
    hidden_from = sight.questions.hidden_from() if own else None
    told = hidden_from is None or cursor < hidden_from
    step = run.timeline.steps[cursor] if cursor >= 0 else None
    hiding = mask(sight.questions.unanswered(), snapshot, cursor=cursor) if own else Mask()
    question = sight.questions.at(cursor) if own else None
    reachable = sight.questions.limit(run.last) if own else run.last
    outcome = _outcome_told(sight, hiding, question)
    return View(
        source=run.program.source,
        program=run.program,
        timeline=run.part(reachable=reachable, hidden_from=hidden_from),
        cursor=cursor,
        reachable=reachable,
        snapshot=snapshot,
        previous=EMPTY if step is None else run.timeline.at(step.began - 1),
        ran=step if step is None or told else withheld(step),
        # That no line follows the asked one would tell that it raised.
        next_line=run.line_after(cursor) if told else None,
        mask=hiding,
        watch=() if sight.lesson is None else tuple(sight.lesson.lesson.watch),
        narration=_narration(sight) if told else None,
        question=question,
        gates=sight.questions.marks() if own else {},
        running=run.outcome is None,
        outcome=run.outcome if outcome else None,
        truth=run.truth if outcome and run.truth is not None else UNVERIFIED,
        verifying=run.verifying,
        blame=run.blame() if outcome else None,
        fixes=None if sight.questions.unanswered() else run.search,
        reading=None if hiding != Mask() else run.reading(cursor),
        settled={t: told for (at, t), told in run.settled.items() if at == cursor},
        settling=run.settling[1] if run.settling and run.settling[0] == cursor else None,
        variant=sight.variant,
        recap=_recap(sight),
    )


def _outcome_told(sight: Sight, hiding: Mask, question: QuestionView | None) -> bool:
    """The outcome shows at the end, and beside the prediction of it."""
    run = sight.run
    if run.outcome is None or hiding.outcome:
        return False
    if sight.cursor == run.last:
        return True
    if question is None or sight.variant is not None:
        return False
    state = sight.questions.states[question.id]
    asked = sight.questions.gates.asked.get(question.id)
    return state.done and sight.cursor == asked and state.asked.asks_outcome


def _narration(sight: Sight) -> LocalText | None:
    """What the lesson says after this line ran; a variant says its piece at the end."""
    run = sight.run
    if sight.lesson is None or sight.cursor < 0:
        return None
    if sight.variant is not None:
        said = {each.id: each.say for each in sight.lesson.lesson.variants}
        return said[sight.variant] if run.outcome is not None and sight.cursor == run.last else None
    step = run.timeline.steps[sight.cursor]
    for each in sight.lesson.lesson.steps:
        if each.say and place(each.at, sight.lesson.anchors) == (step.line, step.visit):
            return each.say
    return None


def _recap(sight: Sight) -> LocalText | None:
    run = sight.run
    if sight.lesson is None or sight.variant is not None:
        return None
    ended = run.over and sight.cursor == run.last
    return sight.lesson.lesson.recap if ended and not sight.questions.unanswered() else None
