"""Any steps that a child can send: refused at the border, or shown by all that shows any."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inplace_tui.common.run.outcome import Completed, Crashed, Outcome, Raised, Unverified
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Edge, Node, Storage, Tensor, Unreadable
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.protocol.checking import StepChecker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    RunBegan,
    RunEnded,
    StepChosen,
    StepsArrived,
)
from inplace_tui.tutorial.commands.run import PICTURES, graph_view
from inplace_tui.tutorial.present import (
    code,
    graph,
    lanes,
    narration,
    output,
    strip,
    table,
    values,
    why,
)
from inplace_tui.tutorial.report import text
from inplace_tui.tutorial.report.documents import timeline_document
from support.fuzzed import Fuzz
from support.whole import fuzz_examples

SOURCE = "import torch\nx = torch.ones(2)\ny = x.exp()\ny.add_(1)\n"


def accepted(sent: list[Step]) -> list[Step]:
    """Return the steps up to the first that the border refuses."""
    ledger = StepChecker()
    kept = []
    for step in sent:
        if ledger.complaint(step):
            break
        kept.append(step)
    return kept


@settings(deadline=None, max_examples=fuzz_examples(60))
@given(seed=st.integers(0, 2**32), room=st.sampled_from((20, 40, 100)))
@example(seed=9445, room=20)  # a node that was made at a step that never came
def test_whatever_is_accepted_is_shown(seed: int, room: int) -> None:
    """Sessions, panels, why-pages, values and all that `run` prints."""
    fuzz = Fuzz(seed)
    sent, said = fuzz.steps(), fuzz.text()
    outcome: Outcome = (
        Completed(),
        Crashed(exit_code=-9, last_words=said),
        Raised(exception=said, message=said, line=seed % 9, in_backward=True, traceback=said),
    )[seed % 3]
    program = Program(source=SOURCE, origin=Origin.OWN)
    timeline = Timeline()
    session = Session(program)
    session.start()
    session.handle(RunBegan(run=1, line=1))
    kept = accepted(sent)
    for step in kept:
        # Through the pipe and back: what is appended belongs to its timeline.
        session.handle(StepsArrived(run=1, steps=(_copied(step),)))
        timeline.append(_copied(step))
    timeline.outcome = outcome
    session.handle(RunEnded(run=1, outcome=outcome))
    for place in range(-1, len(kept)):
        session.handle(StepChosen(place))
        view = session.view()
        for panel in (code, graph, lanes, narration, output, strip, table):
            assert "".join(row.text for row in panel.rows(view, room, "en")).isprintable()
        for tensor in view.snapshot.tensors.values():
            values.facts_rows(tensor, view, room, "zh")
            values.sample_rows(tensor, view, room, "en")
            for facet in ("shape", "version", "grad_fn", "grad", "values", "is_leaf"):
                why.rows(view, why.CellSubject(tensor.id, facet), room, "en")
        for node in view.snapshot.nodes:
            why.rows(view, why.NodeSubject(node), room, "zh")
    for _ in text.lines(program, timeline, Unverified(), language="en", width=room, watch=()):
        pass
    msgspec.json.encode(timeline_document(program, timeline, Unverified()))
    shown = graph_view(program, timeline)
    assert PICTURES["dot"](shown, "en").startswith("digraph")
    ElementTree.fromstring(PICTURES["svg"](shown, "en"))


def _copied(step: Step) -> Step:
    return msgspec.json.decode(msgspec.json.encode(step), type=Step)


def step(index: int = 0, **fields: Any) -> Step:
    """Return a step with something in it."""
    return Step(index=index, line=1, end_line=1, began=index, **fields)


def tensor(**fields: Any) -> Step:
    """Return a step with one tensor."""
    return step(tensors=(Tensor(id=1, names=("x",), dtype="float32", **fields),))


@pytest.mark.parametrize(
    "sent",
    [
        [step(1)],
        [step(), step(0)],
        [tensor(shape=(-1,), stride=(1,))],
        [tensor(shape=(2**64,), stride=(1,))],
        [tensor(shape=(2, 2), stride=(1,), storage=1)],
        [tensor(shape=(2,), storage=1, values=Unreadable("lost"))],
        [tensor(shape=(2,), stride=(1,), offset=-4)],
        [tensor(shape=(1,) * 65, stride=(1,) * 65)],
        [step(storages=(Storage(id=1, nbytes=2**40, data=b"1234"),))],
        [step(nodes=(Node(id=1, name="A", inputs=(Edge(1),)),))],
        [
            step(nodes=(Node(id=1, name="A", inputs=(Edge(2),)),)),
            step(1, nodes=(Node(id=2, name="B", inputs=(Edge(1),)),)),
        ],
    ],
)
def test_what_cannot_be_is_refused(sent: list[Step]) -> None:
    """Order, ranges, lengths that lie, and circles, also over several steps."""
    assert accepted(sent) == sent[:-1]
