"""Signals: what a session is told. Instructions: what it wants done."""

from __future__ import annotations

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import Outcome, Truth
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.forecast.forecast import Forecast


class Move(StrEnum):
    """A way to move through the timeline, named as its action."""

    NEXT = "next"
    BACK = "back"
    INTO = "into"
    OUT = "out"
    TO_CALL = "to_call"
    """Backwards, out of the call that the cursor is in."""

    TO_RETURN = "to_return"
    """Backwards, into the call that returned last."""

    CONTINUE = "continue"
    CONTINUE_BACK = "continue_back"
    START = "start"
    END = "end"


# Signals: what happened.


class RunBegan(msgspec.Struct, frozen=True, kw_only=True):
    """The first line is about to run."""

    run: int
    line: int | None


class StepsArrived(msgspec.Struct, frozen=True, kw_only=True):
    """Lines finished. Many at a time, so that a fast loop costs one refresh."""

    run: int
    steps: tuple[Step, ...]


class RunEnded(msgspec.Struct, frozen=True, kw_only=True):
    """No more steps will come."""

    run: int
    outcome: Outcome
    faults: tuple[str, ...] = ()
    """Failures of the recorder itself."""

    off_at: int | None = None
    """The line at which recording was switched off."""


def ended(run: int, timeline: Timeline) -> RunEnded:
    """Return the end of a run whose timeline is complete."""
    assert timeline.outcome is not None
    return RunEnded(
        run=run, outcome=timeline.outcome, faults=timeline.faults, off_at=timeline.off_at
    )


class TruthKnown(msgspec.Struct, frozen=True, kw_only=True):
    """The replays of a run are over, which may be after the learner's answer."""

    run: int
    truth: Truth


RunReport = RunBegan | StepsArrived | RunEnded | TruthKnown


class Moved(msgspec.Struct, frozen=True):
    """The learner steps."""

    move: Move


class RunToLine(msgspec.Struct, frozen=True):
    """The learner wants to go to where this line is about to run."""

    line: int


class StepChosen(msgspec.Struct, frozen=True):
    """The learner pointed at a step of the timeline."""

    step: int


class MovementsDropped(msgspec.Struct, frozen=True):
    """The learner takes back the movements that wait for the run."""


class WriteRequested(msgspec.Struct, frozen=True):
    """The learner asks who wrote this tensor last, or who writes it next."""

    tensor: int
    ahead: bool


class ForecastRequested(msgspec.Struct, frozen=True):
    """The learner looks at this tensor: its forecast is to be found."""

    tensor: int


class ForecastKnown(msgspec.Struct, frozen=True, kw_only=True):
    """The replays that find a forecast are over."""

    run: int
    step: int
    tensor: int
    forecast: Forecast


class FixesTried(msgspec.Struct, frozen=True, kw_only=True):
    """The search for fixes of a run has made progress, or is over."""

    run: int
    search: FixSearch


class AnswerGiven(msgspec.Struct, frozen=True):
    """The learner committed to an answer."""

    given: str
    """By kind of question: the id of a choice, the number of a line, an order of anchors."""

    guessed: bool = False


class AnswerDrafted(msgspec.Struct, frozen=True):
    """The learner changed an answer that is not given yet."""

    draft: str


class TrialEnded(msgspec.Struct, frozen=True, kw_only=True):
    """The program was run as an answer changed it."""

    run: int
    timeline: Timeline
    truth: Truth


class HintRequested(msgspec.Struct, frozen=True):
    """The learner asks for the next hint."""


class AnswerRequested(msgspec.Struct, frozen=True):
    """The learner gives up and asks for the answer."""


class QuestionLeft(msgspec.Struct, frozen=True):
    """The learner leaves the question for later."""


class QuestionReopened(msgspec.Struct, frozen=True):
    """The learner comes back to the question that was left last."""


class Restarted(msgspec.Struct, frozen=True):
    """The learner starts over: a new run, no answers."""

    program: Program | None = None
    """What the sandbox's text is by now; None for the program that ran."""


class VariantChosen(msgspec.Struct, frozen=True):
    """The learner wants to see a variant of the lesson; None is the lesson itself."""

    variant: str | None


class OutcomesRequested(msgspec.Struct, frozen=True):
    """The learner wants to see how every variant ends, or every program that holds the recap."""

    holds: bool = False


class RunStopped(msgspec.Struct, frozen=True):
    """The learner has seen enough of the run that goes on."""


Movement = Moved | RunToLine | StepChosen | WriteRequested
Reply = AnswerGiven | AnswerDrafted | HintRequested | AnswerRequested | QuestionLeft
Signal = (
    RunReport
    | Movement
    | Reply
    | MovementsDropped
    | ForecastRequested
    | ForecastKnown
    | FixesTried
    | TrialEnded
    | QuestionReopened
    | Restarted
    | VariantChosen
    | OutcomesRequested
    | RunStopped
)


# Instructions: what is to be done.


class RunProgram(msgspec.Struct, frozen=True, kw_only=True):
    """Record this program and report under this number."""

    run: int
    program: Program


class VerifyTruth(msgspec.Struct, frozen=True, kw_only=True):
    """Replay the program of this run, to find out whether its gradients are right."""

    run: int
    program: Program


class FindForecast(msgspec.Struct, frozen=True, kw_only=True):
    """Replay the program of this run up to a step, and try a backward there.

    A new one replaces the one before: the learner has moved on.
    """

    run: int
    program: Program
    step: Step
    tensor: int
    name: str


class FindFixes(msgspec.Struct, frozen=True, kw_only=True):
    """Try rewrites of the program of this run, and report those that ran and are right."""

    run: int
    program: Program
    blame: Blame | None
    timeline: Timeline
    truth: Truth


class RunTrial(msgspec.Struct, frozen=True, kw_only=True):
    """Run the program as an answer changes it, and report the whole run at once."""

    run: int
    program: Program
    with_truth: bool
    """Replay it too, if it runs to its end."""


class CancelRun(msgspec.Struct, frozen=True, kw_only=True):
    """This run is no longer needed."""

    run: int


class Notify(msgspec.Struct, frozen=True):
    """Tell the learner something."""

    text: LocalText


Instruction = (
    RunProgram
    | VerifyTruth
    | FindForecast
    | FindFixes
    | RunTrial
    | CancelRun
    | SaveProgress
    | Notify
)
