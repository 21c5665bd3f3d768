"""Values: bytes in, numbers and text out. Torch is the oracle for the numbers."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.snapshot import Elements, Snapshot, Storage, Tensor, Unreadable
from inplace_tui.common.run.values import MAX_ELEMENTS, flat, summary, text

DTYPES = [
    "float16", "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn", "complex32",
    "complex64", "complex128", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
]  # fmt: skip


def recorded(real: torch.Tensor) -> tuple[Tensor, Snapshot]:
    """Return `real` the way the recorder sends a tensor whose storage is whole."""
    raw = bytes(real.untyped_storage().tolist())
    tensor = Tensor(
        id=1,
        names=("t",),
        shape=tuple(real.shape),
        stride=tuple(real.stride()),
        offset=real.storage_offset(),
        dtype=str(real.dtype).removeprefix("torch."),
        storage=1,
    )
    return tensor, Snapshot(
        tensors={1: tensor}, storages={1: Storage(id=1, nbytes=len(raw), data=raw)}, nodes={},
        saved={},
    )  # fmt: skip


def shown(real: torch.Tensor, width: int = 60) -> str:
    return summary(*recorded(real), width)


@pytest.mark.parametrize("dtype", DTYPES)
@given(raw=st.binary(min_size=48, max_size=48))
@pytest.mark.whole
def test_every_dtype_is_decoded_as_torch_does(dtype: str, raw: bytes) -> None:
    real = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
    if dtype == "bool":
        real %= 2  # other bytes are not booleans, and torch does not say what they are
    real = real.view(getattr(torch, dtype))
    widened = real.to(torch.float32) if dtype.startswith("float8") else real
    widened = real.to(torch.complex64) if dtype == "complex32" else widened

    numbers = flat(*recorded(real))

    assert not isinstance(numbers, Unreadable)
    assert repr(numbers[0]) == repr(widened.tolist())


@given(
    dims=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=4),
    offset=st.integers(0, 3),
)
def test_shape_stride_and_offset_are_read_as_torch_reads_them(
    dims: list[tuple[int, int]], offset: int
) -> None:
    real = torch.arange(100).as_strided([n for n, _ in dims], [s for _, s in dims], offset)

    assert flat(*recorded(real)) == (real.flatten().tolist(), True)


def test_a_view_expanded_to_a_hundred_million_elements_is_a_sample() -> None:
    tensor, snapshot = recorded(torch.tensor(2.0).expand(100_000_000))

    assert flat(tensor, snapshot) == ([2.0] * 64, False)
    assert summary(tensor, snapshot, 40) == "2. 2. 2. 2. 2. 2. 2. 2. … (64/100000000)"


def test_a_large_tensor_shows_its_ends_and_says_so() -> None:
    real = torch.arange(100_000, dtype=torch.int16)
    head, tail = real[:32].numpy().tobytes(), real[-32:].numpy().tobytes()
    tensor = Tensor(
        id=1, names=("t",), shape=(100_000,), dtype="int16",
        values=Elements(head=head, tail=tail, whole=False),
    )  # fmt: skip
    empty = Snapshot(tensors={}, storages={}, nodes={}, saved={})

    numbers = flat(tensor, empty)

    assert numbers == ([*range(32), *real[-32:].tolist()], False)
    assert summary(tensor, empty, 24) == "0 1 2 3 4 … (64/100000)"


def test_at_the_limit_a_tensor_is_still_whole() -> None:
    _, whole = flat(*recorded(torch.zeros(1).expand(MAX_ELEMENTS)))  # type: ignore[misc]

    assert whole is True


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.0, "0."),
        (-0.0, "-0."),
        (3.0, "3."),
        (2.718281828, "2.7183"),
        (1.00001, "1.0"),
        (0.1 + 0.2, "0.3"),
        (0.012345, "0.01235"),
        (0.00012346, "0.0001235"),
        (1.5e-9, "1.5e-09"),
        (1e-5, "1e-05"),
        (123456.789, "123456.789"),
        (3e38, "3e+38"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
    ],
)
def test_floats_are_short_and_honest(number: float, expected: str) -> None:
    assert text(number, "float64") == expected


@pytest.mark.parametrize("number", [0.1, 3.1, 0.7, 16.6, 1e-3, 5e-4])
def test_a_float32_does_not_show_the_noise_of_its_last_bits(number: float) -> None:
    assert text(torch.tensor(number).item(), "float32") == f"{number:g}"


def test_what_is_not_a_float_has_no_point() -> None:
    assert text(True, "bool") == "True"
    assert text(-(2**63), "int64") == "-9223372036854775808"
    assert text(3, "float32") == "3."
    assert text(1 - 2j, "complex64") == "1.-2.j"
    assert text(complex(0.0, math.nan), "complex64") == "0.+nanj"


def test_summaries_show_the_structure_without_the_outermost_brackets() -> None:
    assert shown(torch.tensor(2.5)) == "2.5"
    assert shown(torch.tensor([1.0, math.nan, math.inf])) == "1. nan inf"
    assert shown(torch.tensor([[1, 2], [3, 4]]).t()) == "[1 3] [2 4]"
    assert shown(torch.arange(8).reshape(2, 2, 2)) == "[[0 1] [2 3]] [[4 5] [6 7]]"
    assert shown(torch.zeros(0, 3)) == "[]"
    assert shown(torch.tensor([True, False])) == "True False"


def test_fewer_decimals_come_before_fewer_elements() -> None:
    real = torch.tensor([3.71828, 8.38906, 21.08554])

    assert shown(real, 22) == "3.7183 8.3891 21.0855"
    assert shown(real, 16) == "3.72 8.39 21.09"
    assert shown(real, 12) == "3.7 8.4 21.1"
    assert shown(real, 11) == "3.7183 …"


def test_one_number_is_seen_wherever_there_is_room_for_it() -> None:
    assert shown(torch.tensor([[-0.56789, 1.0, 2.0]]), 9) == "[-0.57 …"
    assert shown(torch.full((2, 2, 2), 0.1234), 9) == "[[0.12 …"
    assert shown(torch.tensor([-1.2345e-05, 1.0]), 10) == "-1.2e-05 …"
    assert shown(torch.full((1, 1, 9), -12345.678), 10) == "-12345.7 …"
    assert shown(torch.full((1, 1, 9), -12345.678), 9) == "…"


@given(width=st.integers(1, 40), size=st.integers(0, 30))
def test_a_summary_is_never_wider_than_it_may_be(width: int, size: int) -> None:
    real = torch.linspace(-1, 1e6, size).reshape(-1, 1)

    assert len(shown(real, width)) <= max(width, 2)


def test_what_cannot_be_read_says_why() -> None:
    tensor, snapshot = recorded(torch.zeros(3))
    resized = Snapshot(
        tensors={}, storages={1: Storage(id=1, nbytes=0, data=None)}, nodes={}, saved={}
    )
    short = Snapshot(
        tensors={}, storages={1: Storage(id=1, nbytes=4, data=b"\0" * 4)}, nodes={}, saved={}
    )

    assert flat(tensor, resized) == Unreadable("storage resized to 0 bytes")
    assert flat(tensor, short) == Unreadable("reaches beyond its storage")
    assert summary(tensor, resized, 12) == "⊘ storage r…"
    assert summary(tensor, snapshot, 12) == "0. 0. 0."
