"""What the survey says of torch.compile, against compiled programs written by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from survey.__main__ import DATA
from survey.datafile import read

pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # dynamo looks


@functools.cache
def modes(name: str, call: str) -> dict[str, object]:
    version = ".".join(torch.__version__.split(".")[:2])
    for row in read(DATA / f"torch-{version}.json")["rows"]:
        for case in row.get("cases", []) if row["name"] == name else []:
            if case.get("call") == call:
                return dict(case.get("modes", {}).get("compile", {}))
    raise LookupError(name, call)


def compiled(function: Callable[..., object]) -> Callable[..., object]:
    torch.compiler.reset()
    made: Callable[..., object] = torch.compile(function, backend="aot_eager", dynamic=False)
    return made


def test_only_what_differs_is_listed() -> None:
    version = ".".join(torch.__version__.split(".")[:2])
    listed = [
        (case, each)
        for row in read(DATA / f"torch-{version}.json")["rows"]
        for case in row.get("cases", [])
        if (each := case.get("modes", {}).get("compile"))
    ]

    assert listed
    for case, otherwise in listed:
        assert otherwise.keys() <= {"writes", "result", "keeps", "backward", "raises"}
        for key in otherwise.keys() & {"writes", "result", "backward"}:
            assert otherwise[key] != case.get(key, {})


@pytest.mark.whole
def test_a_write_counts_two_in_a_compiled_function() -> None:
    x = torch.rand(3)
    compiled(lambda x: x.exp_())(x)

    assert x._version == 2
    assert modes("Tensor.exp_", "input.exp_()")["writes"] == {"input": [2, True]}


@pytest.mark.whole
def test_what_exp_made_in_place_may_be_written_once_it_is_compiled() -> None:
    def gradient(*, writes: bool) -> list[float]:
        x = torch.rand(3, generator=torch.Generator().manual_seed(0)).requires_grad_()
        y = x * 1
        compiled(lambda y: y.exp_())(y)
        if writes:
            with torch.no_grad():
                y.zero_()
        y.sum().backward()
        assert x.grad is not None
        return list(x.grad.tolist())

    assert gradient(writes=True) == gradient(writes=False)
    assert modes("Tensor.exp_", "input.exp_()")["keeps"] == {}


@pytest.mark.whole
def test_dropout_of_nothing_is_new_memory_only_where_it_is_compiled() -> None:
    x = torch.rand(3)

    assert F.dropout(x, p=0.0, training=True) is x
    assert compiled(lambda x: F.dropout(x, p=0.0, training=True))(x) is not x
    assert modes("F.dropout", "F.dropout(input, p=0.0, training=True)") == {"result": ["new"]}


@pytest.mark.whole
def test_what_compiling_does_not_change_is_not_listed() -> None:
    x = torch.rand(3, requires_grad=True)
    y = compiled(lambda x: x.exp())(x)
    assert isinstance(y, torch.Tensor)
    with torch.no_grad():
        y.zero_()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    assert modes("torch.exp", "torch.exp(input)") == {}


@pytest.mark.whole
def test_backward_of_a_compiled_sin_in_place_finds_its_input_overwritten() -> None:
    y = torch.rand(3, requires_grad=True) * 1
    compiled(lambda y: y.sin_())(y)

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    assert modes("Tensor.sin_", "input.sin_()")["backward"] == "modified by an inplace operation"
