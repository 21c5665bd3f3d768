"""What real training does: long loops, several processes, mixed precision, tensors moved away."""

from __future__ import annotations

import pytest

from blame.interpreter import Programs

LOOP = """\
import gc, resource, torch
from inplace_tui import blame
from inplace_tui.blame.graph import CreationSite
witness = blame.start()
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters())
def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        x = torch.ones(2, 4)
        x += 1  # a storage of its own in each step
        model(x).sum().backward()
        optimizer.step()
def recorded():
    gc.collect()
    return sum(issubclass(type(each), CreationSite) for each in gc.get_objects())
def logs():
    return witness._writes._logs.values()
steps(600)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
steps(2000)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
alive = recorded()
storages = len(witness._writes)
longest = max(len(each.since(0)) for each in logs())
witness._writes._forget_dead()
living = len(witness._writes)
kept = model(torch.ones(2, 4)).sum()
with_a_graph = recorded()
"""


@pytest.mark.whole
def test_a_long_loop_keeps_only_what_is_alive(programs: Programs) -> None:
    told = programs.run(LOOP, watched=True).end["values"]

    assert told["alive"] == "0"
    assert told["with_a_graph"] != "0"
    assert int(told["grown"]) < 4096  # KiB: a stack kept of each write would be 20 MB
    assert int(told["storages"]) <= 1024
    assert int(told["longest"]) <= 128
    assert int(told["living"]) < 32  # 4 parameters, and 3 tensors of Adam's for each


DISTRIBUTED = """\
import os, signal, tempfile, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
        self.register_buffer("scale", torch.ones(2))
    def forward(self, x):
        return self.fc(x) * self.scale
meeting = "file://" + os.path.join(tempfile.mkdtemp(), "meeting")
child = os.fork() if {processes} == 2 else 0
signal.alarm(30)
rank = 1 if child else 0  # rank 0 broadcasts its buffers
dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size={processes})
try:
    model = DistributedDataParallel(Net())
    model.module.scale.mul_(rank + 2)
    first = model(torch.ones(2, 2))
    {then}
    first.sum().backward()
finally:
    if not child and {processes} == 2:
        os._exit(0)
"""


@pytest.fixture
def distributed(programs: Programs) -> Programs:
    if programs.run("import torch.distributed.distributed_c10d", watched=False).end["raised"]:
        pytest.skip("this torch has no processes")
    return programs


@pytest.mark.whole
def test_a_buffer_that_ddp_broadcasts_counts_only_where_its_version_moves(
    distributed: Programs,
) -> None:
    quiet = distributed.run(
        DISTRIBUTED.format(processes=1, then="second = model(torch.ones(2, 2))"), watched=True
    )
    if quiet.end["raised"]:  # torch 2.6 moves it
        (finding,) = quiet.findings
        told = [(each["op"], each["line"]) for each in finding["writes"]]
        assert told == [("_broadcast_coalesced", 20)]
        assert not finding["unseen"]
        return
    assert quiet.findings == []

    then = "{}; scale = model.module.scale\n    {}"
    seen = then.format("model(torch.ones(2, 2))", "scale += 1")
    (finding,) = distributed.run(DISTRIBUTED.format(processes=1, then=seen), watched=True).findings
    assert [each["line"] for each in finding["writes"]] == [21]
    assert finding["saved"]["name"].endswith("scale")

    unseen = then.format("model(torch.ones(2, 2))", "torch.add(scale, 1, out=scale)")
    (finding,) = distributed.run(
        DISTRIBUTED.format(processes=1, then=unseen), watched=True
    ).findings
    assert finding["writes"] == []
    assert finding["unseen"]


@pytest.mark.whole
def test_values_that_ddp_broadcasts_over_a_saved_buffer_are_found(distributed: Programs) -> None:
    then = "model.module.scale.data.mul_(2 - rank); second = model(torch.ones(2, 2))"
    source = DISTRIBUTED.format(processes=2, then=then)

    run = distributed.run(source, watched=True, values=True)

    (finding, *_) = run.findings
    assert finding["category"] == "silently-wrong" or run.end["raised"]
    assert finding["writes"][-1]["op"] == "_broadcast_coalesced"
    assert finding["writes"][-1]["line"] == 20


MIXED = """\
import torch
layer, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([*layer.parameters(), *head.parameters()], lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = torch.sigmoid(layer(torch.ones(2, 2)))
        {fault}
        loss = head(hidden).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""


def test_the_fault_in_mixed_precision_is_found_and_no_other(programs: Programs) -> None:
    right = programs.run(MIXED.format(fault="pass"), watched=True)
    alone = programs.run(MIXED.format(fault="pass"), watched=False)
    wrong = programs.run(MIXED.format(fault="hidden.mul_(2)"), watched=True)

    if alone.end["raised"]:
        pytest.skip(f"not with this torch: {alone.end['raised'][1]}")
    assert right.comparable == alone.comparable
    assert right.findings == []
    (finding,) = wrong.findings
    assert finding["saved"]["line"] == 8
    assert [each["line"] for each in finding["writes"]] == [9]
    assert finding["reader"]["line"] == 11


MOVED = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
with torch.autograd.graph.save_on_cpu():
    y = x.exp()
y.add_(1)
z = x.exp()
z.mul_(2)
(y + {used}).sum().backward()
"""


def test_what_save_on_cpu_moved_is_not_mistaken_for_what_was_changed(programs: Programs) -> None:
    right, alone = (
        programs.run(MOVED.format(used="x"), watched=watched) for watched in (True, False)
    )
    wrong = programs.run(MOVED.format(used="z"), watched=True)

    assert right.comparable == alone.comparable
    (finding,) = wrong.findings
    assert finding["saved"]["line"] == 7
    assert [each["line"] for each in finding["writes"]] == [8]
