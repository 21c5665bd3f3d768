"""What a key does is found by its name: a class that binds it has a method `action_…`."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from inplace_tui.tutorial import ui
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.keys import ACTIONS


def classes() -> list[type[DOMNode]]:
    """Return what of ours binds keys."""
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    found, waiting = [], [DOMNode]
    while waiting:
        children = waiting.pop().__subclasses__()
        waiting += children
        found += [each for each in children if each.__module__.startswith(ui.__name__)]
    return sorted(
        {each for each in found if "BINDINGS" in vars(each)}, key=lambda each: each.__qualname__
    )


def called(binding: Binding) -> str:
    return f"action_{binding.action.rpartition('.')[2].partition('(')[0]}"


@pytest.mark.parametrize("owner", classes(), ids=lambda each: each.__name__)
def test_a_binding_leads_to_a_plain_method(owner: type[DOMNode]) -> None:
    never = vars(import_module(owner.__module__)).get("_NOT_HERE", ())
    for binding in owner.BINDINGS:
        assert isinstance(binding, Binding)
        if binding.action.partition("(")[0] in never:
            continue
        there = InplaceApp if binding.action.startswith("app.") else owner
        assert inspect.isfunction(getattr(there, called(binding), None)), binding.action


def test_every_action_is_bound_by_a_class_or_is_without_a_key() -> None:
    bound = {b.id for each in classes() for b in each.BINDINGS if isinstance(b, Binding)}

    assert {each.id for each in ACTIONS if each.keys} <= bound
