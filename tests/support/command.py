"""The installed command, as tests call it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

COMMAND = Path(sys.executable).parent / "inplace-tui"

WARM: dict[str, str] = {}
"""What a command is told where torch is warm; empty for those that import it themselves."""


@functools.cache
def _compiled() -> tuple[Path, ...]:
    """Return the course as it is kept after a first start: to compile it takes half a second."""
    home = Path(tempfile.mkdtemp(prefix="inplace-tui-course-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    environment = {**inherited(), "INPLACE_TUI_HOME": str(home)}
    subprocess.run([COMMAND, "list"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return tuple((home / "cache").iterdir())


def make_home(home: Path) -> str:
    """Make what is `INPLACE_TUI_HOME` for a command, as after a first start."""
    cache = home / "cache"
    if not cache.exists():
        cache.mkdir(parents=True)
        for path in _compiled():
            shutil.copy(path, cache)
    return str(home)


def inherited() -> dict[str, str]:
    """Return what a command is told of the environment of the tests."""
    return {"PATH": os.environ["PATH"], "INPLACE_TUI_LEARNER": "0", **WARM}


Command = Callable[..., "subprocess.CompletedProcess[str]"]
"""Takes arguments, and environment variables as keywords."""
