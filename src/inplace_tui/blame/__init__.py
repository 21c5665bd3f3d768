"""A witness: names who saved a tensor and who changed it, in one run, in any environment.

    with blame.watch() as witness:
        train()

The standard library and torch are all that this package needs: Python 3.9 and torch 1.13,
or later ones. torch is not imported before it watches.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Witness", "start", "stop", "watch"]


def __getattr__(name: str) -> Any:
    """Return what `inplace_tui.blame.witness` has; its own parts need nothing of it."""
    if name in __all__:
        return getattr(importlib.import_module("inplace_tui.blame.witness"), name)
    raise AttributeError(name)
