"""The installed command, driven from outside."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import COMMAND, WARM, Command, inherited
from support.warm_torch import warm


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A host of warm torches, by the environment in which it is found."""
    with warm(tmp_path_factory.mktemp("warm")) as environment:
        yield environment


@pytest.fixture(scope="module")
def warm_torch(host: dict[str, str]) -> Iterator[None]:
    """Have the commands of a file find torch imported; `test_running.py` does without."""
    WARM.update(host)
    yield
    WARM.clear()


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `inplace-tui` with arguments in an empty folder, with a home of its own."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        surroundings = {
            **inherited(),
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "INPLACE_TUI_HOME": str(tmp_path / "home"),
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
