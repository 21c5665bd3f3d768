"""What an open question hides, and from which step on."""

from __future__ import annotations

import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.facets import FACETS
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Tensor
from inplace_tui.common.run.step import Printed, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.view import Mask, cells, mask
from inplace_tui.tutorial.course.lesson import Choice, Claim, Kind, Question, TensorClaim
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import needs_truth
from inplace_tui.tutorial.course.lessons.kinds.choice import ChoiceQuestion
from support.views import excerpt

SAID = LocalText(en="said", zh="说")
X = Tensor(id=1, names=("x",), shape=(), dtype="float32", grad=2)
GRAD = Tensor(id=2, names=("x.grad",), shape=(), dtype="float32")
Y = Tensor(id=3, names=("y", "ys[0]"), shape=(), dtype="float32")
AFTER = Snapshot(tensors={1: X, 2: GRAD, 3: Y}, storages={}, nodes={}, saved={})


def asked(*claims: Claim) -> ChoiceQuestion:
    choices = [Choice(id=f"c{i}", when=when, text=SAID, why=SAID) for i, when in enumerate(claims)]
    question = Question(id="q", kind=Kind.ATTRIBUTE, prompt=SAID, choices=choices)
    return ChoiceQuestion(question, AnchoredCode("", {}, {}))


def of(**claim: object) -> ChoiceQuestion:
    return asked(Claim(tensors={"y": TensorClaim(**claim)}), Claim())  # type: ignore[arg-type]


OUTCOME = asked(Claim(ends=Ending.RIGHT), Claim(ends=Ending.RAISES_BEFORE))


@pytest.mark.parametrize(
    ("claim", "hidden"),
    [
        ({"version": 1}, {"version"}),
        ({"values": [1.0]}, {"values"}),
        ({"grad_fn": None}, {"grad_fn"}),
        ({"requires_grad": True, "is_leaf": False}, {"requires_grad", "is_leaf"}),
        ({"shares": "x"}, {"storage", "data_ptr", "base"}),
        ({"view_of": None}, {"base", "storage"}),
        ({"is_inference": True}, {"is_inference", "requires_grad", "version"}),
    ],
)
def test_a_claim_hides_the_facets_that_would_answer_it(
    claim: dict[str, object], hidden: set[str]
) -> None:
    facets = {facet.key for facet in FACETS if mask_of(of(**claim)).hides(Y, facet.key)}

    assert facets == hidden


def mask_of(question: ChoiceQuestion, *, cursor: int = 4) -> Mask:
    return mask([(question, 5)], AFTER, cursor=cursor, furthest=cursor)


def test_a_tensor_is_hidden_under_each_of_its_names() -> None:
    question = asked(Claim(tensors={"ys[0]": TensorClaim(version=1)}), Claim())

    assert mask_of(question).hides(Y, "version")


def test_a_gradient_that_is_asked_for_is_hidden_in_its_own_row_too() -> None:
    question = asked(Claim(tensors={"x": TensorClaim(grad=[1.0])}), Claim())

    assert mask_of(question).hides(X, "grad")
    assert mask_of(question).hides(GRAD, "values")


def test_both_sides_of_shared_memory_are_hidden() -> None:
    assert ("x", "storage") in cells(of(shares="x"))


def test_cells_are_hidden_only_where_the_question_stands() -> None:
    assert mask_of(of(version=1), cursor=3).cells == frozenset()


def test_a_prediction_of_the_outcome_hides_gradients_from_its_line_on() -> None:
    before, after = mask_of(OUTCOME, cursor=4), mask_of(OUTCOME, cursor=5)

    assert (before.outcome, before.hides(X, "grad")) == (True, False)
    assert (after.outcome, after.hides(X, "grad"), after.hides(GRAD, "values")) == (
        True,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("claim", "covered"),
    [
        (Claim(saved_by="exp"), (True, False)),
        (Claim(changed_by="mutate"), (False, True)),
        (Claim(ends=Ending.RUNS), (True, True)),
        (Claim(ends=Ending.WRONG), (True, True)),
        (Claim(raised_by="back"), (True, True)),
        (Claim(tensors={"y": TensorClaim(values=[1.0])}), (False, False)),
    ],
)
def test_what_is_asked_says_which_marks_are_covered(
    claim: Claim, covered: tuple[bool, bool]
) -> None:
    made = mask_of(asked(claim, Claim()))

    assert (made.saves, made.writes) == covered


def test_going_back_from_a_question_uncovers_no_mark() -> None:
    before = mask([(OUTCOME, 5)], AFTER, cursor=2, furthest=3)
    back = mask([(OUTCOME, 5)], AFTER, cursor=2, furthest=4)

    assert (before.saves, back.saves) == (False, True)


@pytest.mark.parametrize("gate", [5, None])
def test_a_line_that_is_asked_for_is_not_named_on_the_way_there(gate: int | None) -> None:
    saver = asked(Claim(saved_by="exp"), Claim(saved_by="mutate"))
    writer = asked(Claim(changed_by="exp"), Claim(changed_by="mutate"))

    by_saver = mask([(saver, gate)], AFTER, cursor=0, furthest=0)
    by_writer = mask([(writer, gate)], AFTER, cursor=0, furthest=0)

    assert (by_saver.saves, by_saver.writes) == (True, False)
    assert (by_writer.saves, by_writer.writes) == (False, True)


def test_a_question_that_the_run_has_not_come_to_hides_the_outcome_already() -> None:
    assert mask([(OUTCOME, None)], EMPTY, cursor=-1, furthest=-1) == Mask(outcome=True)


def test_a_question_about_one_tensor_does_not_hide_the_outcome() -> None:
    assert not of(version=1).asks_outcome
    assert not mask_of(of(version=1)).outcome


@pytest.mark.parametrize(
    ("claim", "needed"),
    [
        (Claim(ends=Ending.RUNS), False),
        (Claim(ends=Ending.WRONG), True),
        (Claim(saved_by="exp"), True),
        (Claim(changed_by="mutate"), True),
    ],
)
def test_only_gradients_and_blame_wait_for_the_truth(claim: Claim, needed: bool) -> None:
    assert needs_truth(claim) is needed


def test_an_excerpt_tells_less_and_remembers_the_same() -> None:
    timeline = Timeline()
    for index in range(130):
        tensor = Tensor(id=1, names=("x",), shape=(), dtype="int64", version=index)
        timeline.append(
            Step(
                index=index,
                line=1,
                end_line=1,
                began=index,
                tensors=(tensor,),
                events=(Printed(text="told"),),
                raised="E: told" if index == 128 else None,
            )
        )
    timeline.outcome = Completed()

    part = excerpt(timeline, reachable=128, hidden_from=127)

    assert len(part) == 129
    assert part.outcome is None
    assert [part.at(i) for i in (0, 63, 64, 128)] == [timeline.at(i) for i in (0, 63, 64, 128)]
    assert [len(step.events) for step in part.steps[126:]] == [1, 0, 0]
    assert part.steps[128].raised is None
    assert timeline.steps[128].raised == "E: told"
