"""Which part of a line the carets stand under."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.step import Mutation
from inplace_tui.diagnosis.explain import report as source_ranges


def under(source: str, spot: source_ranges.SourceRange) -> str:
    return source.split("\n")[spot.line - 1][spot.start : spot.end]


def test_a_write_is_marked_where_its_expression_stands() -> None:
    source = "名 = y; y.add_(1); z = 2"
    start = len("名 = y; ".encode())
    write = Mutation(line=1, column=start, end_line=1, end_column=start + len("y.add_(1)"))

    assert under(source, source_ranges.write_range(source, write)) == "y.add_(1)"


def test_a_write_over_several_lines_is_marked_on_the_first() -> None:
    source = "y.add_(\n    1,\n)  # more"
    write = Mutation(line=1, column=0, end_line=3, end_column=1)

    assert under(source, source_ranges.write_range(source, write)) == "y.add_("


def test_a_write_that_could_not_be_placed_is_its_whole_line() -> None:
    source = "if x:\n\tpoke(y)  # raw memory"

    assert under(source, source_ranges.write_range(source, Mutation(line=2))) == "poke(y)"


@pytest.mark.parametrize(
    ("source", "node", "marked"),
    [
        ("y = x.exp() + 1", "ExpBackward0", "x.exp()"),
        ("y = torch.sigmoid(a) * b", "SigmoidBackward0", "torch.sigmoid(a)"),
        ("z = (a * b).sum()", "MulBackward0", "a * b"),
        ("z = a @ b", "MmBackward0", "a @ b"),
        ("z = a * b * c", "MulBackward0", "z = a * b * c"),
        ("out = net(x)  # forward", "AddmmBackward0", "out = net(x)"),
        ("y = x.log_softmax(0)", "LogSoftmaxBackward0", "x.log_softmax(0)"),
    ],
)
def test_what_saved_is_marked_if_it_can_be_singled_out(source: str, node: str, marked: str) -> None:
    assert under(source, source_ranges.save_range(source, 1, node)) == marked


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("loss = f(x); loss.backward()", "loss.backward()"),
        ("g, = torch.autograd.grad(y, x)", "torch.autograd.grad(y, x)"),
        ("train(net)", "train(net)"),
        ("pair(a.backward(), b.backward())", "pair(a.backward(), b.backward())"),
    ],
)
def test_the_backward_of_a_line_is_marked(source: str, marked: str) -> None:
    assert under(source, source_ranges.backward_range(source, 1)) == marked


def test_a_hash_in_a_string_begins_no_comment() -> None:
    source = 'print("#", y.add_(1))  # yes'

    assert under(source, source_ranges.line_range(source, 1)) == 'print("#", y.add_(1))'


@pytest.mark.parametrize("source", ["", "def f(:", "\n\n"])
def test_a_line_that_is_not_there_or_can_t_be_parsed_is_no_failure(source: str) -> None:
    assert source_ranges.save_range(source, 2, "ExpBackward0").line == 2
    assert source_ranges.backward_range(source, 9).line == 9
