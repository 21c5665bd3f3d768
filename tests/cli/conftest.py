"""The installed command, driven from outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.command import COMMAND, Command, inherited, make_home


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `inplace-tui` with arguments in an empty folder, with a home of its own."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        surroundings = {
            **inherited(),
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "INPLACE_TUI_HOME": make_home(tmp_path / "home"),
            **environment,
        }
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run
