"""Which of many tensors a learner sees: pinned, those of modules, one that is followed."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.tutorial.present import graph, lanes, table
from inplace_tui.tutorial.state.watch import (
    Following,
    Watch,
    module_tensors,
    nodes_holding,
    related_tensors,
)
from support.views import at, failed, failing, step, storage, tensor, timeline


def names(tensors: list[Tensor], hidden: frozenset[int]) -> set[str]:
    return {each.names[0] for each in tensors if each.id in hidden}


def test_what_only_modules_and_optimizers_reach_is_theirs() -> None:
    named = [
        ("net.lin.weight", True),
        ("net.lin.weight.grad", False),
        ("net.lin.running_mean", False),
        ("opt.state[net.lin.weight]['exp_avg']", False),
        ("x", False),
        ("rows[0]", False),
        ("batch.inputs", False),
    ]
    tensors = [
        tensor(number, name, is_parameter=is_parameter)
        for number, (name, is_parameter) in enumerate(named)
    ]
    own = tensor(20, "net.lin.bias", names=("w", "net.lin.bias"), is_parameter=True)

    assert names([*tensors, own], module_tensors([*tensors, own])) == {
        name for name, _ in named[:4]
    }


def test_pinned_names_come_first_in_the_order_in_which_they_were_pinned() -> None:
    view = replace(at(3), watched=Watch(pinned=("y", "x")))

    assert [each.names[0] for each in table.in_order(view)] == ["y", "x"]


def test_pinning_again_lets_go() -> None:
    y = tensor(2, "y")

    watch = Watch().with_pin(y)

    assert watch.pinned == ("y",)
    assert watch.with_pin(y).pinned == ()


def test_a_family_is_what_shares_the_storage_and_the_gradient() -> None:
    base = tensor(1, "x", grad=3)
    view = tensor(2, "v", storage=1, base=1, is_view=True)
    grad, other = tensor(3, "x.grad"), tensor(4, "z")
    made = timeline(step(0, 1, tensors=(base, view, grad, other)))

    assert related_tensors(made.at(0), 1) == {1, 2, 3}
    assert related_tensors(made.at(0), 4) == {4}


def test_the_nodes_that_hold_a_tensor_made_saved_or_fill_it() -> None:
    snapshot = failing().at(3)

    assert nodes_holding(snapshot, 2) == {2, 3}
    assert nodes_holding(snapshot, 1) == {1}


def test_a_followed_tensor_has_its_lane_alone_and_its_nodes_marked() -> None:
    view = replace(at(3), watched=Watch(followed=2))

    shown = [row.text for row in lanes.rows(view, 100, "en")]
    marked = [row.text.split()[0] for row in graph.rows(view, 100, "en") if "Backward0" in row.text]

    assert not any(row.startswith(" A ") for row in shown)
    assert any(" B " in row[:4] for row in shown)
    assert marked == ["◉", "◉"]


def test_following_tells_nothing_that_a_question_hides() -> None:
    view = failed()
    hidden = replace(view, mask=replace(view.mask, outcome=True), watched=Watch(followed=2))

    assert "◉" not in "\n".join(row.text for row in graph.rows(hidden, 100, "en"))


def test_a_tensor_that_is_not_there_is_said_not_to_be() -> None:
    made = timeline(step(0, 1, tensors=(tensor(1, "x"),), storages=(storage(1, 1.0),)))
    view = replace(at(0, made), watched=Watch(followed=9))

    [row] = table.rows(view, 80, "en")

    assert row.text == "The tensor that is followed is not there at this step."


def test_in_an_edited_program_the_tensor_of_that_name_is_followed() -> None:
    """There the number of before is another tensor."""
    following = Following()
    following.choose(tensor(2, "y"), "y = x.exp()")
    first = timeline(step(0, 1, tensors=(tensor(2, "new"),)))
    edited = timeline(*first.steps, step(1, 2, tensors=(tensor(5, "y"),)))

    before = following.over(Watch(), "new = x\ny = x.exp()", first.at(0))
    after = following.over(Watch(), "new = x\ny = x.exp()", edited.at(1))

    assert before.followed not in (None, 2, 5)
    assert table.left_out(replace(at(0, first), watched=before), "en") == "y, 1 hidden"
    assert after.followed == 5


def test_a_name_that_moves_on_in_the_same_program_takes_nobody_along() -> None:
    following = Following()
    following.choose(tensor(2, "y"), "y = y + 1")
    moved = timeline(step(0, 1, tensors=(tensor(2, "old"), tensor(5, "y"))))

    assert following.over(Watch(), "y = y + 1", moved.at(0)).followed == 2
