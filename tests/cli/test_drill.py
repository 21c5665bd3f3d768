"""`drill` without a screen: for pipes, screen readers and teachers."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from inplace_tui.tutorial.activity.drill.grammar import make
from support.command import COMMAND, Command, run_command

pytestmark = pytest.mark.usefixtures("warm_torch")


def drill(home: Path, answers: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the drill with these answers on its standard input."""
    return run_command(home, COMMAND, "drill", *arguments, home=home, typed=answers)


@pytest.mark.whole
def test_a_teacher_shows_the_same_programs_every_time_and_nothing_is_kept(tmp_path: Path) -> None:
    wanted = ("--seed", "5", "--level", "4", "--count", "2", "--plain")
    first = drill(tmp_path, "2\n1\n\n3\n3\n", *wanted)
    second = drill(tmp_path, "2\n1\n\n3\n3\n", *wanted)

    assert (first.returncode, first.stdout) == (0, second.stdout)
    for line in make(5, 4).source.splitlines() + make(6, 4).source.splitlines():
        assert re.search(rf"^ *\d+  {re.escape(line)}$", first.stdout, re.M)
    assert "Drill 2   level 4, seed 6" in first.stdout
    assert "w.grad came out as" in first.stdout
    assert "This session: " in first.stdout
    assert not (tmp_path / "progress.json").exists()


@pytest.mark.whole
def test_answers_are_kept_told_of_and_forgotten(command: Command, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = drill(home, "four\n9\n1\n1\n\n1\n2\nq\n")
    drilled = json.loads((home / "progress.json").read_text())["drill"]

    assert done.returncode == 0
    assert done.stdout.count("a number from 1 to 4 answers") == 2
    assert drilled["total"]["answered"] == 2
    assert f"{drilled['total']['right']} of 2 right." in done.stdout
    assert "By concept, the weakest first:" in done.stdout
    assert f"Drill: level {drilled['level']}, " in command("progress").stdout
    assert command("progress", "--reset", "drill").returncode == 0
    assert command("progress").stdout == "Nothing done yet.\n"


@pytest.mark.whole
def test_a_question_left_open_is_not_counted(tmp_path: Path) -> None:
    """The input ends between the prediction and how sure one is."""
    done = drill(tmp_path, "1")

    assert done.returncode == 0
    assert "This session: 0 of 0 right." in done.stdout
    assert not (tmp_path / "progress.json").exists()


def test_nothing_of_the_run_is_told_before_the_answer_and_all_of_it_after(tmp_path: Path) -> None:
    """Level 4, seed 5 is silently wrong by `a.data[0] = 5` on line 9."""
    looks = "n\nt\nw\nd\nm\nb\ndrill\n"
    wanted = ("--seed", "5", "--level", "4", "--count", "2")
    done = drill(tmp_path, looks + "2\nl\n2\n1\nb\nt a\nd\nw\n\nw\n\n", *wanted)
    before, after = done.stdout.split("✓ right, and you knew it\n")

    assert before.count("Predict first") == 7
    assert before.count("You say: Runs, but a gradient is silently wrong") == 2
    assert before.count("Nothing has run yet.") == 2  # l took the first answer back
    assert "data[0] = 5" in before  # the program itself
    assert not re.search("▸|v0|MaxBackward|came out as", before)
    assert after.index("▸  9  a.data[0] = 5") < after.index("a written, version kept")
    assert re.search("^storage +D$", after, re.M)
    assert "1 ● MaxBackward1  loss" in after
    assert "The run has not come to its end here." in after
    assert after.index("▸ 10  loss.backward()") < after.index("Drill 2   level 4, seed 6")
    assert after.count("w.grad came out as -1. -0. -0.") == 3  # told, at the end, and asked for


@pytest.mark.whole
def test_it_speaks_chinese(tmp_path: Path) -> None:
    done = drill(tmp_path, "1\n1\n", "--lang", "zh", "--count", "1", "--seed", "5")

    assert "程序还没有运行。它会怎样？" in done.stdout
    assert "你有多大把握？" in done.stdout
    assert "题目由 --seed 或 --level 指定" in done.stderr


def test_a_level_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = drill(tmp_path, "", "--level", "6")

    assert done.returncode == 2
    assert "--level" in done.stderr
