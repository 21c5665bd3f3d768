"""A witness: names who saved a tensor and who changed it, in one run, in any environment.

    with blame.watch() as witness:
        train()

This package needs only the standard library and torch: Python 3.9 and torch 1.13 or later.
It imports torch when it starts watching.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # without an import of `typing`: the program is not to notice
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Witness", "start", "stop", "watch"]


def __getattr__(name: str) -> Any:
    """Load `inplace_tui.blame.witness` when something of it is first used."""
    if name in __all__:
        return getattr(importlib.import_module("inplace_tui.blame.witness"), name)
    raise AttributeError(name)
