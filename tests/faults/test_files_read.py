"""Whatever lies where a file should: a sentence, at once, without the machine's memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_tui.ui.drafts import textfile
from inplace_tui.ui.drafts.textfile import FileError
from support import odd_files
from support.command import COMMAND

REFUSALS = {"", "CommandError", "FileError", "LessonError", "ProgressError", "OSError",
            "FileNotFoundError", "PermissionError", "IsADirectoryError"}  # fmt: skip
"""What a reader may raise: the last four only where its caller is the one to say why."""

MAX_KIB = 150 * 2**10
"""KiB that one file may take."""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may read and nobody may change: pytest's own are its user's alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o755)


def test_every_reader_survives_every_file(open_folder: Path) -> None:
    """Pipes that nobody writes to, devices without end, a gigabyte, a hundred thousand brackets."""
    files = odd_files.make(open_folder)
    open_folder.chmod(0o555)
    ran = subprocess.run(
        [sys.executable, odd_files.__file__, *files],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = [json.loads(line) for line in ran.stdout.splitlines()]

    assert len(told) == len(files) * len(odd_files.READERS)
    barred = {each["file"] for each in told if each["ending"] == "PermissionError"}
    assert barred <= {"locked", "memory"}, "the readers must come to the files"
    assert [each for each in told if each["ending"] not in REFUSALS] == []
    assert [each for each in told if each["KiB"] > MAX_KIB or each["seconds"] > 2] == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["explain", "-"], 2),
        (["explain", "--error", "-"], 2),
        (["challenge", "--grade", "-", "in-place-step"], 2),
        (["check", "pipe"], 1),
        (["explain", "pipe"], 2),
        (["progress", "--import", "huge"], 2),
        (["run", "pipe"], 2),
        (["--plain", "sandbox", "pipe"], 2),
        (["run", "a" * 300], 2),
        (["run", "--format", "svg", f"{'a' * 300}@3"], 2),
        (["check", "a" * 300], 2),
        (["--lessons", "a" * 300, "list"], 2),
        (["progress", "--export", "a" * 300], 2),
    ],
)
@pytest.mark.whole(every=4)
def test_a_command_says_why_it_cannot_read(arguments: list[str], code: int, tmp_path: Path) -> None:
    """The first of them get a stream without end on stdin."""
    odd_files.make(tmp_path)
    with Path("/dev/zero").open("rb") as zero:
        ran = subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env={**os.environ, "LANG": "C.UTF-8", "INPLACE_TUI_HOME": str(tmp_path / "home")},
            stdin=zero,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert ran.returncode == code
    said = ran.stdout if code == 1 else ran.stderr  # where `check` has its problems
    assert len(said.splitlines()) == 1, ran
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("name", ["a" * 300, "itself", "locked/x.py", "\0"])
def test_a_file_can_be_asked_for_under_any_name(name: str, open_folder: Path) -> None:
    """What a person types in a dialog is no reason for the screen to go."""
    (open_folder / "itself").symlink_to("itself")
    (open_folder / "locked").write_text("a file, and no folder")
    path = open_folder / name

    assert not textfile.is_folder(path)
    assert not textfile.exists(path)
    with pytest.raises(FileError):
        textfile.write(open_folder / "nowhere" / name, "x")
