"""The worker in another interpreter: a practitioner's own torch and packages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import inplace_tui

_PACKAGE = Path(inplace_tui.__file__).parent


def command(python: Path | None) -> list[str] | None:
    """Return the command line of a worker, without its descriptor; None of one in our own."""
    if python is None:
        return None
    return [_named(python), str(_PACKAGE / "diagnosis" / "record" / "elsewhere.py")]


def witness(python: Path | None, arguments: Sequence[str]) -> list[str]:
    """Return the command line of a witness; arguments as `python -m inplace_tui.blame` has."""
    main = str(_PACKAGE / "blame" / "__main__.py")
    return [sys.executable if python is None else _named(python), main, *arguments]


def _named(python: Path) -> str:
    """Return it as a path: a name alone would be looked for in `PATH`."""
    return str(python.absolute())
