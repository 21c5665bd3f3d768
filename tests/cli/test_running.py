"""`run` and `check`: with a worker, from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from inplace_tui.tutorial.report.documents import CheckDocument, TimelineDocument
from inplace_tui.tutorial.report.schema import emitted
from support.command import Command

pytestmark = pytest.mark.usefixtures("warm_torch")


@pytest.mark.whole
def test_a_run_is_the_same_page_every_time(command: Command) -> None:
    first, second = command("run", "saved-output"), command("run", "saved-output")

    assert first.stdout == second.stdout
    assert "0x" not in first.stdout


def test_a_run_is_a_document_with_a_schema(command: Command) -> None:
    done = command("run", "write-after-loss", "--variant", "data-sevens", "--format", "json")

    document = msgspec.json.decode(done.stdout, type=TimelineDocument)
    assert done.returncode == 1
    assert document.ending == "wrong"
    assert (document.lesson, document.variant) == ("write-after-loss", "data-sevens")
    assert [each.step.line for each in document.steps] == [1, 2, 3, 4, 3, 5, 6, 7, 6, 8]
    assert document.blame is not None
    assert document.blame.writes[0].line == 7
    assert all(tensor.data_ptr is None for each in document.steps for tensor in each.step.tensors)


def test_a_program_that_is_fine_has_exit_code_0(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print('[/b] 中')\n", encoding="utf-8")

    done = command("run", "own.py", "--lang", "zh")

    assert (done.returncode, done.stderr) == (0, "")
    assert "│ [/b] 中\n" in done.stdout


@pytest.mark.whole
def test_an_endless_program_is_stopped_when_it_was_to_be(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("x = 1\nwhile True: pass\n")

    done = command("run", "own.py", "--seconds", "0.5")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("1  x = 1\n")
    assert "0.5 s" in done.stdout


@pytest.mark.parametrize("name", ["1", "y-plus-one"])
@pytest.mark.whole
def test_a_lesson_is_checked_by_its_number_and_by_its_id(command: Command, name: str) -> None:
    done = command("check", name, "--json")

    assert [each["id"] for each in json.loads(done.stdout)["lessons"]] == ["y-plus-one"]


@pytest.mark.whole
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

    done = command("check", "01-saved-output.yaml", "--trust")

    assert done.returncode == 1
    assert done.stdout.endswith(": y.version: claimed 2, seen 1\n")
    assert done.stdout.startswith("01-saved-output.yaml:")
    assert "\x1b" not in done.stderr


@pytest.mark.whole
def test_a_file_that_is_no_lesson_is_a_document_too(command: Command, tmp_path: Path) -> None:
    (tmp_path / "01-broken.yaml").write_text("schema: 1\nid: no\n")

    done = command("check", "01-broken.yaml", "--json", "--trust")

    document = msgspec.json.decode(done.stdout, type=CheckDocument)
    assert done.returncode == 1
    assert not document.ok
    assert (document.problems[-1].line, document.problems[-1].column) == (2, 5)


def test_the_committed_schemas_are_those_of_the_types() -> None:
    folder = Path(__file__).parents[2] / "docs" / "schema"

    committed = {path.name: path.read_bytes() for path in folder.iterdir()}

    assert committed == emitted(), "run `make schema`"


@pytest.mark.parametrize("arguments", [["list"], ["run", "--help"], ["progress"]])
@pytest.mark.whole(every=3)
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
