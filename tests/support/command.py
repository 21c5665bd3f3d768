"""The installed command, as tests call it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
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


def surroundings(
    folder: Path, *, home: Path, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return an environment in which nothing of the machine's own is kept or read."""
    return {
        **inherited(),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "INPLACE_TUI_HOME": make_home(home),
        **(environment or {}),
    }


def run_command(
    folder: Path,
    *words: str | Path,
    home: Path,
    typed: str | None = None,
    seconds: int = 120,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end.

    Args:
        folder: where, and the user's home.
        words: the program and its arguments.
        home: what is `INPLACE_TUI_HOME`.
        typed: its standard input; None for none.
        seconds: after which it has failed.
        environment: variables beside those of the tests.
    """
    return subprocess.run(
        words,
        cwd=folder,
        env=surroundings(folder, home=home, environment=environment),
        stdin=subprocess.DEVNULL if typed is None else None,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )


Command = Callable[..., "subprocess.CompletedProcess[str]"]
"""Takes arguments, and environment variables as keywords."""
