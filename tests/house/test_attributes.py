"""No class of ours takes a name that the screen library uses for itself."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import pytest
from textual.app import App
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import TextArea

from inplace_tui.ui import app
from inplace_tui.ui.panels import panel
from inplace_tui.ui.screens import (
    completing,
    contents,
    dialog,
    filing,
    help,  # noqa: A004  (a screen, not the built-in)
    lesson,
    live,
    page,
    run_screen,
    sandbox,
    staging,
    stepping,
    variants,
    writing,
)
from inplace_tui.ui.widgets import (
    annotated,
    bar,
    editor,
    find_bar,
    key_bar,
    lines,
    panel_tabs,
    python_area,
    stage,
    steps,
    why,
    writing_pad,
)

MODULES = [
    contents, dialog, help, lesson, page, run_screen, sandbox, staging, stepping, variants,
    completing, filing, live, writing, annotated, find_bar, python_area, writing_pad,
    bar, editor, key_bar, lines, panel_tabs, stage, steps, why, panel, app,
]  # fmt: skip


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
