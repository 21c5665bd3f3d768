"""In-place methods of Tensor, and all that writes one without being in torch's list."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch

from survey.by_text import calls
from survey.calls import Call
from survey.cases import Row, row
from survey.names import also_functions, short
from survey.samples import as_call, samples_of
from survey.torch_tests import operations

INPUTS = {
    "input": "torch.tensor([[1.0, -2.0], [3.0, 4.0]])",
    "other": "torch.tensor([[0.5, 1.5], [2.5, 0.25]])",
    "third": "torch.tensor([[0.1, 0.2], [0.3, 0.4]])",
    "probability": "torch.tensor([[0.25, 0.5], [0.75, 0.5]])",
    "mask": "torch.tensor([[True, False], [False, True]])",
    "index": "torch.tensor([1, 0])",
    "row": "torch.tensor([0.5, -1.5])",
    "ints": "torch.tensor([6, 3])",
    "shift": "torch.tensor([1, 2])",
    "sparse": "torch.eye(2).to_sparse()",
}
BY_HAND: dict[str, list[str]] = {
    "apply_": ["input.apply_(lambda value: value + 1)"],
    "map_": ["input.map_(other, lambda a, b: a + b)"],
    "map2_": ["input.map2_(other, third, lambda a, b, c: a + b + c)"],
    "bernoulli_": ["input.bernoulli_(0.5)", "input.bernoulli_(probability)"],
    "random_": ["input.random_(3, 9)"],
    "normal_": ["input.normal_()"],
    "copy_": ["input.copy_(other)", "input.copy_(row)"],
    "detach_": ["input.detach_()"],
    "fill_diagonal_": ["input.fill_diagonal_(7.0)"],
    "relu_": ["input.relu_()"],
    "requires_grad_": ["input.requires_grad_()"],
    "set_": ["input.set_(other)"],
    "resize_": ["input.resize_(2, 1)", "input.resize_(3, 2)"],
    "resize_as_": ["input.resize_as_(row)"],
    "share_memory_": ["input.share_memory_()"],
    "rename_": ["input.rename_(None)"],
    "_coalesced_": ["sparse._coalesced_(False)"],
    "sparse_resize_": ["sparse.sparse_resize_((3, 3), 2, 0)"],
    "sparse_resize_and_clear_": ["sparse.sparse_resize_and_clear_((2, 2), 2, 0)"],
    "resize_as_sparse_": ["sparse.resize_as_sparse_(torch.zeros(3, 3).to_sparse())"],
    "index_put_": ["input.index_put_((index,), row)"],
    "swapaxes_": ["input.swapaxes_(0, 1)"],
    "swapdims_": ["input.swapdims_(0, 1)"],
    "transpose_": ["input.transpose_(0, 1)"],
    "t_": ["input.t_()"],
    "squeeze_": ["input.squeeze_()"],
    "unsqueeze_": ["input.unsqueeze_(0)"],
    "as_strided_": ["input.as_strided_((2,), (1,))"],
}
OPERATORS: dict[str, list[str]] = {
    "__iadd__": ["input += other", "input += 1"],
    "__isub__": ["input -= other"],
    "__imul__": ["input *= other", "input *= 2"],
    "__itruediv__": ["input /= other"],
    "__idiv__": ["input = input.__idiv__(other)"],
    "__ifloordiv__": ["input //= other"],
    "__imod__": ["input %= other"],
    "__ipow__": ["input **= 2", "input **= other"],
    "__imatmul__": ["input @= other"],
    "__ilshift__": ["ints <<= shift"],
    "__irshift__": ["ints >>= shift"],
    "__iand__": ["ints &= shift"],
    "__ior__": ["ints |= shift"],
    "__ixor__": ["ints ^= shift"],
    "__setitem__": [
        "input[0] = 7.0",
        "input[0] = row",
        "input[:, 1] = row",
        "input[mask] = 7.0",
        "input[index] = other",
        "input[index, index] = row",
    ],
}
SIGNS = {
    "__iadd__": "+=", "__isub__": "-=", "__imul__": "*=", "__itruediv__": "/=", "__ifloordiv__": "//=",
    "__imod__": "%=", "__ipow__": "**=", "__imatmul__": "@=", "__ilshift__": "<<=", "__irshift__": ">>=",
    "__iand__": "&=", "__ior__": "|=", "__ixor__": "^=", "__setitem__": "[]=",
}  # fmt: skip
OF_OPERATOR = {
    "__iadd__": "add", "__isub__": "sub", "__imul__": "mul", "__itruediv__": "div", "__idiv__": "div",
    "__ifloordiv__": "floor_divide", "__imod__": "remainder", "__ipow__": "pow", "__imatmul__": "matmul",
    "__ilshift__": "bitwise_left_shift", "__irshift__": "bitwise_right_shift", "__iand__": "bitwise_and",
    "__ior__": "bitwise_or", "__ixor__": "bitwise_xor", "__setitem__": "setitem",
}  # fmt: skip


def in_place_names() -> list[str]:
    return [name for name in dir(torch.Tensor) if name.endswith("_") and not name.endswith("__")]


def writing_names() -> list[str]:
    """Every method and operator of Tensor that writes it."""
    return in_place_names() + [name for name in OPERATORS if hasattr(torch.Tensor, name)]


def tasks() -> dict[str, Callable[[], list[Row]]]:
    listed = _of_operations()
    found: dict[str, Callable[[], list[Row]]] = {}
    for name in in_place_names():
        if name in BY_HAND:
            found[f"Tensor.{name}"] = partial(_by_hand, name, BY_HAND[name])
        elif name not in listed:
            found[f"Tensor.{name}"] = partial(_like_its_function, name)
    for name, texts in OPERATORS.items():
        if hasattr(torch.Tensor, name):
            found[f"Tensor.{name}"] = partial(_operator, name, texts)
    return found


def _of_operations() -> list[str]:
    """The methods that the rows of torch's own list are about."""
    every = [form for each in operations() for form in (each, *each.aliases)]
    return [getattr(each.inplace_variant, "__name__", "") for each in every]


def _by_hand(name: str, texts: list[str]) -> list[Row]:
    return [row(f"Tensor.{name}", "in-place", short(name), also_functions(name), _written(texts))]


def _written(texts: list[str]) -> list[Call]:
    found = []
    for text in texts:
        receiver = next(name for name in ("input", "ints", "sparse") if text.startswith(name))
        found += calls([text], INPUTS, receiver=receiver)
    return found


def _operator(name: str, texts: list[str]) -> list[Row]:
    """Of `input += other` the result is what `input` names then."""
    aliases = [SIGNS[name]] if name in SIGNS else []
    found = []
    for text in texts:
        receiver = "ints" if text.startswith("ints") else "input"
        bound = text if name == "__setitem__" else f"{text}; out = {receiver}"
        (made,) = calls([bound], INPUTS, receiver=receiver)
        made.text = text
        found.append(made)
    return [row(f"Tensor.{name}", "in-place", OF_OPERATOR[name], aliases, found)]


def _like_its_function(name: str) -> list[Row]:
    method = getattr(torch.Tensor, name)
    found: list[Call] = []
    for operation in operations():
        if operation.name.split(".")[-1] == name.rstrip("_"):
            found += [
                as_call(method, name, each, method=True, receiver=True)
                for each in samples_of(operation)
            ]
    if not found:
        reason = "torch's tests have no sample, and none is written by hand"
        return [
            {"name": f"Tensor.{name}", "form": "in-place", "of": short(name), "untried": reason}
        ]
    return [row(f"Tensor.{name}", "in-place", short(name), [], found)]
