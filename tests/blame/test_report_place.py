"""Where the report goes, whatever the program and its surroundings do to files and streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blame.interpreter import python

FAULT = (
    "import os, sys, torch\nx = torch.ones(2, requires_grad=True)\ny = x.sigmoid()\ny.add_(1)\n"
    "def fail():\n    y.sum().backward()\n"
)
CAUGHT = FAULT + "try:\n    fail()\nexcept RuntimeError:\n    pass\n"
FOUND = "changed by add_"


def watched(source: str, folder: Path, *options: str, **more: str) -> tuple[int, str, str]:
    (folder / "prog.py").write_text(source)
    done = python("-m", "inplace_tui.blame", *options, "prog.py", cwd=folder, **more)
    return done.returncode, done.stdout, done.stderr


def found(path: Path) -> list[str]:
    return [each["category"] for each in json.loads(path.read_text())["findings"]]


def test_a_file_that_cannot_be_written_is_told_before_the_program_runs(tmp_path: Path) -> None:
    code, out, error = watched("print(1)", tmp_path, "--json", "nowhere/found.json")

    assert (code, out) == (2, "")
    assert "--json nowhere/found.json: " in error
    assert "Traceback" not in error


def test_a_full_disk_is_told_and_the_program_ends_as_it_does(tmp_path: Path) -> None:
    code, out, error = watched("raise SystemExit(3)", tmp_path, "--json", "/dev/full")

    assert (code, out) == (3, "")
    assert "No space left" in error
    assert "Traceback" not in error


def test_a_path_is_where_the_command_was_given(tmp_path: Path) -> None:
    assert watched("import os\nos.chdir('/')", tmp_path, "--json", "a.json") == (0, "", "")
    assert found(tmp_path / "a.json") == []


@pytest.mark.parametrize("size", ["auto", "", "2", "x" * 9])
def test_each_process_of_a_launcher_has_a_file(tmp_path: Path, size: str) -> None:
    ended = watched("", tmp_path, "--json", "a.json", RANK="1", WORLD_SIZE=size)

    assert ended == (0, "", "")
    assert found(tmp_path / "a.json.rank1") == []


def test_another_json_of_the_program_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("print('mine')\ndumps = None\n")
    source = "import builtins, sys\nbuiltins.open = None\nsys.modules.clear()"

    assert watched(source, tmp_path, "--json", "a.json") == (0, "", "")
    assert found(tmp_path / "a.json") == []


def test_whoever_calls_it_from_within_is_told_to_put_it_first(tmp_path: Path) -> None:
    start = "import runpy\nrunpy.run_module('inplace_tui.blame', run_name='__main__')"
    done = python("-c", start, "prog.py", cwd=tmp_path)

    assert done.returncode == 2
    assert "it comes first: python -m inplace_tui.blame -m pdb" in done.stderr


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("", True),
        ("sys.stderr = None", False),
        ("del sys.stderr", False),
        ("sys.stderr.close()", False),
        ("sys.stderr = sys.__stderr__ = None", False),
        ("print = None", True),
        ("import builtins\nbuiltins.print = builtins.open = None", True),
        ("sys.excepthook = None", True),
        ("sys.modules.clear()\nsys.path.clear()", True),
        (
            "class S:\n    flush = bool\n    def write(self, text): raise KeyboardInterrupt\n"
            "sys.stderr = S()",
            False,
        ),
    ],
)
@pytest.mark.whole
def test_a_report_goes_where_tracebacks_go_or_nowhere(tmp_path: Path, end: str, says: bool) -> None:
    code, out, error = watched(CAUGHT + end, tmp_path, "--json", "a.json")

    assert (code, out) == (0, "")
    assert (FOUND in error) == says
    assert "Traceback" not in error
    assert found(tmp_path / "a.json") == ["saved-tensor-modified"]


@pytest.mark.parametrize("hook", ["", "sys.excepthook = lambda *a: print('mine')\n"])
@pytest.mark.whole
def test_a_report_is_said_once_whoever_prints_the_error(tmp_path: Path, hook: str) -> None:
    code, out, error = watched(FAULT + hook + "fail()", tmp_path)

    assert (code, out) == (1, "mine\n" if hook else "")
    assert error.count(FOUND) == 1


@pytest.mark.parametrize(
    "chain",
    [
        "raise e from e",
        "f = RuntimeError(2); f.__cause__ = e; e.__context__ = f; raise f",
        "class E(RuntimeError):\n        def __bool__(self): raise SystemError\n"
        "        __getattr__ = blame = property(__bool__)\n    raise E from e",
    ],
)
@pytest.mark.whole
def test_a_report_survives_a_hostile_chain(tmp_path: Path, chain: str) -> None:
    source = FAULT + f"try:\n    fail()\nexcept RuntimeError as e:\n    {chain}\n"
    code, out, error = watched(source, tmp_path)

    alone = python("prog.py", cwd=tmp_path)
    assert (code, out) == (alone.returncode, alone.stdout) == (1, "")
    assert FOUND in error
