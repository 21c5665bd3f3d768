"""A checksum differs where a bit does: of each element, in any layout, up to a size."""

from __future__ import annotations

import pytest
import torch

from inplace_tui.blame.checksums import MAX_BYTES, PIECES, Checksums

DTYPES = (
    *(torch.float32, torch.float64, torch.bfloat16, torch.complex64),
    *(torch.int8, torch.int64, torch.bool),
)
LAYOUTS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.t(),
    "permuted": lambda x: x.view(2, 3, 4).permute(2, 0, 1),
    "part": lambda x: x[1:, 1:3],
    "every other": lambda x: x[:, ::2],
    "expanded": lambda x: x[:, :1].expand(6, 5),
    "windows": lambda x: x.view(-1).unfold(0, 5, 2),
    "overlapping": lambda x: x.view(-1).as_strided((3, 3), (2, 2)),
    "one": lambda x: x[2, 3],
    "none": lambda x: x[:0],
}


class Own(torch.Tensor):  # type: ignore[misc]  # torch has no type for it
    """A class of the program's: what lies in its memory is not known."""


def of(tensor: torch.Tensor, sums: Checksums | None = None) -> object:
    sums = sums or Checksums()
    sums.forget()
    return sums.of(tensor, tensor.untyped_storage())


def made(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(24).view(6, 4).remainder(5).to(dtype)


@pytest.mark.parametrize("kind", [torch.Tensor, Own])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_each_byte_of_an_element_counts_and_no_other(
    dtype: torch.dtype, layout: str, kind: type[torch.Tensor]
) -> None:
    whole = made(dtype)
    view = LAYOUTS[layout](whole).as_subclass(kind)
    places = torch.arange(24).view(6, 4)
    within = set(LAYOUTS[layout](places).flatten().tolist())
    memory = whole.view(-1).view(torch.uint8)
    width = whole.element_size()
    before = of(view)
    for at in range(len(memory)):
        memory[at] ^= 1
        is_other = of(view) != before
        memory[at] ^= 1

        assert is_other is (at // width in within)
    assert of(view) == before
    assert (before is None) is (layout == "none")


@pytest.mark.parametrize("kind", [torch.Tensor, Own])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1.0, 2.0], [2.0, 1.0]),
        ([1.0, 2.0], [4.0, 1.0]),  # a sum of bits times places is the same
        ([1.0, 2.0], [-1.0, -2.0]),
        ([0, 1, 0], [2, 0, 0]),
        ([0, 0, 3], [0, 3, 1]),
        ([1, 1, 1, 1], [0, 2, 2, 0]),
        ([0.0, 1.0], [-0.0, 1.0]),
    ],
)
def test_changes_that_would_cancel_each_other_are_seen(
    before: list[float], after: list[float], kind: type[torch.Tensor]
) -> None:
    for dtype in (torch.float32, torch.float64, torch.int64, torch.bfloat16):
        first, second = (torch.tensor(each).to(dtype) for each in (before, after))
        if not torch.equal(first.view(torch.uint8), second.view(torch.uint8)):
            assert of(first.as_subclass(kind)) != of(second.as_subclass(kind))


def test_memory_that_is_not_there_is_not_read() -> None:
    tensor = torch.ones(4)
    tensor.untyped_storage().resize_(0)
    assert of(tensor) is None
    assert of(torch.ones(4, device="meta")) is None


@pytest.mark.parametrize("is_dense", [True, False])
def test_of_more_than_the_limit_samples_are_compared_and_that_is_said(*, is_dense: bool) -> None:
    rows = 3 * MAX_BYTES // 4 // 64
    tensor = torch.zeros(rows, 64 if is_dense else 128)[:, :64]
    sums = Checksums()
    before = of(tensor, sums)
    assert sums.has_sampled
    found = []
    for part in (
        slice(None),
        slice(0, 1),
        slice(-(-rows // PIECES) + 100, 2 * rows // PIECES + 200),
    ):
        tensor[part] += 1
        found.append(of(tensor, sums) != before)
        tensor[part] -= 1

    assert found == [True] * 3
    assert of(tensor, sums) == before


def test_up_to_the_limit_nothing_is_left_out() -> None:
    tensor, sums = torch.zeros(MAX_BYTES // 4), Checksums()
    before = of(tensor, sums)
    for place in (0, 12_345, MAX_BYTES // 8 + 1, MAX_BYTES // 4 - 1):
        tensor[place] = 1
        assert of(tensor, sums) != before
        tensor[place] = 0
    assert not sums.has_sampled
