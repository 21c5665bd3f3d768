"""Tensors on a device: what is read of them, by doubles, as there is no device here.

Fake tensors of torch say that they are on one and do all that is asked but the arithmetic, so
that every copy to the host is seen. What is added up is checked on the CPU.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: TID251  # nothing is recorded here

from inplace_tui.blame.checksums import MAX_BYTES, Checksums
from inplace_tui.common.run.program import MAX_ELEMENTS, Origin, Program, part_ends
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.record.replay.gradients import checksums
from inplace_tui.diagnosis.runner.worker import Worker

TRAINING = """\
import torch
from torch import nn
torch.set_default_device("meta")
net, head = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid()), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
for step in range(3):
    h = net(torch.randn(3, 4))
    if step == 2:
        h *= 2
    loss = head(h).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.int32, torch.bool)


class Copies(TorchDispatchMode):  # type: ignore[misc]
    """Notes how many elements come from a device to the host, copy by copy."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: list[int] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        tensors = [each for each in (*args[:1], found) if isinstance(each, torch.Tensor)]
        if [each.device.type == "cpu" for each in tensors] == [False, True]:
            self.counts.append(found.numel())
        return found


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (MAX_ELEMENTS,), (1000, 1000)], ids=str)
def test_of_a_gradient_on_a_device_at_most_its_digests_come_over_and_at_once(
    dtype: torch.dtype, shape: tuple[int, ...]
) -> None:
    with FakeTensorMode(), Copies() as copies:
        gradient = torch.empty(shape, dtype=dtype, device="cuda")
        checksums(gradient)

    assert copies.counts == [64 if gradient.numel() > MAX_ELEMENTS else 1]


@pytest.mark.parametrize("count", [1000, MAX_BYTES // 4 + 1])
def test_a_checksum_of_the_witness_waits_for_no_device_until_it_is_compared(count: int) -> None:
    with FakeTensorMode(), Copies() as copies:
        tensor = torch.empty(count, device="cuda")
        found = Checksums().of(tensor, tensor.untyped_storage())

    assert found.device.type == "cuda"
    assert copies.counts == []


@given(
    count=st.integers(1, 300) | st.integers(MAX_ELEMENTS - 1, MAX_ELEMENTS + 300),
    at=st.integers(0, MAX_ELEMENTS + 299),
    bit=st.integers(0, 31),
    seed=st.integers(0, 99),
)
def test_a_bit_that_differs_is_seen_in_its_part_alone(
    count: int, at: int, bit: int, seed: int
) -> None:
    at %= count
    generator = torch.Generator().manual_seed(seed)
    before = torch.randn(count, generator=generator)
    after = before.clone()
    after.view(torch.int32)[at] ^= torch.tensor(1 << bit).to(torch.int32)

    differ = (checksums(before) != checksums(after)).nonzero().flatten().tolist()

    assert differ == [next(index for index, end in enumerate(part_ends(count)) if at < end)]


def test_how_a_tensor_lies_in_memory_makes_no_difference() -> None:
    dense = torch.arange(600.0).reshape(20, 30)

    assert checksums(dense.t().contiguous().t()).equal(checksums(dense))
    assert checksums(torch.complex(dense, dense).conj()).equal(
        checksums(torch.complex(dense, -dense))
    )


@pytest.mark.whole
@pytest.mark.asyncio(loop_scope="session")
async def test_a_training_without_values_is_explained_and_mended(worker: Worker) -> None:
    case = await explain(worker, Program(source=TRAINING, origin=Origin.OWN), Options())

    blame = case.blame
    assert blame is not None
    assert blame.saver is not None
    assert (blame.saver.line, [each.line for each in blame.writes], blame.reader) == (7, [9], 12)
    assert "        h = h * 2\n" in case.fixes[0].source
