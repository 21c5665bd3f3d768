"""Every layer and loss of torch.nn that torch's own list has, in train and in eval."""

from __future__ import annotations

import copy
import inspect
from functools import partial
from typing import Any, Callable

import torch
from torch.overrides import TorchFunctionMode

from survey.calls import Call, size
from survey.cases import Row, row
from survey.experiment import forward
from survey.names import short
from survey.programs import constant
from survey.subjects.layers_by_hand import listed
from survey.torch_tests import layers
from survey.trees import Arguments, Tree, tensors_in, with_tensors

MOST = 3
LARGEST = 3000


def tasks() -> dict[str, Callable[[], list[Row]]]:
    every = layers() + listed({each.module_cls.__name__ for each in layers()})
    return {f"module_db {each.name}": partial(_rows, each) for each in every}


def _rows(listed: Any) -> list[Row]:
    name = f"nn.{listed.module_cls.__name__}"
    rows = _rows_in(listed, name, torch.float32)
    if "untried" in rows[0]:  # some of torch's samples have a part that is always float64
        rows = _rows_in(listed, name, torch.float64)
    in_place = _in_place(listed)
    if in_place:
        rows.append(row(f"{name}(inplace=True)", "in-place", rows[0]["of"], [], in_place))
    return rows


def _rows_in(listed: Any, name: str, dtype: torch.dtype) -> list[Row]:
    found: list[Call] = []
    for training in (True, False):
        torch.manual_seed(0)
        samples = listed.module_inputs_func(
            listed, "cpu", dtype, requires_grad=False, training=training
        )
        made = [_call(listed.module_cls, each, training=training) for each in samples]
        found += [each for each in made if size(each) <= LARGEST][:MOST]
    of = _function_called(found) or name.lower()[3:]
    return [row(name, "module", of, _aliases(name), found)]


def _aliases(name: str) -> list[str]:
    return [f"torch.{name}"]


def _in_place(listed: Any) -> list[Call]:
    if "inplace" not in inspect.signature(listed.module_cls.__init__).parameters:
        return []
    torch.manual_seed(0)
    samples = listed.module_inputs_func(
        listed, "cpu", torch.float32, requires_grad=False, training=True
    )
    found = []
    for sample in samples:
        if not sample.constructor_input.kwargs.get("inplace"):
            sample.constructor_input.kwargs["inplace"] = True
            found.append(_call(listed.module_cls, sample, training=True, receiver=True))
    return found[:MOST]


def _call(kind: Any, sample: Any, *, training: bool, receiver: bool = False) -> Call:
    made, given = sample.constructor_input, sample.forward_input
    torch.manual_seed(0)
    template = kind(*made.args, **made.kwargs).train(training)
    if isinstance(template, torch.nn.modules.lazy.LazyModuleMixin):
        template(*given.args, **given.kwargs)
    held = dict([*template.named_parameters(), *template.named_buffers()])
    own = _grouped(held)
    arguments, parts, values = _forward_arguments(kind, given)
    names = list(arguments)

    def run(tensors: Arguments) -> Tree:
        layer = copy.deepcopy(template)
        for name, members in own.items():
            for (long_name, _), tensor in zip(members, tensors_in(tensors[name])):
                _put(layer, long_name, tensor)
        args = [tensors.get(key, value) for key, value in values[0]]
        kwargs = {key: tensors.get(key, value) for key, value in values[1]}
        return layer(*args, **kwargs)

    setup, text = _texts(kind, made, parts, training=training)
    return Call(
        run,
        {**arguments, **{name: _values(members) for name, members in own.items()}},
        text,
        setup,
        receiver=names[0] if receiver and names else None,
        from_setup=list(own),
        mode="train" if training else "eval",
    )


Named = list[tuple[str, Any]]
MOST_APART = 6
"""A layer made of layers has many weights: they are asked as one then."""


def _grouped(held: dict[str, torch.Tensor]) -> dict[str, Named]:
    if len(held) <= MOST_APART:
        return {name.replace(".", "_"): [(name, tensor)] for name, tensor in held.items()}
    return {"parameters": list(held.items())}


def _values(members: Named) -> Tree:
    tensors = [tensor.detach() for _, tensor in members]
    return tensors[0] if len(tensors) == 1 else tensors


def _forward_arguments(
    kind: Any, given: Any
) -> tuple[Arguments, list[str | None], tuple[Named, Named]]:
    known = [each for each in inspect.signature(kind.forward).parameters if each != "self"]
    positional = [
        (known[i] if i < len(known) else f"arg{i}", value) for i, value in enumerate(given.args)
    ]
    named = list(given.kwargs.items())
    arguments, parts = {}, []
    for key, value in [*positional, *named]:
        prefix = f"{key}=" if (key, value) in named else ""
        if tensors_in(value):
            arguments[key] = with_tensors(value, lambda each: each.detach())
            parts.append(prefix + key)
        else:
            text = constant(value)
            parts.append(None if text is None else prefix + text)
    return arguments, parts, (positional, named)


def _put(layer: Any, long_name: str, tensor: torch.Tensor) -> None:
    *path, last = long_name.split(".")
    for part in path:
        layer = getattr(layer, part)
    (layer._parameters if last in layer._parameters else layer._buffers)[last] = tensor
    if hasattr(layer, "_flat_weights_names"):
        layer._flat_weights = [getattr(layer, name) for name in layer._flat_weights_names]


def _texts(
    kind: Any, made: Any, parts: list[str | None], *, training: bool
) -> tuple[list[str], str | None]:
    values: list[str | None] = [constant(each) for each in made.args]
    for key, value in made.kwargs.items():
        text = constant(value)
        values.append(None if text is None else f"{key}={text}")
    if None in values or None in parts:
        return [], None
    inside = ", ".join(each for each in values if each is not None)
    setup = [f"layer = torch.nn.{kind.__name__}({inside})"]
    if not training:
        setup.append("layer.eval()")
    return setup, f"layer({', '.join(each for each in parts if each is not None)})"


class _Called(TorchFunctionMode):  # type: ignore[misc]
    """Notes which functions of torch a layer calls."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.names.append(getattr(function, "__name__", ""))
        return function(*args, **(kwargs or {}))


def _function_called(calls: list[Call]) -> str | None:
    """`conv2d` for nn.Conv2d: what the layer hands its work to."""
    for each in calls:
        try:
            with _Called() as called:
                forward(each, [])
        except Exception:
            continue
        for name in called.names:
            if hasattr(torch.nn.functional, name) and not name.startswith("_"):
                return short(name)
    return None
