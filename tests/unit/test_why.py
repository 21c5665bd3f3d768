"""Why a cell is as it is: facts of a real run, said in both languages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.facets import FACETS
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.record.torch_asked import AskedReadings
from inplace_tui.tutorial.activity.session.signals import Move, QuestionLeft
from inplace_tui.tutorial.activity.session.view import Mask, View, shown
from inplace_tui.tutorial.forecast.forecast import StepForecasts, Unknown, UnknownReason
from inplace_tui.tutorial.present import why
from inplace_tui.tutorial.present.why import CellSubject, NodeSubject
from inplace_tui.tutorial.state.why import WhyAnswers, WhyFact
from support.played import ERROR, RAISED, STEPS, answered_first, move, ran
from support.recording import Recorded, named, record
from support.views import asking, at, failed

SOURCE = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y.add_(1)
y.mul_(2)
d = y.detach()
n = torch.tensor([1, 2])
with torch.no_grad():
    q = x * 2
p = torch.zeros(3)
k = x * 1
k.retain_grad()
v = k[:2]
p.data.add_(1)
z = (k * k).sum()
z.backward()
(x * 1).sum().backward()
w = torch.ones(3, requires_grad=True)
x.grad = None
w2 = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    i = x * 2
a, b = k.unbind(0)[:2]
k.add_(1)
alias = k
s = k[:2]
s.mul_(3)
"""


@cache
def run() -> Recorded:
    return record(SOURCE)


def asked(line: int) -> WhyAnswers:
    recorded = run()
    return WhyAnswers(recorded.timeline, recorded.step(line).index)


def keys(name: str, facet: str, line: int = 27) -> list[tuple[str, int | None]]:
    moment = asked(line)
    return [(fact.key, fact.line) for fact in moment.why(named(moment.snapshot, name), facet)]


@pytest.mark.parametrize(
    ("name", "facet", "facts"),
    [
        ("x", "is_leaf", [("leaf-asked", 2)]),
        ("y", "is_leaf", [("made-from", 5)]),
        ("n", "is_leaf", [("leaf-no-grad", None)]),
        ("x", "requires_grad", [("asked-for", 2)]),
        ("y", "requires_grad", [("made-from", 5), ("from-input", None)]),
        ("n", "requires_grad", [("no-derivative", None)]),
        ("d", "requires_grad", [("cut-off", 6)]),
        ("q", "requires_grad", [("no-grad", 9)]),
        ("p", "requires_grad", [("nobody-asked", 10)]),
        ("i", "requires_grad", [("inference", 22)]),
        ("y", "version", [("wrote", 4), ("wrote", 5)]),
        ("x", "version", [("never-written", None)]),
        ("p", "version", [("never-written", None), ("unseen-write", 14)]),
        ("i", "version", [("no-version", None)]),
        ("d", "storage", [("shares", 6)]),
        ("v", "base", [("view", 13)]),
        ("x", "base", [("own-memory", None)]),
        ("x", "storage", [("alone", 2)]),
        ("v", "grad_fn", [("outdated", None)]),
        ("x", "grad_fn", [("no-node-leaf", None)]),
        ("n", "grad", [("grad-not-required", None), ("no-derivative", None)]),
        ("y", "grad", [("grad-not-leaf", None)]),
        ("x", "grad", [("grad-emptied", 19)]),
        ("w2", "grad", [("grad-no-backward", None)]),
        ("y", "values", [("last-write", 5)]),
        ("q", "values", [("values-made", 9)]),
        ("x", "retains_grad", [("leaf-keeps", None)]),
        ("y", "retains_grad", [("does-not-retain", None)]),
        ("alias", "names", [("made", 11), ("same-object", None)]),
    ],
)
def test_a_cell_has_its_reason(name: str, facet: str, facts: list[tuple[str, int | None]]) -> None:
    assert keys(name, facet) == facts


def test_a_gradient_tells_of_every_backward_that_added_to_it() -> None:
    assert keys("x", "grad", line=16) == [("grad-filled", 16)]
    assert [fact.values.get("lines") for fact in _why("x", "grad", 17)] == [(16, 17)]
    assert keys("k", "grad", line=16) == [("grad-filled", 16)]


def test_a_leaf_that_no_backward_reached_is_told_so() -> None:
    source = "import torch\na = torch.ones(2, requires_grad=True)\n"
    source += "b = torch.ones(2, requires_grad=True)\n(a * a).sum().backward()\n"
    recorded = record(source)
    moment = WhyAnswers(recorded.timeline, recorded.step(4).index)

    facts = moment.why(named(moment.snapshot, "b"), "grad")

    assert facts == [WhyFact("grad-not-reached", {}, 4)]


@pytest.mark.parametrize("facet", ["grad_fn", "is_leaf"])
def test_what_is_not_asked_for_is_told_so(facet: str) -> None:
    """Another use may have made the `grad_fn` anew since the base was written."""
    source = "import torch\nk = torch.ones(2, requires_grad=True) * 1\nv = k[:1]\nk.add_(1)\n"
    recorded = record(f"{source}w = v + 1\n", by=AskedReadings)
    moment = WhyAnswers(recorded.timeline, recorded.step(5).index)

    facts = moment.why(named(moment.snapshot, "v"), facet)

    assert facts == [WhyFact("not-asked")]
    forecast = StepForecasts(recorded.timeline, 4).of(named(moment.snapshot, "v").id)
    assert forecast == Unknown(UnknownReason.NOT_ASKED)


def _why(name: str, facet: str, line: int) -> list[WhyFact]:
    moment = asked(line)
    return moment.why(named(moment.snapshot, name), facet)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole(every=2)
def test_every_cell_and_every_node_has_an_answer(language: str) -> None:
    """At every step; a head, and at least a sentence without a hole."""
    timeline = run().timeline
    for index in range(len(timeline)):
        view = View(
            source=SOURCE,
            timeline=timeline,
            cursor=index,
            snapshot=timeline.at(index),
            step_forecasts=StepForecasts(timeline, index),
        )
        subjects: list[why.WhySubject] = [NodeSubject(node) for node in view.snapshot.nodes]
        subjects += [CellSubject(t, facet.key) for t in view.snapshot.tensors for facet in FACETS]
        for subject in subjects:
            rows = why.rows(view, subject, 60, language)
            assert len(rows) > 1, subject
            assert not any("{" in row.text and "}" in row.text for row in rows), subject


def test_a_stale_slot_is_told_of_its_node() -> None:
    text = "\n".join(row.text for row in why.rows(failed(), NodeSubject(2), 200, "en"))

    assert "version 0; it is at 1 now" in text
    assert "its own result" in text
    assert "A backward from y" in text


def test_while_an_outcome_is_asked_for_a_node_keeps_to_what_it_saved() -> None:
    text = "\n".join(row.text for row in why.rows(asking(), NodeSubject(2), 200, "en"))

    assert "at version 0" in text
    assert "now" not in text
    assert "refuse" not in text


@pytest.mark.parametrize("facet", [facet.key for facet in FACETS])
def test_while_a_cell_is_asked_for_nothing_is_explained(facet: str) -> None:
    view = asking(mask=Mask(cells=frozenset({("y", "version")})))

    rows = why.rows(view, CellSubject(2, facet), 200, "en")

    about = why.rows(view, CellSubject(None, facet), 200, "en")
    assert [row.text for row in rows[1:]] == [
        "▒▒ This would tell something about an open question. Answer it first.",
        "",
        *(row.text for row in about),  # of the column, whatever is in its cells
    ]


def test_the_forecast_is_hidden_while_the_outcome_is_asked_for() -> None:
    told = why.rows(at(4), CellSubject(2, "forecast"), 200, "en")[1].text
    hidden = why.rows(asking(), CellSubject(2, "forecast"), 200, "en")[1].text

    assert told.startswith("backward from here: raises at ExpBackward0")
    assert hidden.startswith("▒▒")


def test_a_learners_line_is_quoted_as_it_is() -> None:
    lines = at(3).source.splitlines()
    view = replace(at(3), source="\n".join([*lines[:3], "y [/b] {x} `y`", *lines[4:]]))

    rows = why.rows(view, CellSubject(2, "version"), 200, "en")

    assert rows[1].text.startswith("Line 4 (y [/b] {x} `y`) wrote to it with Tensor.add_")
    assert Span("y [/b] {x} `y`", Style.CODE) in rows[1].spans


@pytest.mark.parametrize("language", ["en", "zh"])
def test_code_has_a_look_instead_of_backquotes(language: str) -> None:
    view = failed()
    subjects: list[why.WhySubject] = [NodeSubject(node) for node in view.snapshot.nodes]
    subjects += [CellSubject(t, facet.key) for t in view.snapshot.tensors for facet in FACETS]
    answers = [row for each in subjects for row in why.rows(view, each, 60, language)]

    said = [*answers, *explain.rows(view, 60, language)]

    assert not [row.text for row in said if "`" in row.text]
    assert {Span("y.add_(1)", Style.CODE), Span("grad_fn", Style.CODE)} <= {
        span for row in said for span in row.spans
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_while_a_question_is_open_is_the_same_however_it_ends(language: str) -> None:
    """The learner may ask of everything that the screen shows, before the asked line and after."""
    sessions = [answered_first(each) for each in (ran((*STEPS[:3], RAISED), ERROR), ran(STEPS))]
    for session in sessions:
        session.handle(QuestionLeft())
    told = 0
    for moves in ((), (Move.NEXT,)):
        one, other = (move(session, *moves) for session in sessions)
        assert one.mask.outcome
        assert [each.names for each in shown(one)] == [each.names for each in shown(other)]
        for tensor in shown(one):
            for facet in FACETS:
                subject = CellSubject(tensor.id, facet.key)
                answers = [why.rows(view, subject, 80, language) for view in (one, other)]
                assert answers[0] == answers[1], subject
                told += 1
    assert told == 4 * len(FACETS)
