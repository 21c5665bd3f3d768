"""What is cheap for a program that is fine: digests, and no care where there is no need."""

from __future__ import annotations

from struct import pack

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Backward, Detail, Mode, Origin, Program
from inplace_tui.diagnosis.blame.truth import proves_right
from inplace_tui.diagnosis.drive.explain import DIGESTS_ONLY, WHOLE, Replays
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVERY_BIT = """\
import torch

bits = torch.tensor([1.0, -2.5, 3e-7]).view(torch.int32)
flips = [0] + [1 << i for i in range(31)] + [-(2**31)]
for place in range(3):
    for flip in flips:
        x = torch.zeros(3, requires_grad=True)
        other = bits.clone()
        other[place] ^= flip
        x.backward(other.view(torch.float32))
"""

SHARED = """\
import torch
from torch.utils._python_dispatch import TorchDispatchMode

class Greedy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.view_as(value)

    @staticmethod
    def backward(ctx, gradient):
        return gradient.mul_(7)

class Meddling(TorchDispatchMode):
    done = False

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        result = op(*args, **(kwargs or {}))
        if op is torch.ops.aten.mul.Tensor and not self.done:
            args[0].mul_(7)
            self.done = True
        return result

def scaled(gradient):
    gradient.mul_(7)

def scaled_each(gradients, *_):
    gradients[0].mul_(7)

a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
k = b * 1
h = a * 1
MEDDLE
(h + k).backward(torch.ones(2))
"""
"""Whoever writes the gradient of `h` in place writes that of `k` too, unless they are apart."""

UNHOOKED = """\
import torch
from torch.utils.hooks import RemovableHandle

registered = RemovableHandle.next_id
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * 2 + w * 3).sum().backward()
optimizer.step()
assert RemovableHandle.next_id == registered
"""

NEVER_WRITTEN = """\
import torch

w = torch.ones({count}, requires_grad=True)
(w * torch.empty({count})).sum().backward()
"""

MEDDLERS = {
    "a tensor's hook": "h.register_hook(scaled)",
    "a node's hook before": "h.grad_fn.register_prehook(scaled_each)",
    "a hook for many": "torch.autograd.graph.register_multi_grad_hook([h], scaled_each)",
    "a custom Function": "h = Greedy.apply(h)",
    "a dispatch mode": "Meddling().__enter__()",
    "a module's hook": (
        "m = torch.nn.Identity(); m.register_full_backward_hook(lambda m, i, o: scaled_each(o)); "
        "h = m(h)"
    ),
}


async def backwards(
    worker: Worker, source: str, mode: Mode, detail: Detail
) -> tuple[Backward, ...]:
    replays = Replays(worker, Program(source=source, origin=Origin.OWN), lambda _: None)
    replays.allow(20)
    evidence = await replays.evidence(mode, detail)
    assert evidence.outcome == Completed()
    return evidence.backwards


async def test_a_digest_sees_every_single_bit(worker: Worker) -> None:
    found = await backwards(worker, EVERY_BIT, Mode.BARE, DIGESTS_ONLY)

    digests = [backward.gradients[0].digest for backward in found]
    assert len(digests) == 3 * 33
    assert len(set(digests)) == 1 + 3 * 32


async def test_a_digest_is_the_same_in_every_run(worker: Worker) -> None:
    first = await backwards(worker, EVERY_BIT, Mode.BARE, DIGESTS_ONLY)
    cloned = await backwards(worker, EVERY_BIT, Mode.CLONED, DIGESTS_ONLY)

    assert first == cloned


async def test_gradients_are_kept_apart_only_where_the_program_has_hooks(worker: Worker) -> None:
    assert await backwards(worker, UNHOOKED, Mode.CLONED, DIGESTS_ONLY)


@pytest.mark.parametrize("count", [3, 1_000_000])
async def test_a_first_replay_does_not_find_in_memory_what_the_run_found_there(
    worker: Worker, count: int
) -> None:
    """Large areas are new, and zero in every run: the gradient would be called right."""
    replays = Replays(
        worker, Program(source=NEVER_WRITTEN.format(count=count), origin=Origin.OWN), lambda _: None
    )
    replays.allow(20)
    first = await replays.evidence(Mode.BARE, DIGESTS_ONLY)
    replays.in_view = True
    cloned = await replays.evidence(Mode.CLONED, DIGESTS_ONLY)

    assert not proves_right(first, cloned)


def of_b(backwards: tuple[Backward, ...]) -> bytes | None:
    """Return the gradient that the one backward delivered to `b`."""
    (backward,) = backwards
    (found,) = (each.data for each in backward.gradients if each.tensor == "b")
    return found


@pytest.mark.parametrize("meddle", MEDDLERS.values(), ids=MEDDLERS.keys())
async def test_the_replay_keeps_gradients_apart_from_whoever_writes_them(
    worker: Worker, meddle: str
) -> None:
    source = SHARED.replace("MEDDLE", meddle)

    bare = await backwards(worker, source, Mode.BARE, WHOLE)
    cloned = await backwards(worker, source, Mode.CLONED, WHOLE)

    assert of_b(bare) == pack("=2f", 7, 7)
    assert of_b(cloned) == pack("=2f", 1, 1)
