"""Forty rows of the survey, drawn with a seed before their answers were read, as programs.

Each is written by hand: how to make the tensors, by the names that the row has for them, and the
call. What it keeps, counts and shares is then observed here, by code that is not the survey's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Program:
    """`grad` names what requires grad; the first pattern of the row that is asked about."""

    row: str
    setup: str
    call: str
    grad: str = ""


PROGRAMS = [
    Program(
        "torch.igammac",
        "input = t(0.5, 1.5); other = leaf(0.7, 2.0)",
        "out = torch.igammac(input, other)",
        "other",
    ),
    Program("torch.amin", "input = leaf(3.0, 1.0, 2.0)", "out = torch.amin(input)", "input"),
    Program(
        "torch._foreach_acos_",
        "tensors = [leaf(0.1, 0.2) * 1, leaf(0.3) * 1]",
        "out = torch._foreach_acos_(tensors)",
        "tensors",
    ),
    Program(
        "torch.signal.windows.general_hamming", "", "out = torch.signal.windows.general_hamming(4)"
    ),
    Program(
        "torch.asin(out=)", "input = t(0.1, 0.2); out = t(0.0, 0.0)", "torch.asin(input, out=out)"
    ),
    Program("Tensor.H", "input = leaf([1.0, 2.0], [3.0, 4.0])", "out = input.H", "input"),
    Program(
        "torch._foreach_norm",
        "tensors = [leaf(3.0, 4.0), leaf(5.0, 12.0)]",
        "out = torch._foreach_norm(tensors)",
        "tensors",
    ),
    Program("F.softshrink", "input = leaf(-2.0, 0.1, 3.0)", "out = F.softshrink(input)", "input"),
    Program("Tensor.cosh_", "input = leaf(0.5, 1.5) * 1", "out = input.cosh_()", "input"),
    Program("nn.init.eye_", "input = t([5.0, 5.0], [5.0, 5.0])", "out = torch.nn.init.eye_(input)"),
    Program(
        "F.fractional_max_pool2d",
        "input = leaf(torch.arange(25.0).reshape(1, 5, 5).tolist())",
        "out = F.fractional_max_pool2d(input, 3, output_size=2)",
        "input",
    ),
    Program(
        "torch.masked.sum",
        "input = leaf(1.0, 2.0); mask = t(1, 0).bool()",
        "out = torch.masked.sum(input, mask=mask)",
        "input",
    ),
    Program(
        "Tensor.masked_scatter_",
        "input = leaf(1.0, 2.0) * 1; mask = t(1, 0).bool(); source = leaf(7.0, 8.0)",
        "out = input.masked_scatter_(mask, source)",
        "all",
    ),
    Program(
        "optim.LBFGS.zero_grad",
        "w = leaf(1.0, 2.0); w.grad = grad = t(3.0, 4.0); o = torch.optim.LBFGS([w])",
        "o.zero_grad(set_to_none=False)",
    ),
    Program(
        "Tensor.renorm_",
        "input = leaf([3.0, 4.0], [6.0, 8.0]) * 1",
        "out = input.renorm_(2, 0, 1.0)",
        "input",
    ),
    Program("torch.frac", "input = leaf(1.5, 2.25)", "out = torch.frac(input)", "input"),
    Program(
        "torch.qr(out=)",
        "input = t([1.0, 2.0], [3.0, 4.0]); out = (torch.zeros(2, 2), torch.zeros(2, 2))",
        "torch.qr(input, out=out)",
    ),
    Program("torch.asin", "input = leaf(0.1, 0.2)", "out = torch.asin(input)", "input"),
    Program(
        "torch.round(out=)", "input = t(1.4, 2.6); out = t(0.0, 0.0)", "torch.round(input, out=out)"
    ),
    Program(
        "Tensor.logical_xor_",
        "input = t(1.0, 2.0); other = t(0.0, 2.0)",
        "out = input.logical_xor_(other)",
    ),
    Program(
        "Tensor.ne_",
        "input = leaf(5.0, 2.0) * 1; other = leaf(0.0, 2.0)",
        "out = input.ne_(other)",
        "all",
    ),
    Program("torch.log10", "input = leaf(1.0, 2.0)", "out = torch.log10(input)", "input"),
    Program(
        "torch.linalg.inv_ex",
        "A = leaf([2.0, 1.0], [1.0, 3.0])",
        "inverse, info = torch.linalg.inv_ex(A)",
        "A",
    ),
    Program(
        "torch.special.log_ndtr",
        "input = leaf(0.5, 1.5)",
        "out = torch.special.log_ndtr(input)",
        "input",
    ),
    Program(
        "torch.expand_copy(out=)",
        "input = t(1.0, 2.0); out = t([0.0, 0.0], [0.0, 0.0])",
        "torch.expand_copy(input, (2, 2), out=out)",
    ),
    Program(
        "torch._foreach_log1p_",
        "tensors = [leaf(0.1, 0.2) * 1, leaf(0.3) * 1]",
        "out = torch._foreach_log1p_(tensors)",
        "tensors",
    ),
    Program(
        "F.conv_transpose2d",
        "input = leaf([[[1.0, 2.0], [3.0, 4.0]]]); "
        "weight = leaf([[[2.0, -1.0], [1.0, 5.0]]]); bias = leaf(0.5)",
        "out = F.conv_transpose2d(input, weight, bias)",
        "all",
    ),
    Program(
        "torch.broadcast_to",
        "input = leaf(1.0, 2.0)",
        "out = torch.broadcast_to(input, (3, 2))",
        "input",
    ),
    Program(
        "torch.ormqr",
        "input, input2 = map(torch.Tensor.requires_grad_, torch.geqrf(t([1.0, 2.0], [3.0, 5.0])));"
        "input3 = leaf([1.0, 0.5], [2.0, 1.0])",
        "out = torch.ormqr(input, input2, input3)",
        "all",
    ),
    Program(
        "Tensor.nextafter_",
        "input = leaf(1.0, 2.0) * 1; other = leaf(3.0, 1.0)",
        "out = input.nextafter_(other)",
        "all",
    ),
    Program(
        "Tensor.unsqueeze_", "input = leaf(1.0, 2.0) * 1", "out = input.unsqueeze_(0)", "input"
    ),
    Program(
        "torch.diagonal_scatter",
        "input = leaf([1.0, 2.0], [3.0, 4.0]); src = leaf(7.0, 8.0)",
        "out = torch.diagonal_scatter(input, src)",
        "all",
    ),
    Program(
        "F.pairwise_distance",
        "x1 = leaf([1.0, 2.0]); x2 = leaf([0.5, 5.0])",
        "out = F.pairwise_distance(x1, x2)",
        "all",
    ),
    Program(
        "torch.gt(out=)",
        "input = t(1.0, 2.0); other = t(3.0, 1.0); out = t(0, 0).bool()",
        "torch.gt(input, other, out=out)",
    ),
    Program(
        "F.cross_entropy",
        "input = leaf([1.0, 2.0, 0.5]); target = t(1)",
        "out = F.cross_entropy(input, target)",
        "input",
    ),
    Program("Tensor.neg_", "input = leaf(1.0, 2.0) * 1", "out = input.neg_()", "input"),
    Program(
        "F.upsample_bilinear",
        "input = leaf([[[1.0, 2.0], [3.0, 4.0]]])",
        "out = F.upsample_bilinear(input, size=(3, 3))",
        "input",
    ),
    Program(
        "nn.SELU(inplace=True)",
        "input = leaf(-1.0, 2.0) * 1; layer = torch.nn.SELU(inplace=True)",
        "out = layer(input)",
        "input",
    ),
    Program(
        "torch.fft.ifft2",
        "input = leaf([1.0, 2.0], [3.0, 4.0])",
        "out = torch.fft.ifft2(input)",
        "input",
    ),
    Program(
        "torch.view_as_complex",
        "input = leaf([1.0, 2.0], [3.0, 4.0])",
        "out = torch.view_as_complex(input)",
        "input",
    ),
]


def t(*values: Any) -> torch.Tensor:
    return torch.tensor(values)


def leaf(*values: Any) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


@dataclass
class Seen:
    """What the program showed."""

    kept: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    shares: bool = False
    node: str | None = None
    names: set[str] = field(default_factory=set)


def tensors_of(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return list(value) if isinstance(value, (list, tuple)) else []


def run(program: Program) -> tuple[dict[str, Any], dict[str, int]]:
    """All names after the call, and the versions before it."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "t": t, "leaf": leaf}
    torch.manual_seed(0)
    exec(program.setup, names)
    before = {name: tensors_of(value)[0]._version for name, value in _shown(names).items()}
    exec(program.call, names)
    return _shown(names), before


def _shown(names: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if tensors_of(value)}


def backward(names: dict[str, Any]) -> None:
    ends = [each for value in names.values() for each in tensors_of(value) if each.grad_fn]
    torch.autograd.backward(ends, [torch.ones_like(each) for each in ends])


def observe(program: Program) -> Seen:
    names, before = run(program)
    seen = Seen(names=set(before))
    seen.counts = {
        name: tensors_of(names[name])[0]._version - version
        for name, version in before.items()
        if tensors_of(names[name])[0]._version != version
    }
    result = tensors_of(names.get("out", names.get("inverse")))
    if result:
        storages = {tensors_of(names[name])[0].untyped_storage().data_ptr() for name in before}
        seen.shares = result[0].untyped_storage().data_ptr() in storages
        seen.node = result[0].grad_fn.name() if result[0].grad_fn else None
    if program.grad:
        seen.kept = {name for name in names if _is_kept(program, name)}
    return seen


def _is_kept(program: Program, name: str) -> bool:
    names, _ = run(program)
    with torch.no_grad():
        for each in tensors_of(names[name]):
            whole = each._base if each._base is not None and 0 in each.stride() else each
            whole.copy_(whole.clone())  # it counts, and leaves the values alone
    try:
        backward(names)
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return True
        raise
    return False
