"""What the editor is told of torch is what torch does."""

from __future__ import annotations

import pytest
import torch
import torch.onnx  # as a worker has, which counts it among the members

from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name, TorchNames
from inplace_tui.diagnosis.drive import runs
from inplace_tui.diagnosis.record.torch_names import torch_names
from inplace_tui.diagnosis.runner.worker import Worker

KNOWN = torch_names()


def named(owner: str, name: str) -> Name:
    return next(each for each in KNOWN.members[owner] if each.name == name)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_worker_tells_what_torch_offers(worker: Worker) -> None:
    assert await runs.torch_names(worker) == KNOWN
    assert isinstance(KNOWN, TorchNames)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_", (1,)), ("mul_", (2,)), ("copy_", (torch.zeros(2),)), ("exp_", ()),
        ("zero_", ()), ("fill_", (1,)), ("clamp_", (0,)), ("masked_fill_", (torch.ones(2) > 0, 1)),
        ("detach_", ()), ("requires_grad_", ()), ("unsqueeze_", (0,)), ("div_", (2,)),
    ],
)  # fmt: skip
def test_what_is_said_to_write_in_place_moves_the_version(
    name: str, arguments: tuple[object, ...]
) -> None:
    tensor = torch.ones(2)
    getattr(tensor, name)(*arguments)

    assert named(TENSOR, name).in_place == (tensor._version > 0)


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh", "log", "sin", "relu", "add", "neg"])
def test_what_is_said_to_be_saved_is_what_the_node_holds(name: str) -> None:
    made = getattr(torch.ones(2, requires_grad=True), name)(*((1,) if name == "add" else ()))
    holds = {
        each.removeprefix("_raw_saved_")
        for each in dir(made.grad_fn)
        if each.startswith("_raw_saved_")
    }

    assert set(named(TENSOR, name).saves) == holds


def test_layers_are_modules_and_what_makes_tensors_says_so() -> None:
    assert named("torch.nn", "Linear").gives == MODULE
    assert named("torch", "ones").gives == TENSOR
    assert named("torch", "nn").gives == "torch.nn"
    assert named(MODULE, "parameters").kind == "function"
