"""The interpreter that a program ran with."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from inplace_tui.common.enums import StrEnum


class Why(StrEnum):
    """Why it was taken: the first of these that has a torch."""

    NAMED = "named"
    """With `--python`, or as that of `python -m inplace_tui`."""

    VIRTUAL_ENV = "virtual-env"
    """It is active: so is that of `uv run`."""

    CONDA_PREFIX = "conda-prefix"
    PROJECT = "project"
    """`.venv` or `venv` beside the program, or in a folder above it."""

    OWN = "own"
    """That of inplace-tui itself."""


class UsedPython(msgspec.Struct, frozen=True, kw_only=True):
    """An interpreter, and why it was taken."""

    path: str
    why: Why

    @property
    def other(self) -> Path | None:
        """It, if it is not the one that runs us."""
        return None if self.path == sys.executable else Path(self.path)
