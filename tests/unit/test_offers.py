"""What is proposed where one types."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Tensor
from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name, TorchNames
from inplace_tui.tutorial.editor.completion import (
    TypedName,
    beginning,
    completions,
    names_in,
    typed_name,
)

VOCABULARY = TorchNames(
    members={
        "torch": (
            Name(name="ones", kind="function", gives=TENSOR),
            Name(name="nn", kind="module", gives="torch.nn"),
            Name(name="manual_seed", kind="function"),
        ),
        "torch.nn": (Name(name="Linear", kind="class", gives=MODULE),),
        TENSOR: (
            Name(name="add_", kind="function", gives=TENSOR),
            Name(name="exp", kind="function", gives=TENSOR),
            Name(name="tolist", kind="function"),
        ),
        MODULE: (Name(name="train", kind="function"),),
    }
)
NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)

    def forward(self, x: torch.Tensor):
        CURSOR

net = Net()
w = torch.ones(2)
"""


def proposed(line: str, source: str = NET, snapshot: Snapshot = EMPTY) -> list[str]:
    row = next(n for n, each in enumerate(source.split("\n")) if "CURSOR" in each)
    text = source.replace("CURSOR", line)
    names = names_in(text, row, VOCABULARY)
    what = typed_name(text.split("\n")[row])
    assert what is not None
    return [each.text for each in beginning(completions(names, what, snapshot), what.prefix)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torch.o", ["ones"]),
        ("torch.nn.", ["Linear"]),
        ("x.e", ["exp"]),
        ("x.exp().a", ["add_"]),
        ("(x + 1).a", ["add_"]),
        ("Net().t", ["train"]),
        ("Net()(x).a", ["add_"]),
        ("self.l", []),
        ("x[0].a", ["add_"]),
        ("f(x.exp", []),
        ("x.tolist().a", []),
        ("f(ne", ["Net", "net", "next"]),
    ],
)
def test_what_follows_is_found_where_the_line_is_no_program_yet(
    line: str, expected: list[str]
) -> None:
    assert proposed(line) == expected


def test_a_name_of_the_last_run_is_a_tensor_whatever_the_source_says() -> None:
    here = Tensor(id=1, names=("made", "made.grad"), shape=(2,), dtype="float32")
    snapshot = Snapshot(tensors={1: here}, storages={}, nodes={}, saved={})

    assert proposed("made.ad", "made = mystery()\nCURSOR", snapshot) == ["add_"]
    assert proposed("ma", "CURSOR", snapshot)[0] == "made"


@pytest.mark.parametrize("before", ["# x.ex", "'x.ex", '"""x.ex', "1x", "x ", "3.", ""])
def test_nothing_is_proposed_in_text_or_where_no_name_can_be(before: str) -> None:
    assert typed_name(before) is None or typed_name(before) == TypedName("", "3")
