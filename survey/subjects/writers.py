"""What else writes a tensor, or hands out its memory: attributes, storages, helpers of nn."""

from __future__ import annotations

from functools import partial
from typing import Callable

from survey.by_text import call
from survey.cases import Row, row

MATRIX = "torch.tensor([[1.0, 2.0], [3.0, 4.0]])"
OTHER = "torch.tensor([[0.5, 1.5], [2.5, 0.25]])"
GRAD = "torch.tensor([[3.0, 4.0], [0.0, 12.0]])"

# name, form, of, text, arguments besides input
Entry = tuple[str, str, str, str, dict[str, str]]
ENTRIES: list[Entry] = [
    ("Tensor.data", "attribute", "data", "input.data", {}),
    ("Tensor.data.add_", "write", "data", "input.data.add_(1)", {}),
    ("Tensor.data =", "write", "data", "input.data = other", {"other": OTHER}),
    ("Tensor.detach().add_", "write", "detach", "input.detach().add_(1)", {}),
    ("Tensor.grad =", "write", "grad", "input.grad = other", {"other": OTHER}),
    ("Tensor.untyped_storage().fill_", "write", "untyped_storage", "input.untyped_storage().fill_(0)", {}),
    ("Tensor.untyped_storage()[i] =", "write", "untyped_storage", "input.untyped_storage()[3] = 1", {}),
    ("Tensor.untyped_storage().copy_", "write", "untyped_storage",
     "input.untyped_storage().copy_(other.untyped_storage())", {"other": OTHER}),
    ("Tensor.storage().fill_", "write", "storage", "input.storage().fill_(0.0)", {}),
    ("Tensor.__getitem__ (slice)", "function", "getitem", "input[0]", {}),
    ("torch.utils.swap_tensors", "write", "swap_tensors", "torch.utils.swap_tensors(input, other)", {"other": OTHER}),
    ("nn.utils.clip_grad_norm_", "write", "clip_grad_norm",
     "input.grad = grad; torch.nn.utils.clip_grad_norm_([input], 1.0)", {"grad": GRAD}),
    ("nn.utils.clip_grad_norm_ (foreach)", "write", "clip_grad_norm",
     "input.grad = grad; torch.nn.utils.clip_grad_norm_([input], 1.0, foreach=True)", {"grad": GRAD}),
    ("nn.utils.clip_grad_value_", "write", "clip_grad_value",
     "input.grad = grad; torch.nn.utils.clip_grad_value_([input], 1.0)", {"grad": GRAD}),
    ("nn.utils.clip_grads_with_norm_", "write", "clip_grad_norm",
     "input.grad = grad; torch.nn.utils.clip_grads_with_norm_([input], 1.0, torch.tensor(13.0))", {"grad": GRAD}),
    ("nn.utils.parameters_to_vector", "function", "parameters_to_vector",
     "torch.nn.utils.parameters_to_vector([input, other])", {"other": OTHER}),
    ("nn.utils.vector_to_parameters", "write", "vector_to_parameters",
     "torch.nn.utils.vector_to_parameters(vector, [input])", {"vector": "torch.tensor([5.0, 6.0, 7.0, 8.0])"}),
    ("torch._assert_async", "function", "_assert_async", "torch._assert_async(input.sum())", {}),
    ("torch.utils.checkpoint", "function", "checkpoint",
     "from torch.utils.checkpoint import checkpoint; out = checkpoint(torch.exp, input, use_reentrant=False)", {}),
    ("torch.func.functional_call", "function", "functional_call",
     "out = torch.func.functional_call(torch.nn.Softmax(-1), {}, (input,))", {}),
]  # fmt: skip


def tasks() -> dict[str, Callable[[], list[Row]]]:
    return {f"writer {entry[0]}": partial(_rows, entry) for entry in ENTRIES}


def _rows(entry: Entry) -> list[Row]:
    name, form, of, text, more = entry
    made = call(text, {"input": MATRIX, **more}, frozen=form == "write")
    return [row(name, form, of, [], [made])]
