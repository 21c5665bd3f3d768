"""Nothing from elsewhere runs unasked, whatever its folder is called and whatever changed in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_tui.drive.packs import read_library, read_pack
from inplace_tui.model.program import Origin
from support.command import COMMAND, inherited
from support.packs import write_pack
from support.rights import Outside

pytestmark = pytest.mark.usefixtures("warm_torch")


def call(folder: Path, *arguments: str) -> int:
    """Return what the command exits with, called in a folder where nobody can answer."""
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env={**inherited(), "HOME": str(folder.parent), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done.returncode


WAYS: dict[str, Callable[[Path], list[str]]] = {
    "run": lambda _: ["--lessons", ".", "run", "pack-silent", "--once"],
    "run ./": lambda _: ["--lessons", "./", "run", "pack-silent", "--once"],
    "run ''": lambda _: ["--lessons", "", "run", "pack-silent", "--once"],
    "run link": lambda pack: ["--lessons", f"{pack}-link", "run", "pack-silent", "--once"],
    "run file": lambda _: ["run", "01-only/01-pack-silent.yaml", "--once"],
    "run variant": lambda _: ["run", "01-only/01-pack-silent.yaml", "--variant", "other"],
    "check": lambda _: ["check", "."],
    "check chapter": lambda _: ["check", "01-only"],
    "check file": lambda pack: ["check", str(pack / "01-only/01-pack-silent.yaml")],
    "check lessons": lambda _: ["--lessons", ".", "check"],
    "plain lesson": lambda _: ["--lessons", ".", "--plain", "lesson", "pack-silent"],
    "picture": lambda _: ["--lessons", ".", "run", "pack-silent", "--format", "svg"],
    "challenge": lambda _: ["--lessons", ".", "challenge", "pack-task", "--grade", "../edit.py"],
}


FURTHER = {"run", "run file", "check", "plain lesson", "challenge"}
"""Those of which the programs are run, too; the others differ in how they are named."""


@pytest.mark.parametrize("way", WAYS)
def test_it_is_asked_about_and_confined_after_a_yes(tmp_path: Path, way: str) -> None:
    with Outside(tmp_path / "outside") as outside:
        pack = outside.write_lessons(tmp_path / "mine", "pack")
        Path(f"{pack}-link").symlink_to(pack)
        (tmp_path / "edit.py").write_text(outside.fault)

        assert call(pack, *WAYS[way](pack)) == 2
        if way in FURTHER:
            # A challenge that is not solved and a program that fails exit with 1.
            assert call(pack, *WAYS[way](pack), "--trust") in {0, 1}
        assert outside.reached() == (0, 0)


@pytest.mark.parametrize("name", ["own.py", "./own.py"])
def test_a_file_of_ones_own_is_not_asked_about(tmp_path: Path, name: str) -> None:
    with Outside(tmp_path / "outside") as outside:
        folder = tmp_path / "mine"
        folder.mkdir()
        (folder / "own.py").write_text(outside.fault)

        assert call(folder, "run", name, "--once") == 1
        assert outside.reached() == (1, 1)


def test_a_built_in_lesson_is_not_asked_about_by_any_name(tmp_path: Path) -> None:
    from inplace_tui.paths import built_in_lessons  # noqa: PLC0415

    link = tmp_path / "ours"
    link.symlink_to(built_in_lessons())
    for folder in (built_in_lessons(), link):
        found = read_library(folder, built_in_lessons(), tmp_path / "none")

        assert not found.packs
        assert {each.origin for each in found.course.lessons} == {Origin.BUILT_IN}


@pytest.mark.parametrize("name", [".", "./", "", "../theirs", "../link"])
def test_a_pack_is_one_however_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    (tmp_path / "link").symlink_to(pack)
    monkeypatch.chdir(pack)

    found = read_library(Path(name), tmp_path / "built-in", tmp_path / "none")
    (lesson,) = found.course.lessons

    assert lesson.origin is Origin.PACK
    assert found.pack_of(lesson) is found.packs[0]
    assert found.packs[0].digest == read_pack(pack).digest


@pytest.mark.parametrize("module", ["json", "importlib", "msgspec", "runpy", "site", "torch"])
def test_asking_an_interpreter_runs_nothing_of_the_folder_one_is_in(
    tmp_path: Path, module: str
) -> None:
    written = tmp_path / "written"
    (tmp_path / f"{module}.py").write_text(f"open({str(written)!r}, 'w')\n")
    (tmp_path / "fine.txt").write_text("x = 1\n")

    call(tmp_path, "explain", "--python", sys.executable, "fine.txt", "--once")

    assert not written.exists()


HIDDEN = [".hidden", "01-mine/.hidden.py", "__pycache__/a.pyc", ".git/config"]


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_file_is_a_part_of_what_is_trusted(tmp_path: Path, name: str) -> None:
    """A program of the pack can read it, and run what is in it."""
    pack = write_pack(tmp_path / "theirs", "new-idea")
    digests = {read_pack(pack).digest}
    for content in ("a", "b"):
        (pack / name).parent.mkdir(exist_ok=True)
        (pack / name).write_text(content)
        digests.add(read_pack(pack).digest)

    assert len(digests) == 3
    assert [each.lesson.id for each in read_pack(pack).course.lessons] == ["new-idea"]


def test_what_git_keeps_may_be_larger_than_a_lesson(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    (pack / ".git").mkdir()
    (pack / ".git" / "pack").write_bytes(os.urandom(3 * 2**20))

    assert not read_pack(pack).course.problems
