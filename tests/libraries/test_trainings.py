"""Real trainings with transformers, lightning and torch's own wrappers: the fault in user code.

`make libraries` installs them and runs these; torch alone says which programs fail.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    os.environ.get("LIBRARIES") != "all", reason="make libraries installs what they import"
)

FOLDER = Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
EXPLAIN = ("-m", "inplace_tui", "explain", "--format", "json")


def line_of(source: str, mark: str) -> int:
    lines = source.splitlines()
    return next(at for at, line in enumerate(lines, 1) if line.endswith(f"  # {mark}"))


def right(source: str) -> str:
    """Return the program without its fault: what follows `#: ` stands for the line that wrote."""
    lines = source.replace("#: ", "").splitlines(keepends=True)
    return "".join(line for line in lines if not line.endswith("  # wrote\n"))


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_saver_writer_and_reader_are_named(name: str, tmp_path: Path) -> None:
    source = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    plain = run("train.py", cwd=tmp_path)
    assert "modified by an inplace operation" in plain.stderr
    asked = run(*EXPLAIN, "--budget", "120", "train.py", cwd=tmp_path)

    found = json.loads(asked.stdout)
    assert asked.returncode == 1
    assert found["culprits"][0]["line"] == line_of(source, "wrote")
    assert found["victim"]["line"] == line_of(source, "saved")
    assert found["error"]["line"] == line_of(source, "needed")
    assert found["fixes"]


@pytest.mark.parametrize("name", NAMES)
def test_without_the_fault_it_is_called_fine(name: str, tmp_path: Path) -> None:
    source = right((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    plain = run("train.py", cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    asked = run(*EXPLAIN, "train.py", cwd=tmp_path)

    assert asked.returncode == 0, asked.stdout
    assert json.loads(asked.stdout)["ending"] == "right"
