"""Tensors that no name reaches for a while: they live on, and come back as what they were."""

from __future__ import annotations

import pytest

from support.recording import record

WAYS = {
    "an iterator": """\
a = torch.ones(3)
kept = iter([a])
del a
other = 1
b = next(kept)
b.add_(1)
""",
    "blocks that a generator makes": """\
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(2, 2)
        self.made = 1

blocks = torch.nn.ModuleList(Block() for _ in range(3))
b = blocks[0].gate.weight
with torch.no_grad():
    b.add_(1)
""",
}


@pytest.mark.parametrize("body", WAYS.values(), ids=WAYS)
def test_what_comes_back_is_on_the_storage_that_it_was_on(body: str) -> None:
    steps = record(f"import torch\n{body}").timeline

    last = steps.at(len(steps) - 1)
    (b,) = [each for each in last.tensors.values() if "b" in each.names]
    (write,) = [each for step in steps for each in step.mutations]
    assert (write.storage, write.after) == (b.storage, b.version)
    assert not [number for step in steps for number in step.freed]
    assert all(each.storage in last.storages for each in last.tensors.values())
