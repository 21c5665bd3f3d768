"""Starts the worker in another interpreter, which runs this file by its path."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(HERE))


class _Ours:
    """Finds our package where it lies here, before another release that the interpreter may have.

    It finds nothing else there: not our torch. Our build of msgspec is for our Python alone.
    """

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        if name == "msgspec":
            return spec_from_file_location(name, os.path.join(HERE, "plain_msgspec.py"))
        above = [os.path.dirname(PACKAGE)]
        return PathFinder.find_spec(name, above) if name == "inplace_tui" else None


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    sys.meta_path.insert(0, _Ours())
    from inplace_tui.diagnosis.record.__main__ import main

    main()
