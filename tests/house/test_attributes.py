"""No class of ours takes a name that the screen library uses for itself."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest
from textual.app import App
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import TextArea

import inplace_tui.ui

ON_PURPOSE = {
    "dressed",
    "painting",
    "screens.base",
    "shutdown",
    "widgets.sparing",
}
"""Modules that put something of their own in the place of a thing of the library's."""

NO_WIDGETS = {"arrangement", "commands"}
"""Modules whose classes have names that a widget must not have."""

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(inplace_tui.ui.__path__, "inplace_tui.ui.")
    if found.name.removeprefix("inplace_tui.ui.") not in ON_PURPOSE | NO_WIDGETS
]


async def library_names() -> set[str]:
    """Return every name that an instance of the library's classes has by itself."""
    host: App[None] = App()
    async with host.run_test():
        bases = (host, Widget(), ModalScreen[None](), TextArea())
        return {name for base in bases for name in dir(base)}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
async def test_no_attribute_shadows_one_of_the_library(module: ModuleType) -> None:
    """`self._running = False` in a screen stops its signals, and nothing says so."""
    names = await library_names()
    tree = ast.parse(inspect.getsource(module))
    assigned = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and node.attr.startswith("_")
    }

    defined = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("_")
        and not node.name.startswith(("__", "_on_"))
    }

    assert (assigned | defined) & names == set()
