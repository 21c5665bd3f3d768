"""Modules that are imported when an attribute of theirs is first used.

A screen draws its first frame before most of the program is imported. A module that
only functions use is bound to a `LazyModule`, while type checkers see the import:

    if TYPE_CHECKING:
        from inplace_tui.tutorial.ui import deferred
    else:
        deferred = LazyModule("inplace_tui.tutorial.ui.deferred")
"""

from __future__ import annotations

from importlib import import_module


class LazyModule:
    """A module that is imported at its first use, by any thread."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        return getattr(import_module(self._name), attribute)
