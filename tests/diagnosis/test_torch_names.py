"""What the editor is told of torch is what torch does."""

from __future__ import annotations

import pytest
import torch.onnx  # noqa: F401 - as a worker has, which counts it among the members

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


def test_layers_are_modules_and_what_makes_tensors_says_so() -> None:
    assert named("torch.nn", "Linear").gives == MODULE
    assert named("torch", "ones").gives == TENSOR
    assert named("torch", "nn").gives == "torch.nn"
    assert named(MODULE, "parameters").kind == "function"
