"""Which of many tensors a learner sees: pinned, those of modules."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.tutorial.present import table
from inplace_tui.tutorial.state.watch import Watch, module_tensors
from support.views import at, tensor


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
