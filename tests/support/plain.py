"""The installed command without a screen: what is typed goes in through a pipe."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.command import COMMAND, run_command


def plain(
    home: Path, typed: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command with these lines on its standard input."""
    return run_command(
        home, COMMAND, *arguments, home=home, typed=typed, seconds=300, environment=environment
    )
