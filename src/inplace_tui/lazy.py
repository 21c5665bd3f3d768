"""Modules that are loaded when something of them is first needed.

A screen draws its first frame before most of the program is imported. Where a name
of such a module stands only inside of functions, it is bound to `LazyModule` and type
checkers see the import:

    if TYPE_CHECKING:
        from inplace_tui.ui import deferred
    else:
        deferred = LazyModule("inplace_tui.ui.deferred")
"""

from __future__ import annotations

from importlib import import_module


class LazyModule:
    """Stands for a module. Any number of threads may need it first."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        return getattr(import_module(self._name), attribute)
