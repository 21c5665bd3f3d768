"""Statistics of recorded elements, against torch; places, against torch's strides."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.elements import FORMATS
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.values import is_contiguous
from inplace_tui.tutorial.state.element_source import Plane, offset_of, statistics

FLOATS = ["float32", "float64", "bfloat16", "float16"]
EIGHTS = [
    "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu",
]  # fmt: skip
numbers = st.floats(allow_nan=True, allow_infinity=True, width=32)


def decoded(tensor: torch.Tensor) -> list[int | float | bool | complex]:
    """Decode the bytes of a tensor."""
    form = FORMATS[str(tensor.dtype).removeprefix("torch.")]
    data = bytes(tensor.reshape(-1).view(torch.uint8).tolist())
    return [form.decode(data, at) for at in range(0, len(data), form.size)]


@pytest.mark.parametrize("dtype", EIGHTS)
def test_every_byte_of_a_float8_is_what_torch_reads(dtype: str) -> None:
    tensor = torch.arange(256).to(torch.uint8).view(getattr(torch, dtype))

    assert [repr(each) for each in decoded(tensor)] == [
        repr(each) for each in tensor.double().tolist()
    ]


@pytest.mark.parametrize("dtype", FLOATS)
@given(values=st.lists(numbers, min_size=1, max_size=40))
def test_statistics_are_torchs_of_the_finite_elements(dtype: str, values: list[float]) -> None:
    tensor = torch.tensor(values, dtype=getattr(torch, dtype))
    finite = tensor[torch.isfinite(tensor)].double()

    told = statistics(decoded(tensor))

    assert told.nan == int(torch.isnan(tensor).sum())
    assert told.non_finite == int((~torch.isfinite(tensor)).sum())
    assert told.zeros == int((tensor == 0).sum())
    if not finite.numel():
        assert told.minimum is told.mean is None
        return
    assert (told.minimum, told.maximum) == (finite.min().item(), finite.max().item())
    size = finite.abs().max().item()
    assert told.mean == pytest.approx(finite.mean().item(), rel=1e-9, abs=size * 1e-9)
    if size < 1e150:  # torch's own norm leaves float64 beyond
        assert told.norm == pytest.approx(finite.norm().item(), rel=1e-9, abs=1e-150)
    if finite.numel() == 1:
        assert told.std is None
    elif size < 1e150:
        expected = finite.std().item()
        assert told.std == pytest.approx(expected, rel=1e-7, abs=max(size * 1e-9, 1e-150))


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=40))
def test_integers_keep_every_digit(values: list[int]) -> None:
    tensor = torch.tensor(values)

    told = statistics(decoded(tensor))

    assert (told.minimum, told.maximum) == (int(tensor.min()), int(tensor.max()))


def test_of_complex_numbers_the_absolute_values_are_told() -> None:
    tensor = torch.tensor([3 + 4j, 0j, complex(math.nan, 1)])

    told = statistics(decoded(tensor))

    assert (told.minimum, told.maximum, told.zeros, told.nan) == (0.0, 5.0, 1, 1)


def test_booleans_are_counted_and_a_tensor_of_none_has_nothing_to_tell() -> None:
    told, nothing = statistics([True, False, True]), statistics([])

    assert told.mean == pytest.approx(2 / 3)
    assert told.zeros == 1
    assert (nothing.count, nothing.mean) == (0, None)


@given(
    dims=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), max_size=3),
    offset=st.integers(0, 3),
)
def test_an_element_lies_where_torch_reads_it(dims: list[tuple[int, int]], offset: int) -> None:
    """A storage numbered 0, 1, 2… hands back its own places."""
    shape, stride = tuple(n for n, _ in dims), tuple(step for _, step in dims)
    view = torch.arange(64).as_strided(shape, stride, offset)
    tensor = Tensor(id=1, names=(), shape=shape, stride=stride, offset=offset, dtype="int64")
    plane = Plane(shape)

    found = [offset_of(tensor, plane.index(place)) for place in range(plane.count)]

    assert found == view.flatten().tolist()
    assert is_contiguous(tensor) == view.is_contiguous()


@given(st.lists(st.integers(1, 5), max_size=4).map(tuple), st.integers(1, 7), st.data())
def test_a_cell_of_a_page_and_its_place_lead_to_each_other(
    shape: tuple[int, ...], wrap: int, data: st.DataObject
) -> None:
    count = math.prod(shape)
    place = data.draw(st.integers(0, count - 1))
    lead, row, column = Plane(shape, wrap=wrap).cell(place)

    plane = Plane(shape, lead=lead, wrap=wrap)

    assert plane.at(row, column) == place
    assert lead < plane.planes
    assert (row < plane.rows, column < plane.columns) == (True, True)
