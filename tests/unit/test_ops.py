"""The survey of ops: what is found by a name, and whether its programs do what it says."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import torch

import ops_page
from inplace_tui.common.cells import width
from inplace_tui.common.ops.in_code import called, uncounted
from inplace_tui.common.ops.programs import program, write_by
from inplace_tui.common.ops.survey import (
    RAISES,
    RESULT,
    Op,
    OpCase,
    Survey,
    full_name,
    installed_torch,
    op_of,
    survey_of,
    versions,
)
from inplace_tui.common.run.snapshot import Node, Saved, Tensor
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.op_card import card, cards, line_of, shown
from support.recording import in_child
from support.views import at, tensor

NEWEST = survey_of(installed_torch())
NOT_SHOWN = {
    ("F.pdist", "out"),  # of one point, which has no distances to write
    ("torch.unsafe_split", "input"),  # a shorter input, which has fewer parts than the loss names
}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_", (1,)), ("mul_", (2,)), ("copy_", (torch.zeros(2),)), ("exp_", ()),
        ("zero_", ()), ("fill_", (1,)), ("clamp_", (0,)), ("masked_fill_", (torch.ones(2) > 0, 1)),
        ("unsqueeze_", (0,)), ("div_", (2,)),
    ],
)  # fmt: skip
def test_what_is_said_to_write_in_place_moves_the_version(
    name: str, arguments: tuple[object, ...]
) -> None:
    tensor = torch.ones(2)
    getattr(tensor, name)(*arguments)
    found = NEWEST.named(f"Tensor.{name}")

    assert found is not None
    assert {case.written.get("input") for case in found.cases} == {tensor._version}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("sigmoid", "torch.sigmoid"),
        ("torch.sigmoid", "torch.sigmoid"),
        ("x.sigmoid_", "Tensor.sigmoid_"),
        ("a.b.sigmoid_()", "Tensor.sigmoid_"),
        ("torch.nn.functional.dropout", "F.dropout"),
        ("nn.Sigmoid", "nn.Sigmoid"),
        ("torch.nn.Sigmoid", "nn.Sigmoid"),
        ("x.exp", "torch.exp"),
        ("dist.all_reduce", "distributed.all_reduce"),
    ],
)
def test_an_op_is_found_by_what_people_write(typed: str, name: str) -> None:
    found = NEWEST.find(typed)

    assert found is not None
    assert found.name == name


def test_a_name_in_code_is_never_taken_for_a_similar_one() -> None:
    assert NEWEST.named("opt.step") is None
    assert NEWEST.named("self.sigmoid_layer") is None
    assert full_name("self.sigmoid") == "Tensor.sigmoid"


def test_a_version_without_a_survey_has_that_of_the_nearest_older_one() -> None:
    first, last = versions()[0], versions()[-1]

    assert survey_of("1.0").torch == ".".join(map(str, first))
    assert survey_of(f"{last[0]}.{last[1] + 5}.1+cpu").torch == ".".join(map(str, last))


def test_calls_on_a_line_are_named_the_outermost_first() -> None:
    line = "z[0] = F.relu(x.exp() * 2) @ net(y)"

    assert [*called(ast.parse(line).body[0])] == [
        "Tensor.__setitem__",
        "torch.matmul",
        "F.relu",
        "torch.mul",
        "x.exp",
        "net",
    ]


def test_operators_are_the_ops_that_python_calls() -> None:
    assert [*called(ast.parse("x /= y & z").body[0])] == [
        "Tensor.__itruediv__",
        "torch.bitwise_and",
    ]


def _recorded() -> list[tuple[Op, OpCase, str]]:
    """Return every write of which a program can be made, by the case that tells what it does."""
    found = []
    for op in NEWEST.ops:
        for case in op.cases:
            for name in dict.fromkeys([*case.inputs, RESULT]):
                if program(case, name) is not None:
                    found.append((op, case, name))
    return found


def _ends(text: str) -> str:
    """Run a program, and say how it ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, "<shown>", "exec"), {"__name__": "shown"})
        except Exception as error:  # noqa: BLE001 - it is told
            return "raises" if "modified by an inplace operation" in str(error) else repr(error)
    return "runs"


@pytest.mark.whole
def test_programs_do_in_torch_what_the_survey_says() -> None:
    """All of them; the survey's own code has no part in it."""
    told = in_child(lambda: [*_mistakes()])

    assert told == []


def _mistakes() -> Iterator[str]:
    for op, case, name in _recorded():
        text = program(case, name)
        code = case.kept.get(name)
        if text is None or code not in (None, *RAISES) or (op.name, name) in NOT_SHOWN:
            continue
        said, ended = "runs" if code is None else "raises", _ends(text)
        if ended != said:
            yield f"{op.name}, {name}: {said}, but it {ended}: {text}"


def test_a_write_of_another_op_stands_after_a_call() -> None:
    sigmoid, mul = NEWEST.find("sigmoid"), NEWEST.find("mul_")
    assert sigmoid is not None
    assert mul is not None
    write = write_by(mul.cases[0])
    assert write is not None

    text = program(sigmoid.cases[0], RESULT, write)

    assert text is not None
    assert in_child(lambda: _ends(text)) == "raises"


def test_a_card_says_what_is_kept_and_what_may_be_written() -> None:
    op = NEWEST.find("sigmoid")
    assert op is not None
    text = "\n".join(row.text for row in card(NEWEST, op, 100, "en"))

    assert "kept for backward   its result (SigmoidBackward0)" in text
    assert "`input`: fine · its result: backward raises" in text
    assert "Tensor.sigmoid_: counts 1 · keeps its result" in text
    assert [write for write, _, _ in shown(op)] == ["input.add_(1)", "out.add_(1)"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("room", [20, 60])
@pytest.mark.whole(every=4)
def test_every_card_fits(room: int, language: str) -> None:
    for op in NEWEST.ops:
        for row in card(NEWEST, op, room, language):
            assert width(row.text) <= max(room, 30), row.text


def test_a_line_is_told_by_its_calls_and_by_the_nodes_it_made() -> None:
    mul = Node(id=1, name="MulBackward0", line=1)
    made = tensor(1, "h", is_leaf=False, requires_grad=True, storage=7)
    view = _view("h = F.relu(net(x))\n", {1: mul}, made)
    line = line_of(NEWEST, view, 1)
    kept = {(1, "result"): Saved(node=1, slot="result", storage=7)}
    held = line_of(
        NEWEST, replace(view, snapshot=msgspec.structs.replace(view.snapshot, saved=kept)), 1
    )

    assert [op.name for op in line.ops] == ["F.relu", "torch.mul"]
    assert line.target == "h"
    first, held_first = (cards(NEWEST, each, 80, "en")[0].text for each in (line, held))
    assert first == "`h`, written in place on the next line: no node keeps it"
    assert held_first == "`h`, written in place on the next line: backward raises"


def test_a_leaf_is_not_said_to_be_writable() -> None:
    made = tensor(1, "x", is_leaf=True, requires_grad=True)
    line = line_of(NEWEST, _view("x = torch.ones(3, requires_grad=True)\n", {}, made), 1)
    not_there = line_of(NEWEST, _view("x = torch.ones(3)\n", {}), 1)

    assert "torch refuses" in cards(NEWEST, line, 80, "en")[0].text
    assert not not_there.target


def _view(source: str, nodes: dict[int, Node], *tensors: Tensor) -> View:
    view = at(0)
    snapshot = msgspec.structs.replace(
        view.snapshot, nodes=nodes, tensors={each.id: each for each in tensors}
    )
    return replace(view, source=source, snapshot=snapshot)


@pytest.mark.parametrize("version", versions())
def test_an_op_is_read_by_itself_as_with_all_others(version: tuple[int, ...]) -> None:
    torch = ".".join(map(str, version))
    whole = {name: op for op in survey_of(torch).ops for name in op.names}
    names = [op.name for op in NEWEST.ops[::9]]

    assert [op_of(torch, name) for name in names] == [whole.get(name) for name in names]


def test_explain_knows_which_call_is_not_counted() -> None:
    assert uncounted("y.apply_(abs)\n", 1, None) == "Tensor.apply_"
    assert uncounted("write = y.apply_\nwrite(abs)\n", 2, None) == "Tensor.apply_"
    assert uncounted("write = y.apply_\nwrite = y.add_\nwrite(1)\n", 3, None) is None
    assert uncounted("write = y.apply_\nwrite, n = f()\nwrite(1)\n", 3, None) is None
    partial = "import torch.distributed as d\nsum_up = partial(d.all_reduce, op=1)\nsum_up(y)\n"
    assert uncounted(partial, 3, None) == "distributed.all_reduce"
    fill = "from torch.nn.utils import vector_to_parameters as fill\nfill(v, w)\n"
    assert uncounted(fill, 2, None) == "nn.utils.vector_to_parameters"
    assert uncounted("optimizer.step()\n", 1, "Adam.step") == "optim.Adam.step(fused=True)"
    assert uncounted("y.add_(1)\n", 1, None) is None


def test_ops_are_selected_by_what_they_do() -> None:
    names = {op.name for op, _ in NEWEST.select({"counted": "0"})}
    kept = {op.name for op, _ in NEWEST.select({"keeps": RESULT, "form": "function"})}

    assert {"Tensor.apply_", "distributed.all_reduce"} <= names
    assert "Tensor.add_" not in names
    assert {"torch.exp", "torch.sigmoid"} <= kept
    assert "torch.mul" not in kept


def test_an_empty_survey_answers_nothing() -> None:
    assert Survey("2.13", []).find("sigmoid") is None


def test_the_page_of_all_ops_is_up_to_date() -> None:
    written = Path(ops_page.__file__).with_name("ops.md")

    assert written.read_text(encoding="utf-8") == ops_page.page()
