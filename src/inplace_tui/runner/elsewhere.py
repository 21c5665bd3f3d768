"""The worker in another interpreter: a practitioner's own torch and packages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_HERE = """\
import runpy, sys
from importlib.machinery import PathFinder
folders = {folders!r}
class Last:
    def find_spec(name, path=None, target=None):
        if name in folders:
            return PathFinder.find_spec(name, [folders[name]])
sys.meta_path.append(Last)
sys.argv[0] = "inplace_tui.worker"
runpy.run_module("inplace_tui.worker", run_name="__main__", alter_sys=True)
"""
"""Finds our package and its one dependency where they are installed here, and
nothing else: not our torch, and not before what the interpreter has itself."""

_NEEDED = ("inplace_tui", "msgspec")


def command(python: Path | None) -> list[str]:
    """Return the command line of a worker, without its descriptor.

    Args:
        python: the interpreter; None for the one that runs this.
    """
    # -P: the learner's directory may well contain a torch.py.
    if python is None:
        return [sys.executable, "-P", "-m", "inplace_tui.worker"]
    return [str(python), "-P", "-c", _HERE.format(folders=_folders())]


def _folders() -> dict[str, str]:
    """Return for each package that the worker needs the folder that it lies in."""
    found: dict[str, str] = {}
    for name in _NEEDED:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        found[name] = str(Path(spec.origin).parent.parent)
    return found
