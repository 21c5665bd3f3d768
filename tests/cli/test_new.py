"""`new` writes a lesson that is true, and never over anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Command
from support.tables import read_table

pytestmark = pytest.mark.usefixtures("warm_torch")

AWKWARD = ("no", "010", "2026-01-01", "null", "a" * 60)
"""Ids that YAML would take for something else, and one that leaves no room in a title."""


@pytest.mark.whole
def test_what_it_writes_is_true_before_a_word_is_changed(command: Command, tmp_path: Path) -> None:
    for name in ("my-idea", *AWKWARD):
        done = command("new", name, "--chapter", "pack/01-mine")
        assert done.returncode == 0

    checked = command("check", "pack", "--json", "--trust")

    found = json.loads(checked.stdout)
    assert [each["id"] for each in found["lessons"]] == ["my-idea", *AWKWARD]
    assert (found["ok"], found["problems"]) == (True, [])
    first = (tmp_path / "pack/01-mine/01-my-idea.yaml").read_text(encoding="utf-8").split("\n")[0]
    schema = first.partition("$schema=")[2]
    assert json.loads((tmp_path / "pack/01-mine" / schema).read_text())["title"]


def test_the_chinese_titles_are_chinese(command: Command, tmp_path: Path) -> None:
    assert command("new", "my-idea", "--chapter", "pack/01-mine").returncode == 0

    for file, name in (("chapter.yaml", "Mine"), ("01-my-idea.yaml", "My idea")):
        title = read_table(tmp_path / "pack/01-mine" / file)["title"]
        assert title["en"] == name
        assert title["zh"].startswith("新的一")


@pytest.mark.whole
def test_a_file_with_a_problem_is_never_called_ok(command: Command, tmp_path: Path) -> None:
    assert command("new", "my-idea", "--chapter", "pack/01-mine").returncode == 0
    lesson = tmp_path / "pack/01-mine/01-my-idea.yaml"
    text = lesson.read_text("utf-8")
    lesson.write_text(text.replace("requires: []", "requires: [nowhere-taught]"), "utf-8")

    checked = command("check", "pack", "--trust")

    assert (checked.returncode, checked.stdout.count("\n")) == (1, 1)
    assert checked.stdout.startswith(f"{lesson.relative_to(tmp_path).as_posix()}:8:12: ")


def test_it_says_what_to_do_next(command: Command) -> None:
    done = command("new", "my-idea", "--chapter", "pack/01-mine")

    assert done.stdout == "pack/01-mine/01-my-idea.yaml\n"
    assert "inplace-tui check pack/01-mine/01-my-idea.yaml" in done.stderr
    assert "inplace-tui --lessons pack lesson my-idea" in done.stderr


@pytest.mark.parametrize("chapter", [(), ("--chapter", "pack/01-mine")])
@pytest.mark.whole
def test_what_to_do_next_can_be_done(command: Command, chapter: tuple[str, ...]) -> None:
    done = command("new", "my-idea", *chapter)

    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("  inplace-tui")]
    assert lines
    for _, *arguments in lines:
        assert command(*arguments, stdin="q\n").returncode == 0, arguments


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "mine", "--chapter", "p/01-a"), "p/01-a/01-mine.yaml is there already."),
        (("new", "Bad Name"), "'Bad Name' is no id"),
        (("new", "saved-output"), "There is a lesson 'saved-output' already"),
        (("new", "other", "--chapter", "p"), "p is no chapter"),
        (("new", "other", "--chapter", "p/01-a/01-mine.yaml/02-b"), "can't be written"),
    ],
)
@pytest.mark.whole(every=6)
def test_what_can_not_be_written_is_refused_in_a_sentence(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert command("new", "mine", "--chapter", "p/01-a").returncode == 0
    before = sorted(tmp_path.rglob("*"))

    done = command(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
