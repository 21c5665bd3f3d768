"""Underscored names of Textual are used in `tutorial/ui/textual_private/` alone, and exist."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from textual import _compositor, _xterm_parser
from textual._compositor import Compositor
from textual.app import App
from textual.document import (
    _document,
    _document_navigator,
    _edit,
    _syntax_aware_document,
    _wrapped_document,
)
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Key
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

import inplace_tui.tutorial.ui
from support.parsed import parsed as tree_of

SOURCE = Path(inplace_tui.__file__ or "").parent
FOLDER = "tutorial/ui/textual_private"

USED: dict[str, dict[type | ModuleType, set[str]]] = {
    "app": {
        App: {
            "_background_screens",
            "_check_bindings",
            "_clipboard",
            "_driver",
            "_end_batch",
            "_exit",
            "_handle_exception",
            "_on_exit_app",
            "_prune",
        },
        LinuxDriver: {"_disable_mouse_support"},
        Event: {"_stop_propagation"},
        MessagePump: {"_task"},
        Screen: {"_callbacks", "_compositor_refresh", "_on_timer_update"},
        Widget: {"_is_mounted", "_layout_required", "_pruning", "_repaint_required"},
    },
    "compositor": {
        Compositor: {"_dirty_regions"},
        App: {"_batch_count"},
        Screen: {"_compositor", "_compositor_refresh", "_dirty_widgets"},
        Widget: {
            "_bindings",
            "_clear_arrangement_cache",
            "_layout_required",
            "_refresh_scrollbars",
            "_repaint_required",
            "_scroll_required",
        },
    },
    "terminal_input": {Driver: {"_loop"}},
    "text_area": {
        MessagePump: {"_context"},
        Widget: {"_set_dirty"},
        TextArea: {
            "_build_highlight_map",
            "_get_builtin_highlight_query",
            "_highlight_query",
            "_highlights",
            "_line_cache",
            "_matching_bracket_location",
            "_rewrap_and_refresh_virtual_size",
            "_set_document",
        },
    },
}
"""By file of the folder: the owners in Textual of the names that it uses."""

MODULES: dict[ModuleType, tuple[str, ...]] = {
    _compositor: ("Compositor", "CompositorUpdate"),
    _document: ("Document", "DocumentBase", "EditResult", "Location"),
    _document_navigator: ("DocumentNavigator",),
    _edit: ("Edit",),
    _syntax_aware_document: ("SyntaxAwareDocument",),
    _wrapped_document: ("WrappedDocument",),
    _xterm_parser: ("XTermParser",),
}
"""What is imported from Textual's underscored modules."""

NO_WIDGETS = {"tutorial/ui/arrangement.py"}
"""Files whose classes have names that a widget must not have."""


def has(owner: type | ModuleType, name: str) -> bool:
    """Whether Textual's class or module has a name, or sets it in a method."""
    if hasattr(owner, name):
        return True
    bases = owner.__mro__[:-1] if isinstance(owner, type) else ()
    return any(re.search(rf"self\.{name}\b[^=\n]*=[^=]", inspect.getsource(base)) for base in bases)


def test_a_name_that_textual_lacks_is_noticed() -> None:
    assert has(Widget, "_layout_required")
    assert not has(Widget, "_no_such_name")
    assert not has(Compositor, "_batch_count")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (owner, name)
        for owners in USED.values()
        for owner in owners
        for name in sorted(owners[owner])
    ]
    + [(module, name) for module, names in MODULES.items() for name in sorted(names)],
)
def test_textual_has_what_is_used_of_it(owner: type | ModuleType, name: str) -> None:
    assert has(owner, name)


def private(name: str) -> bool:
    """Whether a name begins with one underscore."""
    return name.startswith("_") and not name.startswith("__")


def parsed() -> dict[str, ast.Module]:
    """Return every file of ours, by its path below the source."""
    files = sorted(SOURCE.rglob("*.py"))
    return {
        str(path.relative_to(SOURCE)): tree_of(path.read_text(encoding="utf-8")) for path in files
    }


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield what a file imports from Textual that is underscored, as `module.name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            for each in node.names:
                if "._" in f"{node.module}.{each.name}":
                    yield f"{node.module}.{each.name}"
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("textual._"))


def names(tree: ast.Module) -> Iterator[str]:
    """Yield every underscored name that a file gets, sets or defines on an object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_python = isinstance(node.value, ast.Name) and node.value.id in ("os", "sys")
            if private(node.attr) and not of_python:
                yield node.attr
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and private(node.value):
                yield node.value  # as `getattr` takes it
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and private(each.name):
                    yield each.name
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield from filter(private, (each.target.id,))


async def library_names() -> set[str]:
    """Return every underscored name of an instance of Textual's classes."""
    host: App[None] = App()
    async with host.run_test():
        objects = (host, Widget(), ModalScreen[None](), TextArea(), Input(), Key("a", "a"))
        return {
            name
            for each in objects
            for kind in type(each).__mro__
            if kind.__module__.startswith("textual")
            for name in (*vars(kind), *getattr(each, "__dict__", ()), *kind.__dict__)
            if private(name)
        } | {name for owners in USED.values() for used in owners.values() for name in used}


async def test_only_one_folder_knows_them() -> None:
    """`self._running = False` in a screen stops its signals, and nothing says so."""
    library = await library_names()
    found = {}
    for path, tree in parsed().items():
        if not path.startswith(FOLDER):
            of_widgets = (
                library if path.startswith("tutorial/ui/") and path not in NO_WIDGETS else set()
            )
            found[path] = [*imported(tree), *(set(names(tree)) & of_widgets)]

    assert {path: used for path, used in found.items() if used} == {}


async def test_the_table_names_all_that_the_folder_uses() -> None:
    library = await library_names()
    trees = {path: tree for path, tree in parsed().items() if path.startswith(FOLDER)}
    used = {Path(path).stem: set(names(tree)) & library for path, tree in trees.items()}
    modules = {each for tree in trees.values() for each in imported(tree)}

    listed = {file: set().union(*owners.values()) for file, owners in USED.items()}
    assert {file: each for file, each in used.items() if each} == listed
    assert modules == {
        f"{module.__name__}.{name}" for module, names in MODULES.items() for name in names
    }
