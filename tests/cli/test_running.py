"""`run`, `check` and `doctor`: with a worker, from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from inplace_tui.report.documents import CheckDocument, TimelineDocument
from inplace_tui.report.schema import emitted
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


def test_a_file_runs_as_python_would_run_it(command: Command, program: Path) -> None:
    done = command("run", "mine/spoilt.py", "--", "-v", "two words")

    assert done.returncode == 1
    assert "│ arguments ['-v', 'two words'] __main__\n" in done.stdout
    assert "version 0 → 1" in done.stdout
    assert "Line 7 y = x.exp() saved y at version 0" in done.stdout
    assert "Line 8 spoil(y) changed it to version 1" in done.stdout
    assert done.stderr == ""


@pytest.mark.usefixtures("warm_torch")
def test_a_run_is_the_same_page_every_time(command: Command) -> None:
    first, second = command("run", "saved-output"), command("run", "saved-output")

    assert first.stdout == second.stdout
    assert "0x" not in first.stdout


@pytest.mark.usefixtures("warm_torch")
def test_a_run_is_a_document_with_a_schema(command: Command) -> None:
    done = command("run", "saved-output", "--variant", "data", "--format", "json")

    document = msgspec.json.decode(done.stdout, type=TimelineDocument)
    assert done.returncode == 1
    assert document.result == "silent_wrong"
    assert (document.lesson, document.variant) == ("saved-output", "data")
    assert [each.step.line for each in document.steps] == [1, 2, 3, 4, 5]
    assert document.blame is not None
    assert document.blame.writes[0].line == 4
    assert all(tensor.data_ptr is None for each in document.steps for tensor in each.step.tensors)


@pytest.mark.usefixtures("warm_torch")
def test_a_program_that_is_fine_has_exit_code_0(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print('[/b] 中')\n", encoding="utf-8")

    done = command("run", "own.py", "--lang", "zh")

    assert (done.returncode, done.stderr) == (0, "")
    assert "│ [/b] 中\n" in done.stdout


@pytest.mark.usefixtures("warm_torch")
def test_an_endless_program_is_stopped_when_it_was_to_be(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("x = 1\nwhile True: pass\n")

    done = command("run", "own.py", "--seconds", "0.5")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("1  x = 1\n")
    assert "0.5 s" in done.stdout


@pytest.mark.usefixtures("warm_torch")
def test_a_false_claim_is_found_with_its_place(command: Command, tmp_path: Path) -> None:
    listed = json.loads(command("list", "--json").stdout)
    paths = {each["id"]: each["path"] for c in listed["chapters"] for each in c["lessons"]}
    text = Path(paths["saved-output"]).read_text(encoding="utf-8")
    (tmp_path / "01-saved-output.yaml").write_text(
        text.replace(
            "y: {version: 1, grad_fn: AddBackward0", "y: {version: 2, grad_fn: AddBackward0"
        ),
        encoding="utf-8",
    )

    done = command("check", "01-saved-output.yaml")

    assert done.returncode == 1
    assert done.stdout.endswith(": y.version: claimed 2, seen 1\n")
    assert done.stdout.startswith("01-saved-output.yaml:")
    assert "\x1b" not in done.stderr


@pytest.mark.usefixtures("warm_torch")
def test_a_file_that_is_no_lesson_is_a_document_too(command: Command, tmp_path: Path) -> None:
    (tmp_path / "01-broken.yaml").write_text("schema: 1\nid: no\n")

    done = command("check", "01-broken.yaml", "--json")

    document = msgspec.json.decode(done.stdout, type=CheckDocument)
    assert done.returncode == 1
    assert not document.ok
    assert (document.problems[-1].line, document.problems[-1].column) == (2, 5)


def test_the_doctor_finds_this_machine_well(command: Command) -> None:
    done = command("doctor")

    assert done.returncode == 0, done.stdout
    assert f"python: {sys.version_info.major}.{sys.version_info.minor}" in done.stdout
    assert "the time limit: ok" in done.stdout


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


def test_the_committed_schemas_are_those_of_the_types() -> None:
    folder = Path(__file__).parents[2] / "docs" / "schema"

    committed = {path.name: path.read_bytes() for path in folder.iterdir()}

    assert committed == emitted(), "run `make schema`"


@pytest.mark.parametrize("arguments", [["list"], ["run", "--help"], ["progress"]])
def test_a_command_without_a_screen_loads_neither_torch_nor_textual(
    arguments: list[str], tmp_path: Path
) -> None:
    code = (
        "import sys; from inplace_tui.cli import main\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*({name.partition('.')[0] for name in sys.modules} "
        "& {'torch', 'numpy', 'textual', 'rich'}), file=sys.stderr)"
    )
    environment = {**os.environ, "INPLACE_TUI_HOME": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )

    assert done.stderr.splitlines()[-1] == ""
