"""`run` and `doctor`, from outside, with a worker that imports torch itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import COMMAND, Command

SPOILT = """\
import sys
from beside import spoil
import torch

print("arguments", sys.argv[1:], __name__)
x = torch.ones(3, requires_grad=True)
y = x.exp()
spoil(y)
y.sum().backward()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that fails in backward, with a module in its own folder."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "beside.py").write_text("def spoil(t):\n    t.add_(1)\n")
    path = folder / "spoilt.py"
    path.write_text(SPOILT)
    return path


@pytest.mark.whole
def test_a_file_runs_as_python_would_run_it(command: Command, program: Path) -> None:
    done = command("run", "mine/spoilt.py", "--", "-v", "two words")

    assert done.returncode == 1
    assert "│ arguments ['-v', 'two words'] __main__\n" in done.stdout
    assert "version 0 → 1" in done.stdout
    assert "Line 7 y = x.exp() saved y at version 0" in done.stdout
    assert "Line beside.py:2 t.add_(1) changed it through t to version 1" in done.stdout
    assert done.stderr == ""


@pytest.mark.whole
def test_the_doctor_finds_this_machine_well(command: Command) -> None:
    done = command("doctor")

    assert done.returncode == 0, done.stdout
    assert f"python: {sys.version_info.major}.{sys.version_info.minor}" in done.stdout
    assert "the time limit: ok" in done.stdout
    _, recorder = done.stdout.split("Recorder (in the worker's Python and torch)\n")
    assert [each.rpartition(": ")[2] for each in recorder.splitlines()] == ["ok"] * 6


def test_whoever_stops_reading_is_not_told_off(tmp_path: Path) -> None:
    piped = subprocess.run(
        ["bash", "-c", f"{COMMAND} run saved-output | head -n 1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert piped.stdout == "1  import torch\n"
    assert piped.stderr == ""


@pytest.mark.whole
def test_an_interrupt_leaves_nothing_running(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'began')!r}, 'w')\nwhile True: pass\n")
    began = tmp_path / "began"
    os.mkfifo(began)
    running = subprocess.Popen(
        [COMMAND, "run", "own.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )

    began.read_bytes()  # returns when the program has opened it
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)

    assert running.returncode == 130
    assert said.strip() == "Interrupted."
