"""The installed command, as tests call it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMMAND = Path(sys.executable).parent / "inplace-tui"

WARM: dict[str, str] = {}
"""What a command is told where torch is warm; empty for those that import it themselves."""


def inherited() -> dict[str, str]:
    """Return what a command is told of the environment of the tests."""
    return {"PATH": os.environ["PATH"], "INPLACE_TUI_LEARNER": "0", **WARM}


Command = Callable[..., "subprocess.CompletedProcess[str]"]
"""Takes arguments, and environment variables as keywords."""
