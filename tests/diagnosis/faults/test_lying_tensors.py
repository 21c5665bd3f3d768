"""A tensor subclass whose attributes raise or lie does not change how its program ends."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Mode
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

RAISES = 'property(lambda _: (_ for _ in ()).throw(ValueError("it lies")))'


@pytest.mark.parametrize("name", ["requires_grad", "grad_fn", "grad", "is_leaf", "retains_grad"])
@pytest.mark.parametrize("answer", [RAISES, "property(lambda _: True)", "'nonsense'"])
@pytest.mark.whole(every=5)
async def test_its_program_ends_as_it_does_unrecorded(
    worker: Worker, name: str, answer: str
) -> None:
    source = f"""
import torch
class Lying(torch.Tensor):
    {name} = {answer}
x = torch.ones(3).as_subclass(Lying)
y = x * 2
y.add_(1)
z = torch.ones(2)
"""
    bare = await tell(worker, source)
    told = await tell(worker, source, Mode.RECORD)

    assert bare.outcome == told.outcome == Completed()
    (end,) = told.ended
    assert end.faults == ()
    assert "z" in {name for step in told.steps for each in step.tensors for name in each.names}
