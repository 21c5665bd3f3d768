"""Functions that torch's own list leaves out, or has in another order of arguments."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch

from survey.by_text import calls
from survey.cases import Row, row
from survey.names import at, short

INPUTS = {
    "input": "torch.tensor([[1.0, -2.0], [3.0, 4.0]])",
    "other": "torch.tensor([[0.5, 1.5], [2.5, 0.25]])",
    "mask": "torch.tensor([[True, False], [False, True]])",
    "index": "torch.tensor([0, 1])",
    "signal": "torch.tensor([[[1.0, 2.0, -3.0, 4.0]]])",
    "image": "torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])",
    "columns": "torch.tensor([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]])",
    "theta": "torch.tensor([[[1.0, 0.5, 0.0], [0.0, 1.0, 0.25]]])",
    "sparse": "torch.tensor([[1.0, 0.0], [0.0, 4.0]]).to_sparse()",
}
FUNCTIONS: dict[str, list[str]] = {
    "torch.where": ["torch.where(mask, input, other)", "torch.where(mask, input, 0.0)"],
    "torch.einsum": ["torch.einsum('ij,jk->ik', input, other)", "torch.einsum('ij->i', input)"],
    "torch.chain_matmul": ["torch.chain_matmul(input, other)"],
    "torch.dropout": ["torch.dropout(input, 0.5, True)", "torch.dropout(input, 0.5, False)"],
    "torch.native_dropout": ["torch.native_dropout(input, 0.5, True)"],
    "torch.alpha_dropout": ["torch.alpha_dropout(input, 0.5, True)"],
    "torch.polygamma": ["torch.polygamma(1, input)"],
    "torch.max_pool1d": ["torch.max_pool1d(signal, 2)"],
    "torch.max_pool2d": ["torch.max_pool2d(image, 2)"],
    "torch.adaptive_max_pool1d": ["torch.adaptive_max_pool1d(signal, 2)"],
    "torch.kl_div": ["torch.kl_div(input, other)"],
    "torch.vander": ["torch.vander(index)"],
    "F.embedding": ["F.embedding(index, input)", "F.embedding(index, input, max_norm=0.5)"],
    "F.gumbel_softmax": ["F.gumbel_softmax(input)", "F.gumbel_softmax(input, hard=True)"],
    "F.dropout1d": ["F.dropout1d(signal)", "F.dropout1d(signal, training=False)"],
    "F.fold": ["F.fold(columns, (3, 2), (2, 2))"],
    "F.affine_grid": ["F.affine_grid(theta, [1, 1, 2, 2])"],
    "F.lp_pool1d": ["F.lp_pool1d(signal, 2, 2)"],
    "F.lp_pool2d": ["F.lp_pool2d(image, 2, 2)"],
    "F.upsample": ["F.upsample(image, scale_factor=2)"],
    "F.max_pool2d_with_indices": ["F.max_pool2d_with_indices(image, 2)"],
    "Tensor.type": ["input.type(torch.float64)", "input.type(torch.float32)"],
    "Tensor.type_as": ["input.type_as(other)"],
    "Tensor.to_dense": ["sparse.to_dense()", "input.to_dense()"],
    "Tensor.coalesce": ["sparse.coalesce()"],
    "Tensor.sparse_mask": ["input.sparse_mask(sparse)"],
    "Tensor.storage": ["input.storage()"],
}
IN_PLACE: dict[str, list[str]] = {
    "F.leaky_relu_": ["F.leaky_relu_(input)"],
    "F.elu_": ["F.elu_(input)"],
    "F.celu_": ["F.celu_(input)"],
    "F.selu_": ["F.selu_(input)"],
    "F.hardtanh_": ["F.hardtanh_(input)"],
    "F.threshold_": ["F.threshold_(input, 0.5, 0.0)"],
    "F.rrelu_": ["F.rrelu_(input)", "F.rrelu_(input, training=True)"],
    "torch.dropout_": ["torch.dropout_(input, 0.5, True)", "torch.dropout_(input, 0.5, False)"],
    "torch.alpha_dropout_": ["torch.alpha_dropout_(input, 0.5, True)"],
    "torch.feature_dropout_": ["torch.feature_dropout_(image, 0.5, True)"],
    "torch.embedding_renorm_": ["torch.embedding_renorm_(input, index, 0.5, 2.0)"],
}


def tasks() -> dict[str, Callable[[], list[Row]]]:
    found = {f"function {name}": partial(_rows, name, "function") for name in FUNCTIONS}
    found.update({f"function {name}": partial(_rows, name, "in-place") for name in IN_PLACE})
    return {task: rows for task, rows in found.items() if at(task[len("function ") :]) is not None}


def _rows(name: str, form: str) -> list[Row]:
    texts = (FUNCTIONS if form == "function" else IN_PLACE)[name]
    made = []
    for text in texts:
        written = "image" if "image" in text else "input"
        made += calls([text], INPUTS, receiver=written if form == "in-place" else None)
    last = name.rsplit(".", maxsplit=1)[-1]
    aliases = [f"torch.{last}"] if form == "in-place" and hasattr(torch, last) else []
    return [row(name, form, short(name), aliases, made)]
