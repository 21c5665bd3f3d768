"""The installed command, driven from outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.command import COMMAND, Command, run_command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `inplace-tui` with arguments in an empty folder, with a home of its own."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        home = tmp_path / "home"
        return run_command(tmp_path, COMMAND, *arguments, home=home, environment=environment)

    return run
