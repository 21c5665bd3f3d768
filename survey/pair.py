"""One of two processes that call each collective of torch.distributed, and say what it wrote."""

from __future__ import annotations

import datetime
import json
import sys
import warnings
from typing import Any, Callable

import torch
import torch.distributed as dist

from survey.experiment import VERSION_CHECK, first_line
from survey.trees import Tree, same_snapshot, snapshot, tensors_in

Tensors = dict[str, Tree]
Asked = Callable[[int, Tensors], Any]


def _two(value: float) -> list[torch.Tensor]:
    return [torch.full((2,), value), torch.full((2,), value + 1)]


ASKED = {
    "all_reduce": "dist.all_reduce(tensor)",
    "all_reduce (async_op=True)": "dist.all_reduce(tensor, async_op=True).wait()",
    "broadcast": "dist.broadcast(tensor, 0)",
    "reduce": "dist.reduce(tensor, 0)",
    "all_gather": "dist.all_gather(outputs, tensor)",
    "all_gather_into_tensor": "dist.all_gather_into_tensor(twice, tensor)",
    "reduce_scatter": "dist.reduce_scatter(tensor, inputs)",
    "reduce_scatter_tensor": "dist.reduce_scatter_tensor(tensor, twice)",
    "scatter": "dist.scatter(tensor, inputs if rank == 0 else None, 0)",
    "gather": "dist.gather(tensor, outputs if rank == 0 else None, 0)",
    "all_to_all": "dist.all_to_all(outputs, inputs)",
    "all_to_all_single": "dist.all_to_all_single(twice, other)",
    "send and recv": "dist.send(tensor, 1) if rank == 0 else dist.recv(tensor, 0)",
    "isend and irecv": "(dist.isend(tensor, 1) if rank == 0 else dist.irecv(tensor, 0)).wait()",
    "batch_isend_irecv": "[each.wait() for each in dist.batch_isend_irecv("
    "[dist.P2POp(dist.isend if rank == 0 else dist.irecv, tensor, 1 - rank)])]",
    "all_reduce_coalesced": "dist.all_reduce_coalesced(inputs)",
    "all_gather_coalesced": "dist.all_gather_coalesced([outputs[:1], outputs[1:]], [tensor])",
    "nn.functional.all_reduce": "nn.all_reduce(tensor)",
    "nn.functional.broadcast": "nn.broadcast(tensor, 0)",
    "nn.functional.all_gather": "nn.all_gather(tensor)",
    "_functional_collectives.all_reduce": "functional.all_reduce(tensor, 'sum', [0, 1])",
}


def _asking(text: str) -> Asked:
    import torch.distributed._functional_collectives as functional
    import torch.distributed.nn.functional as nn

    code = compile(text, "<survey>", "eval")

    def ask(rank: int, given: Tensors) -> Any:
        return eval(code, {"dist": dist, "nn": nn, "functional": functional, "rank": rank, **given})

    return ask


def _tensors(rank: int) -> Tensors:
    return {
        "tensor": torch.tensor([1.0, 2.0]) + rank,
        "outputs": _two(0.0),
        "inputs": _two(5.0 + rank),
        "twice": torch.arange(4.0) + 7 * rank,
        "other": torch.arange(4.0) + 0.5 + rank,
    }


def _looked_at(rank: int, ask: Asked) -> dict[str, Any]:
    tensors = _tensors(rank)
    before = {
        name: [(each, snapshot(each), each._version) for each in tensors_in(value)]
        for name, value in tensors.items()
    }
    result = ask(rank, tensors)
    writes: dict[str, list[Any]] = {}
    for name, held in before.items():
        moved = max(each._version - old for each, _, old in held)
        changed = any(not same_snapshot(old, snapshot(each)) for each, old, _ in held)
        if moved or changed:
            writes[name] = [moved, changed]
    found: dict[str, Any] = {"node": None, "result": ["new" if tensors_in(result) else "none"]}
    if writes:
        found["writes"] = writes
    return found


def _after_exp(rank: int, ask: Asked) -> str:
    """The result of exp is kept for backward: does torch notice that a collective wrote it?"""
    source = torch.tensor([0.5, 0.25]) + rank
    right = source.exp()
    leaf = source.clone().requires_grad_()
    kept = leaf.exp()
    tensors = {**_tensors(rank), "tensor": kept}
    with torch.no_grad():
        ask(rank, tensors)
    try:
        (grad,) = torch.autograd.grad(kept.sum(), leaf)
    except RuntimeError as error:
        return "raises" if VERSION_CHECK in str(error) else first_line(error)
    return "harmless" if torch.allclose(grad, right) else "wrong"


def _on_recorded(rank: int, ask: Asked) -> str:
    leaf = (torch.tensor([0.5, 0.25]) + rank).requires_grad_()
    recorded = leaf * 2
    ask(rank, {**_tensors(rank), "tensor": recorded})
    return str(type(recorded.grad_fn).__name__)


def main() -> None:
    warnings.simplefilter("ignore")
    rank, meeting = int(sys.argv[1]), sys.argv[2]
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{meeting}",
        rank=rank,
        world_size=2,
        timeout=datetime.timedelta(seconds=10),
    )
    found = {name: _one(rank, text) for name, text in ASKED.items()}
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()
    dist.barrier()
    dist.destroy_process_group()


def _one(rank: int, text: str) -> dict[str, Any]:
    ask = _asking(text)
    try:
        found = {"call": text, **_looked_at(rank, ask)}
    except Exception as error:
        return {"untried": first_line(error)}
    for title, look in (("exp before it", _after_exp), ("grad_fn after it", _on_recorded)):
        try:  # both ranks, even if one of them writes nothing: the other would wait for it
            said = look(rank, ask)
        except Exception as error:
            said = first_line(error)
        if "tensor" in found.get("writes", {}):
            found[title] = said
    return found


if __name__ == "__main__":
    main()
