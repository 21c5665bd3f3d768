"""Whatever lies where a file should: a sentence, at once, without the machine's memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.fix_files import changes
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.own_files import MAX_FILE, OWN, with_files
from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.textfile import FileError
from support import odd_files
from support.command import COMMAND
from support.patience import in_time
from support.running import tell

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


@pytest.mark.whole
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
@pytest.mark.whole(every=16)
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


ODD = ("pipe", "zero", "sparse", "folder", "nowhere")
"""What may lie where a program's own file was, besides the file."""


@pytest.fixture
def odd(tmp_path: Path) -> dict[str, Path]:
    made = {name: tmp_path / f"{name}.py" for name in ODD}
    os.mkfifo(made["pipe"])
    made["zero"].symlink_to("/dev/zero")
    with made["sparse"].open("wb") as file:
        file.truncate(3 * odd_files.GIGABYTE)
    made["folder"].mkdir()
    return made


@pytest.mark.parametrize("name", ODD)
def test_a_module_of_a_program_that_is_no_file_of_a_usual_size_is_left_out(
    name: str, odd: dict[str, Path]
) -> None:
    """Wherever it is looked at: for its text, for its place in a fix, before it is imported."""
    path = str(odd[name])
    program = Program(source="x = 1\n", origin=Origin.OWN, filename="main.py", folder="/nowhere")
    whole = msgspec.structs.replace(
        program, source=join_files(program.source, [(path, "y = 1\n")]), files=(path,)
    )
    fixed = whole.source.replace("y = 1", "y = 2")
    fix = Fix(title=LocalText("t", zh="t"), line=3, diff="", source=fixed)

    assert in_time(lambda: with_files(program, OWN, [path])) == program
    with pytest.raises(OSError, match=r"regular|more than|directory"):
        changes(whole, fix)
    files = OwnFiles(whole.source, "main.py", [path])
    finders = sys.meta_path
    try:
        in_time(files.take_the_place_of_others)
    finally:
        sys.meta_path = finders


def test_a_module_of_data_is_neither_parsed_nor_counted(tmp_path: Path) -> None:
    """5 MB of rows took 16 s and 1.4 GB, before their size was looked at."""
    (tmp_path / "data.py").write_text("X = [\n" + "    [0.5, 1.25, 3],\n" * 260_000 + "]\n")
    (tmp_path / "small.py").write_text("y = 1\n")
    source = "import data\nimport small\n"
    program = Program(source=source, origin=Origin.OWN, filename="main.py", folder=str(tmp_path))

    began = time.process_time()
    found = with_files(program, OWN)

    assert found.files == (str(tmp_path / "small.py"),)
    assert time.process_time() - began < 1


def test_all_files_together_have_a_limit_that_the_last_one_keeps(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"m{number}.py").write_text("# x\n" * (MAX_FILE // 4))
    source = "".join(f"import m{number}\n" for number in range(6))
    program = Program(source=source, origin=Origin.OWN, filename="main.py", folder=str(tmp_path))

    assert [Path(each).stem for each in with_files(program, OWN).files] == ["m0", "m1", "m2", "m3"]


QUOTING = """\
exec(compile("def f(x):\\n    return 1 / x\\n", {path!r}, "exec"))
try:
    f(0)
except ZeroDivisionError as error:
    raise KeyError(1) from error
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", ["pipe", "zero", "sparse"])
@pytest.mark.whole
async def test_a_traceback_through_code_that_says_it_is_of_a_pipe_ends(
    name: str, odd: dict[str, Path], worker: Worker
) -> None:
    """Python opens the file to quote the line."""
    source = QUOTING.format(path=str(odd[name]))

    told = await tell(worker, source, filename="main.py")

    assert isinstance(told.outcome, Raised)
    assert (told.outcome.exception, told.outcome.line) == ("KeyError", 5)
    assert f'File "{odd[name]}", line 2, in f' in told.outcome.traceback
