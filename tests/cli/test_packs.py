"""On the command line, a pack from elsewhere runs after `--trust`, until it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_tui.common.confinement import offered
from inplace_tui.common.trust import question
from support.command import Command

pytestmark = pytest.mark.usefixtures("warm_torch")


@pytest.mark.whole
def test_a_pack_is_listed_at_once_and_run_when_it_is_trusted(
    command: Command, tmp_path: Path
) -> None:
    command("new", "my-idea", "--chapter", "home/packs/theirs/01-mine")
    listed = json.loads(command("list", "--json").stdout)
    before = command("run", "my-idea")
    first = command("run", "my-idea", "--once", "--trust")
    again = command("run", "my-idea", "--once")
    with (tmp_path / "home/packs/theirs/01-mine/chapter.yaml").open("a") as file:
        file.write("# changed\n")
    changed = command("run", "my-idea", "--once")

    assert listed["chapters"][-1]["lessons"][0]["id"] == "my-idea"
    assert [each.returncode for each in (before, first, again, changed)] == [2, 0, 0, 2]
    assert before.stdout == changed.stdout == ""
    asked = question(str(tmp_path / "home/packs/theirs"), offered(), "en")
    assert asked in before.stderr
    assert "If you trust them as they are, add --trust." in before.stderr


@pytest.mark.whole
def test_another_folder_of_lessons_is_a_pack_too_and_replaces_the_course(command: Command) -> None:
    command("new", "my-idea", "--chapter", "mine/01-mine")

    listed = json.loads(command("list", "--json", "--lessons", "mine").stdout)
    refused = command("run", "my-idea", "--lessons", "mine")
    run = command("run", "my-idea", "--once", "--lessons", "mine", "--trust")

    assert [each["slug"] for each in listed["chapters"]] == ["mine"]
    assert (refused.returncode, run.returncode) == (2, 0)


def test_a_broken_pack_hides_nothing_of_the_course(command: Command, tmp_path: Path) -> None:
    (tmp_path / "home/packs/bad/01-a").mkdir(parents=True)
    (tmp_path / "home/packs/bad/01-a/chapter.yaml").write_text("schema: [")
    (tmp_path / "home/trusted.json").write_text("no json")

    done = command("list")

    assert "saved-output" in done.stdout
    assert "home/packs/bad/01-a/chapter.yaml:2:1: not YAML" in done.stderr


@pytest.mark.whole
def test_a_pack_may_require_what_built_in_lessons_teach_and_nothing_else(
    command: Command, tmp_path: Path
) -> None:
    command("new", "my-idea", "--chapter", "mine/01-mine")
    file = tmp_path / "mine/01-mine/01-my-idea.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("requires: []", "requires: [saved-output, nowhere]"), "utf-8")

    found = json.loads(command("check", "mine", "--json", "--trust").stdout)
    listed = json.loads(command("list", "--lessons", "mine", "--json").stdout)

    assert [each["message"]["en"] for each in found["problems"]] == [
        "no earlier lesson teaches 'nowhere'"
    ]
    assert listed["problems"] == found["problems"]


@pytest.mark.parametrize("name", ["01-missing.yaml", "sub/../01-missing.yaml", "02-folder.yaml"])
@pytest.mark.whole
def test_a_lesson_that_is_not_beside_its_chapter_is_said_not_to_be_there(
    name: str, command: Command, tmp_path: Path
) -> None:
    command("new", "my-idea", "--chapter", "mine/01-mine")
    (tmp_path / "mine/01-mine/sub").mkdir()
    (tmp_path / "mine/01-mine/02-folder.yaml").mkdir()

    done = command("run", f"mine/01-mine/{name}")

    assert done.returncode == 2
    assert done.stderr.startswith(f"mine/01-mine/{name} can't be read: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_lesson_is_found_whichever_way_its_path_takes(command: Command, tmp_path: Path) -> None:
    command("new", "my-idea", "--chapter", "mine/01-mine")
    (tmp_path / "mine/01-mine/sub").mkdir()

    done = command("run", "--trust", "--once", "mine/01-mine/sub/../01-my-idea.yaml")

    assert done.returncode == 0
