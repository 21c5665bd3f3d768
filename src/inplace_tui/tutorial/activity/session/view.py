"""Everything that a screen, or a page of text, shows at one moment.

A `View` is made by a session and read by `tutorial/present/`. It is complete (nothing
else need be asked) and already withholds what an open question hides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from inplace_tui.common.blame import Blame
from inplace_tui.common.cells import clean
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.facets import FACET_OF
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.histories import value_at
from inplace_tui.common.run.outcome import Completed, Outcome, Truth, Unverified
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.course.lesson import Claim, Kind
from inplace_tui.tutorial.course.lessons.kinds.kind import AnswersView, AskedQuestion
from inplace_tui.tutorial.forecast.forecast import Forecast, StepForecasts
from inplace_tui.tutorial.state.watch import Watch

UNVERIFIED = Unverified()
NOTHING_WATCHED = Watch()

HIDDEN = "▒▒"

_TELLTALE = {
    "shares": ("data_ptr", "base"),
    "apart": ("data_ptr", "base"),
    "view_of": ("storage",),
    "is_inference": ("requires_grad", "version"),
}
"""Field of a `TensorClaim` -> facets that give it away beside the one that shows it."""


@dataclass(frozen=True)
class Mask:
    """What must not be shown while a question is open."""

    outcome: bool = False
    """How the run goes on: stale marks, versions now beside versions saved,
    forecasts, exceptions, and every gradient from the asked line on."""

    saves: bool = False
    """What each line saved for backward, and at which version."""

    writes: bool = False
    """What each line wrote, and which version that led to."""

    cells: frozenset[tuple[str, str]] = frozenset()
    """(name of a tensor or `*`, key of a facet) that the question asks for."""

    def hides(self, tensor: Tensor, facet: str) -> bool:
        if facet == "version" and self.writes:
            return True
        return any((name, facet) in self.cells for name in (*tensor.names, "*"))


@dataclass(frozen=True)
class QuestionView:
    """A question as it stands."""

    id: str
    prompt: LocalText
    answers: AnswersView
    """What there is to answer with, as its kind has it."""

    status: QuestionStatus
    tried: tuple[str, ...] = ()
    draft: str = ""
    """An answer that is put together but not given yet."""

    right: str | None = None
    """A right answer; None until it may be known."""

    searching: bool = False
    """A right answer may be known, and programs are run to find one."""

    feedback: LocalText | None = None
    """The `why` of the last choice, and of the right one once it may be known."""

    did: LocalText | None = None
    """What the program did when it was run for the last try."""

    whys: tuple[tuple[str, LocalText], ...] = ()
    """What is said to the wrong answers, each with its choice, once the answer was shown."""

    hints: tuple[LocalText, ...] = ()
    """Those shown so far."""

    hints_total: int = 0
    line: int = 0


class Gate(StrEnum):
    """A question's mark on the timeline."""

    OPEN = "open"
    PASSED = "passed"
    """Left for later; the cursor may move on, the outcome stays hidden."""

    DONE = "done"


@dataclass(frozen=True)
class View:
    """One moment of a lesson or of a sandbox run."""

    source: str
    timeline: Timeline
    program: Program | None = None
    """What ran, so that it can be run again."""

    cursor: int = -1
    """Index of the step that ran last; -1 before the first."""

    reachable: int = -1
    """The last step that the learner may be shown."""

    furthest: int | None = None
    """The last step that the learner came to: panels of time show no later one. None where the
    whole recording may be looked at, as that of one's own program."""

    snapshot: Snapshot = EMPTY
    previous: Snapshot = EMPTY
    """What was there at the cursor the step before, for marks of change."""

    ran: Step | None = None
    """The step at the cursor, without what the mask hides."""

    next_line: int | None = None
    """First line of the statement that runs next; None at the end or while unknown."""

    mask: Mask = Mask()
    watch: tuple[str, ...] = ()
    untaught: frozenset[str] = frozenset()
    """Columns and panels that no lesson explained to this learner yet: nothing is said of them."""

    watched: Watch = NOTHING_WATCHED
    """What the learner keeps an eye on; `watch` is the lesson's."""

    narration: LocalText | None = None
    question: QuestionView | None = None
    gates: dict[int, Gate] = field(default_factory=dict)
    """Step index *before which* a question is asked (the cursor waits at index - 1)."""

    running: bool = False
    """Steps still arrive."""

    outcome: Outcome | None = None
    """None while running, before the end is reached, or while it is hidden."""

    truth: Truth = UNVERIFIED
    verifying: bool = False
    """The replays that find `truth` are still running."""

    blame: Blame | None = None
    """Given with the outcome where something went wrong."""

    fixes: FixSearch | None = None
    """What was found by now that could be written instead; known at every step once
    the failure was in view, and hidden while a question is open."""

    at_end: View | None = None
    """The end of the run, where that may be known at every step: of one's own program."""

    step_forecasts: StepForecasts | None = None
    """The forecast of every tensor's backward, read from the graph; None while that is hidden."""

    found_forecasts: dict[int, Forecast] = field(default_factory=dict)
    """By tensor, the forecast that replays found where the graph does not show it."""

    pending_forecast: int | None = None
    """The tensor whose forecast replays are finding."""

    variant: str | None = None
    goal: LocalText | None = None
    """Of the lesson, before its first step."""

    bridges: tuple[LocalText, ...] = ()
    """What the path says of concepts that it left out, at the start."""

    teaches: tuple[str, ...] = ()
    """Concepts that the lesson is about; given before its first line."""

    score: tuple[int, int] | None = None
    """How many questions were answered rightly, of how many; given with the recap."""

    after: LocalText | None = None
    """Title of the next lesson, where there is one; given with the recap."""

    invites: bool = False
    """The learner knows enough to look into a program of their own; said with the recap."""

    recap: LocalText | None = None
    """Given when the end was reached, nothing is open and the last reply was read."""

    links: tuple[str, ...] = ()
    """What to read on; given with the recap."""

    @property
    def explained(self) -> View:
        """The moment whose outcome is explained: the end, wherever one is in one's own program."""
        return self if self.at_end is None else self.at_end

    @property
    def is_explained(self) -> bool:
        """Whether there is something to explain."""
        told = self.explained
        return told.outcome is not None and (
            told.blame is not None or not isinstance(told.outcome, Completed)
        )

    @property
    def main_name(self) -> str:
        return "" if self.program is None else self.program.filename.rpartition("/")[2]

    @property
    def awaits_answer(self) -> bool:
        """Whether a question that bars the way is before the learner."""
        return self.question is not None and self.question.status.is_open

    @property
    def question_is_done(self) -> bool:
        """Whether the question in view can no longer be answered."""
        return self.question is not None and self.question.status.is_done

    @property
    def has_open_question(self) -> bool:
        return Gate.OPEN in self.gates.values()

    @property
    def last_shown(self) -> int:
        """The last step that panels of time show."""
        if self.furthest is None:
            return self.reachable
        return min(self.reachable, max(self.furthest, self.cursor))


def asked_step(view: View) -> int | None:
    """Return the first step before which a question still stands unanswered."""
    waiting = [step for step, gate in view.gates.items() if gate is not Gate.DONE]
    return min(waiting, default=None)


def may_answer(view: View, step: int) -> bool:
    """Whether what this step wrote, raised or left may answer a question."""
    asked = asked_step(view)
    return asked is not None and step >= asked


def hides(view: View, tensor: Tensor, facet: str) -> bool:
    """Whether a cell of the table is hidden: it would answer the question.

    What is asked of a tensor would also be read from another one on the same
    storage, and a gradient from the tensor that is in `.grad`.
    """
    if view.mask.hides(tensor, facet):
        return True
    if facet == "forecast":  # it would reveal graphs and versions, too
        return view.mask.outcome or bool(view.mask.cells)
    if facet in ("values", "version") and tensor.storage is not None and view.mask.cells:
        return any(
            view.mask.hides(other, facet)
            for other in view.snapshot.tensors.values()
            if other.storage == tensor.storage
        )
    return facet == "grad" and _gradient_may_answer(view, tensor)


def leaves_out(view: View, tensor: Tensor, facet: str) -> bool:
    """Whether nothing is said of a facet: it is hidden, or was not explained yet."""
    return facet in view.untaught or hides(view, tensor, facet)


def is_stale(view: View, storage: int | None) -> bool:
    """Whether a node saved a storage that was changed since, where that may be shown."""
    life = None if storage is None else view.timeline.index.lives.get(storage)
    return life is not None and not view.mask.outcome and value_at(life.stale, view.cursor) > 0


def shown(view: View) -> list[Tensor]:
    """Return the tensors that may have a row."""
    tensors = view.snapshot.tensors
    without_answer = {
        tensor.grad
        for tensor in tensors.values()
        if tensor.grad is not None and hides(view, tensor, "grad")
    }
    return [tensor for tensor in tensors.values() if tensor.id not in without_answer]


def node_name(view: View, number: int) -> str:
    """Return a node's name: none where a tensor's `grad_fn` is the question."""
    for tensor in view.snapshot.tensors.values():
        if tensor.grad_fn == number and hides(view, tensor, "grad_fn"):
            return HIDDEN
    node = view.snapshot.nodes.get(number)
    return clean(node.name) if node else "?"


def _gradient_may_answer(view: View, tensor: Tensor) -> bool:
    """Whether the gradient came, or may have come, after the question."""
    asked = asked_step(view)
    if not view.mask.outcome or asked is None or view.cursor < asked:
        return False
    before = view.timeline.at(asked - 1)
    old = before.tensors.get(tensor.id)
    if old is None or old.grad is None or old.grad != tensor.grad:
        return True
    return before.tensors.get(old.grad) is not view.snapshot.tensors.get(old.grad)


NOTHING = Mask()


def names_lines(claims: Iterable[Claim]) -> tuple[bool, bool]:
    """Return whether they name the line that saved a tensor, and the line that changed one."""
    listed = list(claims)
    saves = any(claim.saved_by is not None for claim in listed)
    return saves, any(claim.changed_by is not None for claim in listed)


def asks_if_it_fails(claims: Iterable[Claim]) -> bool:
    """Whether what was saved, side by side with what was written, would answer a question."""
    parts = ((claim.ends, claim.match, claim.raised_by) for claim in claims)
    return any(part is not None for each in parts for part in each)


def cells(asked: AskedQuestion) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    # An order is about the whole run.
    for whole in () if asked.question.kind is Kind.ORDER else asked.claims:
        for name, claim in whole.tensors.items():
            facets = {
                facet
                for field in claim.__struct_fields__
                if getattr(claim, field) is not msgspec.UNSET
                for facet in (FACET_OF[field], *_TELLTALE.get(field, ()))
            }
            found |= {(name, facet) for facet in facets}
            for other in (claim.shares, claim.apart, claim.view_of):
                if isinstance(other, str):
                    found |= {(other, "storage"), (other, "data_ptr")}
            if "grad" in facets:
                found.add((f"{name}.grad", "values"))
    return frozenset(found)


def gradients(snapshot: Snapshot) -> frozenset[tuple[str, str]]:
    """Return the cells of every gradient: in the row of its tensor, and in a row of its own."""
    own = {tensor.grad for tensor in snapshot.tensors.values() if tensor.grad is not None}
    names = {name for key in own if key in snapshot.tensors for name in snapshot.tensors[key].names}
    return frozenset({("*", "grad"), *((name, "values") for name in names)})


def mask(
    asked: Iterable[tuple[AskedQuestion, int | None]],
    snapshot: Snapshot,
    *,
    cursor: int,
    furthest: int,
) -> Mask:
    """Return what the unanswered questions hide at `cursor`.

    Who saved and who wrote is covered from the first line on where a question asks for that line:
    what was shown on the way is remembered, or stands above the question. Where it asks whether
    the run fails, both are covered once the question came up, and stay so on the way back: one
    line after the other would answer as well as all of them at once. So `furthest` counts, the
    last step that the learner came to. A gate is None where the run has not come to it.
    """
    hidden: frozenset[tuple[str, str]] = frozenset()
    outcome = saves = writes = False
    for question, gate in asked:
        outcome |= question.asks_outcome
        saved, written = names_lines(question.claims)
        saves, writes = saves or saved, writes or written
        if gate is None or furthest < gate - 1:
            continue
        if asks_if_it_fails(question.claims):
            saves = writes = True
        if cursor < gate - 1:
            continue
        hidden |= cells(question)
        if question.asks_outcome and cursor >= gate:
            hidden |= gradients(snapshot)
    return Mask(outcome=outcome, saves=saves, writes=writes, cells=hidden)


def without_answer(step: Step) -> Step:
    """Return the step without what would answer the question."""
    return replace(step, raised=None, in_backward=False, events=())


def covered(step: Step, mask: Mask) -> Step:
    """Return the step without the saves and the writes that the mask hides."""
    if mask.saves:
        step = replace(step, saved=())
    if mask.writes:
        events = tuple(event for event in step.events if not isinstance(event, Mutation))
        step = replace(step, events=events)
    return step
