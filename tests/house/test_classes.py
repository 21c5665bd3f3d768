"""A class stands on few others, and has a name of its own."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections import defaultdict

import pytest

import inplace_tui.present
import inplace_tui.ui.dialogs
import inplace_tui.ui.drafts
import inplace_tui.ui.panels
import inplace_tui.ui.textual_private
import inplace_tui.ui.widgets
from house.test_files import texts

MOST_BASES = 4

PACKAGES = (
    inplace_tui.present,
    inplace_tui.ui.dialogs,
    inplace_tui.ui.drafts,
    inplace_tui.ui.panels,
    inplace_tui.ui.textual_private,
    inplace_tui.ui.widgets,
)
CLASSES = [
    each
    for package in PACKAGES
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    for each in vars(importlib.import_module(found.name)).values()
    if inspect.isclass(each) and each.__module__ == found.name
]


def own_bases(cls: type) -> list[type]:
    """Return the classes of ours that a class inherits from, directly or not."""
    return [base for base in cls.__mro__[1:] if base.__module__.startswith("inplace_tui.")]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_few_classes_stand_above_a_class(cls: type) -> None:
    assert len(own_bases(cls)) <= MOST_BASES


def test_no_class_name_stands_for_two_things() -> None:
    found = defaultdict(set)
    for path, text in texts("src").items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(path)
    ours = tuple(package.__name__.replace(".", "/") for package in PACKAGES)

    twice = {
        name: paths
        for name, paths in found.items()
        if len(paths) > 1 and any(path.removeprefix("src/").startswith(ours) for path in paths)
    }
    assert twice == {}
