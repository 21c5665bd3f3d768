"""torch.nn.init."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch

from survey.by_text import call
from survey.cases import Row, row
from survey.names import short

SHAPES = ("torch.ones(3, 4)", "torch.ones(3, 4, 2)", "torch.ones(3)")
ARGUMENTS = {"constant_": ", 0.5", "sparse_": ", sparsity=0.5"}


def tasks() -> dict[str, Callable[[], list[Row]]]:
    names = [each for each in dir(torch.nn.init) if each.endswith("_") and not each.startswith("_")]
    return {f"nn.init.{name}": partial(_rows, name) for name in names}


def _rows(name: str) -> list[Row]:
    text = f"torch.nn.init.{name}(input{ARGUMENTS.get(name, '')})"
    found = [call(text, {"input": shape}, receiver="input") for shape in SHAPES]
    return [row(f"nn.init.{name}", "init", short(name), [], found)]
