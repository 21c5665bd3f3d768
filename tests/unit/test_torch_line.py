"""The line that installs torch: for each system, by the tool that made the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_tui.common.torch_line import CPU_INDEX, TESTED, torch_line


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment that runs us, in a folder with a space in its name."""
    folder = tmp_path / "my tools"
    folder.mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


@pytest.mark.parametrize(
    ("system", "quote", "index"),
    [("linux", "'", f" --index-url {CPU_INDEX}"), ("darwin", "'", ""), ("win32", '"', "")],
)
def test_only_for_linux_has_pypi_builds_with_cuda(
    home: Path, monkeypatch: pytest.MonkeyPatch, system: str, quote: str, index: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)

    assert torch_line() == f"{quote}{home}/python{quote} -m pip install {TESTED}{index}"


def test_an_environment_of_uv_has_no_pip(home: Path) -> None:
    (home / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.13.9\nversion_info = 3.11.7\n")

    line = f"uv pip install --python '{home}/python' --torch-backend cpu {TESTED}"
    assert torch_line() == line


def test_pipx_is_asked_to_keep_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    (home / "pipx_metadata.json").touch()
    (home / "pyvenv.cfg").write_text("uv = 0.13.9\n")  # pipx may have uv make it

    assert torch_line() == f"pipx inject '{home.name}' {TESTED}"


def test_what_an_environment_says_of_itself_need_not_be_there(home: Path) -> None:
    (home / "pyvenv.cfg").write_bytes(b"\xff\x00 uv\n")

    assert "-m pip install" in torch_line()
