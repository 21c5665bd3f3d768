"""The installed command, as tests call it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMMAND = Path(sys.executable).parent / "inplace-tui"

Command = Callable[..., "subprocess.CompletedProcess[str]"]
"""Takes arguments, and environment variables as keywords."""
