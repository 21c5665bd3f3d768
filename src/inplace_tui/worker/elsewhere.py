"""Starts the worker in another interpreter, which runs this file by its path."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location

WORKER = os.path.dirname(os.path.abspath(__file__))


class _Ours:
    """Finds our package where it lies here, before another release that the interpreter may have.

    It finds nothing else there: not our torch. Our build of msgspec is for our Python alone.
    """

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        if name == "msgspec":
            return spec_from_file_location(name, os.path.join(WORKER, "plain_msgspec.py"))
        above = os.path.dirname(os.path.dirname(WORKER))
        return PathFinder.find_spec(name, [above]) if name == "inplace_tui" else None


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    sys.meta_path.insert(0, _Ours())
    from inplace_tui.worker.__main__ import main

    main()
