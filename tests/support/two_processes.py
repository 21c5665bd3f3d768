"""What two processes that gloo connects see: for lessons, whose own runs have no network.

python two_processes.py FILE: FILE is where they meet, and must not exist. Prints one JSON.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

import torch
from torch import Tensor, distributed, multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel


def collectives(rank: int) -> dict[str, object]:
    def loss() -> tuple[Tensor, Tensor]:
        w = torch.tensor([3.0, 4.0]) * (1 + 2 * rank)
        w.requires_grad_()
        return w, (w * w).sum().sqrt()

    seen: dict[str, object] = {}
    w, reduced = loss()
    distributed.all_reduce(reduced)
    reduced.backward()
    seen["sum"] = [reduced.item(), reduced._version, type(reduced.grad_fn).__name__, _numbers(w)]
    w, averaged = loss()
    distributed.all_reduce(averaged, op=distributed.ReduceOp.AVG)
    seen["mean"] = [averaged.item(), averaged._version]
    leaf, _ = loss()
    distributed.all_reduce(leaf)
    distributed.broadcast(leaf, src=0)
    distributed.reduce(leaf, dst=0)
    distributed.scatter(leaf, [torch.ones(2)] * 2 if rank == 0 else None)
    seen["leaf"] = [leaf.tolist(), leaf._version]
    return seen


def _numbers(leaf: Tensor) -> list[float]:
    return [] if leaf.grad is None else [round(each, 4) for each in leaf.grad.flatten().tolist()]


def forwards(rank: int) -> dict[str, object]:
    times = 9 if rank else 1
    one, three = torch.full((1, 1), 1.0 * times), torch.full((1, 1), 3.0 * times)

    def wrapped() -> tuple[nn.Linear, DistributedDataParallel]:
        layer = nn.Linear(1, 1, bias=False)
        return layer, DistributedDataParallel(layer)

    seen: dict[str, object] = {}
    layer, net = wrapped()
    a, b = net(one), net(three)
    a.backward()
    b.backward()
    seen["two forwards"] = _numbers(layer.weight)
    layer, net = wrapped()
    net(one).backward()
    net(three).backward()
    seen["in turn"] = _numbers(layer.weight)
    layer, net = wrapped()
    with net.no_sync():
        a = net(one)
    a.backward()
    seen["forward in no_sync"] = _numbers(layer.weight)
    layer = nn.Linear(1, 1, bias=False)
    layer.register_parameter("spare", nn.Parameter(torch.ones(1)))
    net = DistributedDataParallel(layer)
    net(one).backward()
    with suppress(RuntimeError):
        net(three)
        seen["unused"] = "runs"
    return seen


def work(rank: int, meeting: str, answers: multiprocessing.Queue[str]) -> None:
    distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    seen = {**collectives(rank), **forwards(rank)}
    distributed.barrier()
    answers.put(json.dumps([rank, seen]))


if __name__ == "__main__":
    spawned = multiprocessing.get_context("spawn")
    answers = spawned.Queue()
    workers = [spawned.Process(target=work, args=(rank, sys.argv[1], answers)) for rank in (0, 1)]
    for each in workers:
        each.start()
    sys.stdout.write(
        json.dumps([seen for _, seen in sorted(json.loads(answers.get()) for _ in workers)])
    )
    for each in workers:
        each.join()
