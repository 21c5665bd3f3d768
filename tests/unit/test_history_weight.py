"""What the history reckons a run to take is what it takes."""

from __future__ import annotations

import gc
import tracemalloc

import msgspec
import pytest

from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.history.runs import weight
from support.recording import record

COUNTING = """\
k = 0
for i in range(300):
    k += i
"""
WRITING = """\
import torch
x = torch.zeros(500)
for i in range(300):
    x.add_(1)
"""
SAVING = """\
import torch
y = x = torch.ones(20, requires_grad=True)
for i in range(200):
    y = y.exp() * x
"""
TRAINING = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(40):
    opt.zero_grad()
    net(torch.ones(2, 4)).sum().backward()
    opt.step()
"""


@pytest.mark.parametrize("source", [COUNTING, WRITING, SAVING, TRAINING])
@pytest.mark.whole(every=4)
def test_a_run_weighs_what_python_has_for_it(source: str) -> None:
    steps = record(source).steps
    decoder = msgspec.msgpack.Decoder(Step)
    messages = [msgspec.msgpack.encode(step) for step in steps]
    del steps
    gc.collect()
    tracemalloc.start()
    try:
        timeline = Timeline()
        for message in messages:
            timeline.append(decoder.decode(message))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert 0.6 * taken < weight(timeline) < 1.5 * taken
