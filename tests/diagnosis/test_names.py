from __future__ import annotations

import logging
from collections import deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from inplace_tui.diagnosis.record.naming.names import MAX_ITEMS, named_tensors
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.readings import use
from inplace_tui.diagnosis.record.torch_memory import measure


def frame(function: str = "<module>", /, **variables: object) -> Any:
    """Return a frame as far as names are concerned."""
    code = SimpleNamespace(co_name=function)
    return SimpleNamespace(f_locals=variables, f_globals=variables, f_code=code)


def names_of(tensor: torch.Tensor, **variables: object) -> list[str]:
    return [name for name, found in named_tensors([frame(**variables)]) if found is tensor]


@dataclass
class Pair:
    """Two of anything."""

    first: object
    second: object = None


class Slotted:
    """Has no `__dict__`."""

    __slots__ = ("_hidden", "kept", "unset")

    def __init__(self, kept: object) -> None:
        self.kept = kept


class Refusing:
    """Fails as soon as any code of it runs."""

    def __init__(self, kept: object) -> None:
        self.__dict__["kept"] = kept

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)

    @property
    def computed(self) -> object:
        """Never to be asked."""
        raise AssertionError("computed")

    def __iter__(self) -> object:
        raise AssertionError("iter")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("eq")

    __hash__ = None  # type: ignore[assignment]


Point = namedtuple("Point", "left right")
T = torch.ones(2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (T, "v"),
        ([T], "v[0]"),
        ((1, T), "v[1]"),
        ({"a": {3: T}}, "v['a'][3]"),
        (deque([T]), "v[0]"),
        (Pair(Pair(T)), "v.first.first"),
        (Slotted(T), "v.kept"),
        (Point(1, T), "v.right"),
        (nn.ParameterList([nn.Parameter(torch.ones(1))]), None),
    ],
)
def test_a_tensor_is_named_by_the_expression_that_reaches_it(
    value: object, expected: str | None
) -> None:
    found = dict(named_tensors([frame(v=value)]))

    assert list(found) == [expected or "v[0]"]
    for name, tensor in found.items():
        assert eval(name, {"v": value}) is tensor


def test_parameters_and_buffers_are_named_as_programs_write_them() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    net.tail = nn.ModuleDict({"a": nn.Linear(2, 1, bias=False)})

    found = dict(named_tensors([frame(net=net)]))

    assert list(found) == [
        "net[0].weight",
        "net[0].bias",
        "net[1].weight",
        "net[1].bias",
        "net[1].running_mean",
        "net[1].running_var",
        "net[1].num_batches_tracked",
        "net.tail['a'].weight",
    ]
    assert all(eval(name, {"net": net}) is tensor for name, tensor in found.items())


def test_optimizer_state_is_named_by_its_parameter() -> None:
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.ones(2)
    hidden = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w, hidden], 0.1, momentum=0.9)
    opt.step()

    found = dict(named_tensors([frame(w=w, opt=opt)]))

    assert list(found) == [
        "w",
        "w.grad",
        "opt.param_groups[0]['params'][1]",
        "opt.state[w]['momentum_buffer']",
    ]
    assert all(eval(n, {"w": w, "opt": opt}) is tensor for n, tensor in found.items())


def test_no_code_of_an_object_runs() -> None:
    assert names_of(T, v=Refusing([T])) == ["v.kept[0]"]


def test_the_shorter_way_comes_first() -> None:
    net = nn.Linear(2, 2)

    assert names_of(net.weight, wrapped=[net], direct=net.weight) == ["direct", "wrapped[0].weight"]


def test_a_container_that_holds_itself_is_read_once() -> None:
    loop: list[object] = [T]
    loop.append(loop)

    assert names_of(T, loop=loop) == ["loop[0]"]


def test_a_long_list_is_read_to_a_limit() -> None:
    many = [torch.ones(1) for _ in range(MAX_ITEMS + 50)]

    assert len(list(named_tensors([frame(many=many)]))) == MAX_ITEMS


def test_pythons_own_objects_are_not_searched() -> None:
    logger = logging.getLogger("found")
    logger.kept = T  # type: ignore[attr-defined]

    assert names_of(T, logger=logger) == []


def test_locals_of_callers_are_named_with_their_function() -> None:
    def outer(x: torch.Tensor) -> dict[str, torch.Tensor]:
        y = x + 1
        return inner(y)

    def inner(x: torch.Tensor) -> dict[str, torch.Tensor]:
        frames = OwnFiles("", __file__).frames()[:2]
        return dict(named_tensors(frames))

    found = outer(T)

    assert {"x", "outer:x", "outer:y"} <= set(found)
    assert found["x"] is found["outer:y"] is not found["outer:x"]
    assert found["outer:x"] is T


def test_a_global_that_a_local_hides_is_named_with_the_module() -> None:
    module = frame(x=T, z=T)
    inner = frame("f", x=torch.ones(1))
    inner.f_globals = module.f_globals

    found = list(named_tensors([inner, module]))

    assert [name for name, tensor in found if tensor is T] == ["<module>:x", "z"]


def test_reading_a_grad_never_warns(recwarn: pytest.WarningsRecorder) -> None:
    leaf = torch.ones(2, requires_grad=True)
    inner = leaf * 1
    view = inner[:1]
    inner.add_(1)
    use(measure())
    before = torch._C._autograd._get_sequence_nr()

    list(named_tensors([frame(leaf=leaf, inner=inner, view=view)]))

    assert list(recwarn) == []
    assert torch._C._autograd._get_sequence_nr() == before
