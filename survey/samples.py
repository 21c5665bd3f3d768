"""Samples of torch's tests as calls with named arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Callable

import torch

from survey.calls import Call, Sample
from survey.names import parameters
from survey.programs import constant
from survey.trees import Arguments, Tree, tensors_in

MOST_SAMPLES = 6
LOOKED_AT = 60
LARGEST = 700
"""Numbers in all tensors of a sample: larger ones cost time and show the same."""

Callee = Callable[..., Tree]


def dtype_of(operation: Any) -> torch.dtype:
    for each in (torch.float64, torch.float32, torch.int64, torch.bool):
        if each in operation.dtypes:
            return each
    return sorted(operation.dtypes, key=str)[0]


def samples_of(operation: Any) -> list[Sample]:
    """Few that differ: samples whose arguments look alike come last."""
    found = _drawn(operation, dtype_of(operation), LOOKED_AT)
    chosen = _diverse(found, MOST_SAMPLES)
    if torch.complex128 in operation.dtypes and dtype_of(operation) == torch.float64:
        chosen += _diverse(_drawn(operation, torch.complex128, LOOKED_AT // 3), 2)
    return chosen


def _drawn(operation: Any, dtype: torch.dtype, most: int) -> list[Sample]:
    torch.manual_seed(0)
    grad = bool(operation.supports_autograd) and dtype.is_floating_point
    drawn = operation.sample_inputs("cpu", dtype, requires_grad=grad)
    found: list[Sample] = []
    try:
        full = (sample for sample in itertools.islice(drawn, 10 * most) if _is_full(sample))
        found.extend(itertools.islice(full, most))
    except Exception:
        if not found:
            raise
    return found


def _diverse(samples: Iterable[Sample], most: int) -> list[Sample]:
    kinds = {}
    rest = []
    found = list(samples)
    small = [each for each in found if _numbers(each) <= LARGEST]
    for sample in small or sorted(found, key=_numbers)[:2]:
        kind = _kind(sample)
        if kind in kinds:
            rest.append(sample)
        else:
            kinds[kind] = sample
    return [*kinds.values(), *rest][:most]


def _is_full(sample: Sample) -> bool:
    """A tensor without elements shows nothing."""
    return all(each.numel() for each in tensors_in(_parts(sample)))


def _numbers(sample: Sample) -> int:
    return sum(each.numel() for each in tensors_in(_parts(sample)))


def _parts(sample: Sample) -> Tree:
    return (sample.input, sample.args, sample.kwargs)


def _kind(sample: Sample) -> str:
    return repr(
        [
            _shape(sample.input),
            [_shape(each) for each in sample.args],
            sorted(sample.kwargs.items(), key=str),
        ]
        if not tensors_in(sample.kwargs)
        else [_shape(sample.input), sorted(sample.kwargs)]
    )


def _shape(value: Tree) -> str:
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{value.dim() > 0}"
    return type(value).__name__ if tensors_in(value) else repr(value)[:40]


def as_call(
    function: Callee,
    path: str | None,
    sample: Sample,
    *,
    method: bool = False,
    receiver: bool = False,
) -> Call:
    """The sample as a call of this function, or method, with a name for each tensor argument."""
    positional = [sample.input, *sample.args]
    known = parameters(function, path, positional)
    names = [_name(known, i) for i in range(len(positional))]
    arguments: Arguments = {}
    parts: list[str | None] = []
    for name, value in zip(names, positional):
        parts.append(_part(arguments, name, value, ""))
    for name, value in sample.kwargs.items():
        parts.append(_part(arguments, name, value, f"{name}="))
    constants = dict(sample.kwargs)

    def run(given: Arguments) -> Tree:
        values = [given.get(name, value) for name, value in zip(names, positional)]
        return function(*values, **{key: given.get(key, value) for key, value in constants.items()})

    text = None if path is None else _call_text(path, parts, method=method)
    return Call(run, arguments, text, receiver=names[0] if receiver else None)


def _name(known: Sequence[str], position: int) -> str:
    if position == 0:
        return "input" if not known or known[0] in ("self", "x", "input") else known[0]
    if position < len(known) and known[position] not in ("out", "dtype", "requires_grad"):
        return known[position]
    return "other" if position == 1 else f"arg{position}"


def _part(arguments: Arguments, name: str, value: Any, prefix: str) -> str | None:
    if tensors_in(value):
        arguments[name] = value
        return prefix + name
    text = constant(value)
    return None if text is None else prefix + text


def _call_text(path: str, parts: list[str | None], *, method: bool) -> str | None:
    if any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if not method:
        return f"{path}({', '.join(known)})"
    return f"{known[0]}.{path.rsplit('.', maxsplit=1)[-1]}({', '.join(known[1:])})"
