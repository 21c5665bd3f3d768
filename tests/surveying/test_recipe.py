"""A program made of a case, as survey/README.md tells a reader to, shows what the case says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from support.whole import sample
from survey.__main__ import DATA
from survey.datafile import read

ASKED = ("function", "in-place", "module", "foreach")


@dataclass(frozen=True)
class Question:
    """A tensor that backward is said to keep, under one pattern of what requires grad."""

    row: dict[str, Any]
    case: dict[str, Any]
    pattern: str
    kept: str

    def program(self) -> str:
        wanted = self.case["grads"] if self.pattern == "all" else [self.pattern]
        lines = ["import torch", "import torch.nn.functional as F", *self.case.get("setup", [])]
        receiver = re.split(r"\W", self.case["call"])[0]
        for name, text in self.case["inputs"].items():
            lines += ["torch.manual_seed(0)", f"{name} = {text}"]
            if name in wanted:
                written = self.row["form"] == "in-place" and name == receiver
                written = written or f"same:{name}" in self.case["result"]
                lines.append(f"{name} = required({name}, {written})")
        call = self.case["call"]
        lines.append(call if _is_a_statement(call) else f"out = {call}")
        lines += ["with torch.no_grad():", f"    overwrite({self._path()})"]
        return "\n".join([*lines, f"({self.case['loss']}).backward()"])

    def _path(self) -> str:
        known = self.kept in self.case["inputs"] or self.kept.startswith("out")
        return self.kept if known else f"out.{self.kept}"


def _is_a_statement(call: str) -> bool:
    try:
        compile(call, "", "eval")
    except SyntaxError:
        return True
    return False


def required(value: Any, receiver: bool) -> Any:
    """What requires grad, and is no leaf if it is to be written."""
    if isinstance(value, (list, tuple)):
        return type(value)(required(each, receiver) for each in value)
    if not (value.is_floating_point() or value.is_complex()):
        return value
    value.requires_grad_()
    return value.clone() if receiver else value


def overwrite(value: Any) -> None:
    """A write that counts and leaves the values alone."""
    for each in value if isinstance(value, (list, tuple)) else [value]:
        each.copy_(each.clone())


def questions() -> list[Question]:
    return [
        Question(row, case, pattern, kept)
        for row in read(DATA / "torch-2.13.json")["rows"]
        if row["form"] in ASKED
        for case in row.get("cases", [])
        if "inputs" in case
        for pattern, codes in case.get("keeps", {}).items()
        for kept, code in codes.items()
        if code.startswith("raises") and _can_be_written(case, pattern, kept)
    ]


def _can_be_written(case: dict[str, Any], pattern: str, kept: str) -> bool:
    """A layer's own weights are made by its setup: no program names them."""
    made = set(case.get("grads", [])) - set(case["inputs"]) | ({kept, pattern} - {"all"})
    layers = "layer" in case
    return not (layers and made - set(case["inputs"]) - {"out", "out[0]", "out[1]"})


@pytest.mark.filterwarnings("ignore")  # of operations that are deprecated or in beta
def test_a_program_made_of_a_case_raises_for_what_it_keeps() -> None:
    asked = sample(questions(), every=80)
    said = {}
    for each in asked:
        names = {"required": required, "overwrite": overwrite}
        try:
            exec(each.program(), names)
        except RuntimeError as error:
            if "modified by an inplace operation" in str(error):
                continue
            said[each.program()] = str(error)
        else:
            said[each.program()] = "nothing was raised"

    assert len(asked) > 15
    assert said == {}


def test_torch_is_the_one_that_the_data_is_about() -> None:
    version = read(DATA / "torch-2.13.json")["header"]["torch"]

    assert torch.__version__.split("+")[0] == version
