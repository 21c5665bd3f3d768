"""Every exit code of `explain`, and its word, which `run` has too: the table in the guide."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.diagnosis.explain.explanation import exit_code
from support.command import Command, run_command

pytestmark = pytest.mark.usefixtures("warm_torch")

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"

START = "import os, sys, torch\nx = torch.ones(2, requires_grad=True)\n"

BROKEN = """
import sys
from inplace_tui import cli
from inplace_tui.diagnosis.commands import explain
def broken(*arguments):
    raise ZeroDivisionError("ours")
explain._explained = broken
sys.argv[:] = ["inplace-tui", "explain", "--json", "main.py"]
cli.main()
"""


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    code: int
    endings: frozenset[str]


def rows() -> dict[int, Row]:
    found = re.findall(r"^\| (\d+) \| (.*?) \|", GUIDE.read_text(), re.MULTILINE)
    return {
        int(code): Row(int(code), frozenset(re.findall(r"`(\w+)`", told))) for code, told in found
    }


TABLE = rows()

CALLS = {
    "fine": (0, "x.exp().sum().backward()\n", ()),
    "an error at a line": (1, "x += 1\n", ()),
    "an error in backward": (1, "y = x.exp()\ny.add_(1)\ny.sum().backward()\n", ()),
    "wrong gradients": (1, "y = x.exp()\ny.data.add_(1)\ny.sum().backward()\n", ()),
    "another error": (1, "1 / 0\n", ()),
    "an exit with a code": (1, "sys.exit(3)\n", ()),
    "an exit at once": (1, "os._exit(3)\n", ()),
    "a signal": (1, "os.abort()\n", ()),
    "no such file": (2, None, ()),
    "an endless loop": (3, "while True:\n    pass\n", ("--seconds", "0.5")),
    "other gradients each time": (
        4,
        "noise = int.from_bytes(os.urandom(4), 'big') / 2**32\n(x * noise).sum().backward()\n",
        (),
    ),
}


def test_the_table_has_every_code_and_every_ending() -> None:
    assert set(TABLE) == {0, 1, 2, 3, 4, 70}
    told = [(ending, row.code) for row in TABLE.values() for ending in row.endings]
    assert sorted(told) == sorted((each.value, exit_code(each)) for each in Ending)
    assert {code for code, _, _ in CALLS.values()} | {70} == set(TABLE)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.whole(every=18)
def test_a_call_exits_as_its_row_says_and_run_has_the_same_word(
    command: Command, tmp_path: Path, name: str
) -> None:
    code, rest, options = CALLS[name]
    if rest is not None:
        (tmp_path / "main.py").write_text(START + rest)

    done = command("explain", "--json", *options, "main.py")

    assert done.returncode == code, done.stderr
    endings = [json.loads(line)["ending"] for line in done.stdout.splitlines()]
    assert set(endings) <= TABLE[code].endings
    assert bool(endings) == (rest is not None)
    if rest is not None:
        shown = command("run", "--format", "json", *options, "main.py")
        assert [json.loads(shown.stdout)["ending"]] == endings


@pytest.mark.whole
def test_of_several_files_a_fault_comes_first(command: Command, tmp_path: Path) -> None:
    calls = ("other gradients each time", "fine", "another error")
    for number, name in enumerate(calls):
        rest = CALLS[name][1]
        assert rest is not None
        (tmp_path / f"{number}.py").write_text(START + rest)

    assert command("explain", "--json", "0.py", "1.py", "2.py").returncode == 1
    assert command("explain", "--json", "1.py", "0.py").returncode == 4


def test_a_fault_of_ours_exits_with_70(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(START)

    done = run_command(tmp_path, sys.executable, "-P", "-c", BROKEN, home=tmp_path / "ours")

    assert done.returncode == 70
    assert "ZeroDivisionError: ours" in done.stderr
    assert not done.stdout
