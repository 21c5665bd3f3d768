"""Who shares a storage, and who touches which of its elements. Torch is the oracle."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.snapshot import Tensor, holders, letter, overlap, reach, sharing
from inplace_tui.common.run.timeline import letter_of
from support.views import at, failing

dimensions = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=4)
Dims = list[tuple[int, int]]


def recorded(dims: Dims, offset: int) -> Tensor:
    return Tensor(
        id=1, names=("v",), shape=tuple(n for n, _ in dims), stride=tuple(s for _, s in dims),
        offset=offset, dtype="int64", storage=1,
    )  # fmt: skip


def seen(dims: Dims, offset: int) -> set[int]:
    """Return the positions that torch reads: a storage numbered 0, 1, 2… hands them back."""
    view = torch.arange(128).as_strided([n for n, _ in dims], [s for _, s in dims], offset)
    return set(view.flatten().tolist())


@given(dims=dimensions, offset=st.integers(0, 3))
def test_reach_is_what_torch_reads(dims: Dims, offset: int) -> None:
    """A storage numbered 0, 1, 2… hands back its own positions."""
    shape, stride = tuple(n for n, _ in dims), tuple(s for _, s in dims)

    assert reach(shape, stride, offset) == seen(dims, offset)


@given(one=dimensions, other=dimensions, offset=st.integers(0, 40))
def test_tensors_overlap_when_torch_reads_a_common_position(
    one: Dims, other: Dims, offset: int
) -> None:
    """Writing one changes the other exactly when they read a position in common."""
    common = seen(one, 0) & seen(other, offset)

    assert overlap(recorded(one, 0), recorded(other, offset)) is bool(common)


def test_shape_and_stride_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        reach((2, 3), (1,), 0)


def test_rows_that_interleave_over_a_huge_storage_are_not_judged() -> None:
    even = recorded([(10_000_000, 2)], 0)
    odd = recorded([(9_999_999, 2)], 1)

    assert overlap(even, odd) is None


def test_letters_go_on_after_z() -> None:
    assert [letter(rank) for rank in (0, 25, 26, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


def test_a_storage_keeps_its_letter_at_every_step() -> None:
    timeline = failing()

    assert [letter_of(storage, timeline) for storage in (1, 2, None)] == ["A", "B", "–"]


def test_who_shares_and_who_holds_is_read_from_the_snapshot() -> None:
    snapshot = at(3).snapshot

    assert {k: [t.names[0] for t in v] for k, v in sharing(snapshot).items()} == {
        1: ["x"],
        2: ["y"],
    }
    assert [saved.slot for saved in holders(snapshot, 2)] == ["result"]
