"""What a program reads from its standard input, in each of its runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from inplace_tui.common.command import stdin
from inplace_tui.common.run.program import Origin, Program
from support.command import COMMAND, inherited

pytestmark = pytest.mark.usefixtures("warm_torch")

STALE = """\
w = torch.ones(n, requires_grad=True)
y = w.exp()
y += 1
y.sum().backward()
"""
READS = f"import sys, torch\nn = int(input())\nassert sys.stdin.read() == 'more', n\n{STALE}"
ARGUMENTS = f"import sys, torch\nassert sys.argv == ['-', '--n', '3'], sys.argv\nn = 3\n{STALE}"


def piped(folder: Path, *arguments: str, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env={**inherited(), "INPLACE_TUI_HOME": str(folder / "home"), "LANG": "C.UTF-8"},
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [(("train.py",), "3\nmore"), (("-", "--budget", "60", "--n", "3"), ARGUMENTS)],
    ids=["data", "program"],
)
@pytest.mark.whole
def test_what_is_piped_in_is_there_in_every_run(
    tmp_path: Path, given: tuple[str, ...], text: str
) -> None:
    (tmp_path / "train.py").write_text(READS)

    done = piped(tmp_path, "explain", "--json", *given, text=text)

    found = json.loads(done.stdout)
    lines = (found["victim"]["line"], found["culprits"][0]["line"], found["error"]["line"])
    assert lines == (5, 6, 7), done.stderr
    assert "+y = y + 1" in found["fixes"][0]["diff"]


def test_run_is_given_it_too(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(READS)

    done = piped(tmp_path, "run", "train.py", "--format", "json", text="3\nmore")

    found = json.loads(done.stdout)
    assert found["ending"] == "raises_in_backward"
    assert found["program"]["stdin"] == ""


def program(source: str) -> Program:
    return Program(source=source, origin=Origin.OWN)


def test_a_pipe_is_not_read_for_a_program_that_does_not_mention_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = os.pipe()
    status = os.fstat(ends[0])
    monkeypatch.setattr(os, "fstat", lambda _: status)

    assert stdin.with_input(program("print(1)"), "en").stdin == b""  # and does not wait for it

    for end in ends:
        os.close(end)


def test_a_file_is_left_to_who_reads_it_next_and_a_long_one_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_bytes(b"first\n" + b"x" * 20)
    script = (
        "import os, sys\n"
        "from inplace_tui.common.command import stdin\n"
        "from inplace_tui.common.run.program import Origin, Program\n"
        "stdin.MAX_INPUT = 12\n"
        "os.read(0, 6)\n"
        "program = Program(source='', origin=Origin.OWN)\n"
        "print(stdin.with_input(program, 'en').stdin)\n"
        "print(os.read(0, 100))\n"
    )
    with path.open("rb") as file:
        done = subprocess.run(
            [Path(COMMAND).parent / "python", "-c", script],
            stdin=file,
            capture_output=True,
            text=True,
            check=True,
        )

    assert done.stdout == f"b'{'x' * 12}'\nb'{'x' * 20}'\n"
    assert "Standard input is longer than 0 MiB" in done.stderr
