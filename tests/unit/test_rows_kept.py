"""Rows taken over from another moment are those that would be made anew."""

from __future__ import annotations

import random

from inplace_tui.common.rows import Row
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    RunBegan,
    RunEnded,
    StepChosen,
    StepsArrived,
)
from inplace_tui.tutorial.present import graph, table
from inplace_tui.tutorial.ui.panels import GraphPanel
from support.recording import record

SOURCE = """\
import torch
w = torch.ones(3, requires_grad=True)
n = torch.zeros(4)
part = n[1:]
y = (w * 2).exp()
for i in range(3):
    n.add_(1)
    v = y * w
    part = n[:2]
    other = v.sum()
    other.backward(retain_graph=True)
    also = n
    del also
w.grad.zero_()
n.resize_(6)
y.detach().add_(1)
del v, other, y
k = 1
"""


def test_rows_that_are_taken_over_are_what_they_would_be_anew() -> None:
    session = Session(Program(source=SOURCE, filename="kept.py", origin=Origin.OWN))
    session.handle(RunBegan(run=1, line=1))
    steps = record(SOURCE).steps
    session.handle(StepsArrived(run=1, steps=steps))
    session.handle(RunEnded(run=1, outcome=Completed(), faults=()))
    dice, panel = random.Random(3), GraphPanel()
    table_rows: list[Row] = []
    kept, same = table.rows(session.view(), 80, "en"), 0
    basis, drawn = None, list[Row]()
    walk = [*range(len(steps)), *(dice.randrange(-1, len(steps)) for _ in range(60))]
    for step in walk:
        session.handle(StepChosen(step))
        view = session.view()

        before, kept = kept, table.rows(view, 80, "en", before=kept)
        table_rows = list(table.rows(view, 80, "en"))
        assert list(kept) == table_rows, step
        same += sum(row is old for row in kept for old in before)

        rows = list(graph.rows(view, 60, "en"))
        if panel.basis(view) == basis:
            assert rows == drawn, step
        basis, drawn = panel.basis(view), rows
    assert same > len(walk), "nothing was taken over"
