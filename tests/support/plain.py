"""The installed command without a screen: what is typed goes in through a pipe."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.command import COMMAND, inherited, make_home


def surroundings(home: Path, **environment: str) -> dict[str, str]:
    """Return an environment in which nothing of the machine's own is kept or read."""
    return {
        **inherited(),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "INPLACE_TUI_HOME": make_home(home),
        **environment,
    }


def plain(
    home: Path, typed: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command with these lines on its standard input."""
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=home,
        env=surroundings(home, **environment),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
