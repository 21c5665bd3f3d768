"""The offsets found in memory, against what torch itself says and does."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
import torch

from inplace_tui.diagnosis.record.torch_memory import measure


def nodes_made(read: Callable[[], object]) -> int:
    """Return how many nodes a read makes; one that raises would have made one."""
    before = torch._C._autograd._get_sequence_nr()
    try:
        read()
    except RuntimeError:
        return 1
    return int(torch._C._autograd._get_sequence_nr() - before)


def base() -> torch.Tensor:
    return torch.ones(4, requires_grad=True) * 1


def split_and_written() -> torch.Tensor:
    whole = base()
    part: torch.Tensor = whole.split(2)[0]
    whole.add_(1)
    return part


def written_through_its_base() -> torch.Tensor:
    whole = base()
    part = whole[:2]
    whole.mul_(2)
    return part


def written_itself() -> torch.Tensor:
    part = base()[:2]
    part.mul_(2)
    return part


def read_since() -> torch.Tensor:
    part = written_through_its_base()
    _ = part.grad_fn
    return part


def view_of_plain() -> torch.Tensor:
    whole = torch.ones(4)
    part = whole[:2]
    whole.add_(1)
    return part


def base_began_to_need_grad() -> torch.Tensor:
    whole = torch.zeros(4)
    part = whole[:2]
    whole.mul_(base())
    return part


@pytest.mark.parametrize(
    "view",
    [
        split_and_written,
        written_through_its_base,
        written_itself,
        read_since,
        view_of_plain,
        base_began_to_need_grad,
        lambda: base()[:2],
        lambda: base().view(2, 2).t(),
        lambda: base().detach()[:2],
    ],
)
def test_outdated_is_exactly_what_torch_would_rebuild(view: Callable[[], torch.Tensor]) -> None:
    tensor = view()

    outdated = measure().outdated(tensor)

    assert outdated == bool(nodes_made(lambda: tensor.grad_fn))


@pytest.mark.parametrize("bumps", [0, 1, 3])
def test_the_saved_version_is_the_one_in_torchs_message(bumps: int) -> None:
    saved = base()
    for _ in range(bumps):
        saved.add_(1)
    node = saved.sin().grad_fn
    assert node is not None
    saved.mul_(2)

    slot = measure().read_slot(node._raw_saved_self)

    with pytest.raises(RuntimeError) as refusal:
        node._raw_saved_self.unpack()
    (expected,) = re.findall(r"expected version (\d+)", str(refusal.value))
    assert slot.version == int(expected)
    assert slot.impl == saved._cdata


def test_a_result_is_told_from_an_input_and_from_nothing() -> None:
    of_input, of_result, of_nothing = base().sin(), base().exp(), base() * 2

    slots = [
        measure().read_slot(of_input.grad_fn._raw_saved_self),
        measure().read_slot(of_result.grad_fn._raw_saved_result),
        measure().read_slot(of_nothing.grad_fn._raw_saved_self),
    ]

    assert [(slot.output, slot.original, slot.empty) for slot in slots] == [
        (False, True, False),
        (True, False, False),
        (False, False, True),
    ]


def test_tensors_share_a_counter_exactly_if_they_share_their_versions() -> None:
    whole = base()
    same = [whole.detach(), whole[1:], whole.view(2, 2)]
    apart = [whole.data, whole.clone(), whole * 1]

    counter = measure().counter_of(whole)

    assert [measure().counter_of(t) == counter for t in same] == [True] * 3
    assert [measure().counter_of(t) == counter for t in apart] == [False] * 3
    assert counter is not None
    cell = measure().cell(counter)
    whole.detach().add_(1)
    assert int.from_bytes(bytes(cell), sys.byteorder) == whole._version == 1


def test_an_inference_tensor_has_no_counter() -> None:
    with torch.inference_mode():
        tensor = torch.ones(2)

    assert measure().counter_of(tensor) is None


def set_data(tensor: torch.Tensor) -> None:
    tensor.data = torch.ones(2, 3)


def set_data_to_a_view(tensor: torch.Tensor) -> None:
    tensor.data = tensor.data[1:]


def set_data_to_the_same_place(tensor: torch.Tensor) -> None:
    tensor.data = tensor.data.view(3, 2)


def test_a_storage_with_other_memory_or_none_has_other_bytes() -> None:
    tensor = torch.zeros(6)
    storage = tensor.untyped_storage()
    weak = storage._weak_ref()
    memory = measure().head(storage, weak)
    seen = [bytes(memory)]
    tensor.add_(1)
    assert bytes(memory) == seen[0]
    for size in (4, 400_000, 0):
        storage.resize_(size)
        seen.append(bytes(memory))
    tensor.data = torch.ones(2)
    storage.resize_(8)
    seen.append(bytes(memory))
    del storage, tensor
    seen.append(bytes(memory))
    torch.UntypedStorage._free_weak_ref(weak)

    assert len(set(seen)) == len(seen)
