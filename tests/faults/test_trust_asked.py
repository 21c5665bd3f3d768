"""Nothing from elsewhere runs unasked, whatever its folder is called and whatever changed in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import UNKEPT
from inplace_tui import cli
from inplace_tui.common import paths
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.commands import check
from inplace_tui.tutorial.drive.packs import read_library, read_pack
from support.command import COMMAND, inherited, make_home
from support.packs import write_pack
from support.rights import Outside
from support.whole import WHOLE

pytestmark = pytest.mark.usefixtures("warm_torch")


PATCHED = """
import sys
from pathlib import Path
from inplace_tui.common import paths
from inplace_tui.diagnosis.runner import interpreter
unkept, course = {unkept!r}, {course!r}
if unkept: interpreter.command = lambda _: list(unkept)
paths.built_in_lessons = lambda: Path(course)
from inplace_tui import cli
sys.argv[0] = "inplace-tui"
cli.main()
"""


def call(folder: Path, *arguments: str, kept: bool = True, course: Path | None = None) -> int:
    """Return what the command exits with, called in a folder where nobody can answer.

    Args:
        folder: where it is called.
        arguments: of the command.
        kept: whether the machine has namespaces.
        course: what is built in; without namespaces nothing is, unless this is given.
    """
    home = make_home(folder.parent / "home")
    command: list[str | Path] = [COMMAND]
    if not kept or course is not None:
        if course is None:
            course = folder.parent / "course"
            course.mkdir()
        unkept = () if kept else UNKEPT
        source = PATCHED.format(unkept=unkept, course=str(course))
        command = [sys.executable, "-P", "-c", source]
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**inherited(), "INPLACE_TUI_HOME": home, "LANG": "C.UTF-8"},
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
    "page": lambda _: ["--lessons", ".", "run", "pack-silent", "--format", "html"],
    "challenge": lambda _: ["--lessons", ".", "challenge", "pack-task", "--grade", "../edit.py"],
}


ALL = [(way, kept) for way in WAYS for kept in (True, False)]
SAMPLE = [
    ("run", True),
    ("run file", False),
    ("check", False),
    ("plain lesson", True),
    ("challenge", False),
]
"""Of the others the programs run in `make whole` and `make rights`: they differ in their names."""


def test_every_way_asks_before_a_program_of_a_pack_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INPLACE_TUI_HOME", make_home(tmp_path / "home"))
    with Outside(tmp_path / "outside") as outside:
        pack = outside.write_lessons(tmp_path / "mine", "pack")
        Path(f"{pack}-link").symlink_to(pack)
        (tmp_path / "edit.py").write_text(outside.fault)
        monkeypatch.chdir(pack)
        none = tmp_path / "none"  # the course takes a second to read, each time
        none.mkdir()
        monkeypatch.setattr(paths, "built_in_lessons", lambda: none)
        monkeypatch.setattr(check, "built_in_lessons", lambda: none)
        for way, arguments in WAYS.items():
            monkeypatch.setattr(sys, "argv", ["inplace-tui", *arguments(pack)])
            with pytest.raises(SystemExit) as ended:
                cli.main()
            assert ended.value.code == 2, way
        assert outside.reached() == (0, 0)


@pytest.mark.parametrize(
    ("way", "kept"), ALL if WHOLE or os.environ.get("RIGHTS") == "all" else SAMPLE
)
@pytest.mark.whole(every=6)
def test_it_is_confined_after_a_yes(tmp_path: Path, way: str, kept: bool) -> None:
    with Outside(tmp_path / "outside") as outside:
        pack = outside.write_lessons(tmp_path / "mine", "pack")
        Path(f"{pack}-link").symlink_to(pack)
        (tmp_path / "edit.py").write_text(outside.fault)

        # A challenge that is not solved and a program that fails exit with 1.
        assert call(pack, *WAYS[way](pack), "--trust", kept=kept) in {0, 1}
        assert outside.reached() == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["run", "own.py", "--once"], True),
        (["run", "./own.py", "--once"], False),
        (["--plain", "sandbox", "own.py"], False),
        (["explain", "own.py", "--once"], True),
        (["explain", "-m", "own", "--once"], True),
        (["explain", "own.py", "--apply"], True),
        (["run", "own.py", "--format", "html"], True),
    ],
)
@pytest.mark.whole(every=7)
def test_a_file_of_ones_own_is_not_asked_about_and_has_ones_rights(
    tmp_path: Path, arguments: list[str], kept: bool
) -> None:
    with Outside(tmp_path / "outside") as outside:
        folder = tmp_path / "mine"
        folder.mkdir()
        (folder / "own.py").write_text(outside.fault)

        assert call(folder, *arguments, kept=kept) in {0, 1}
        files, connections = outside.reached()
        assert min(files, connections) >= 1


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [(["run", "ours-silent", "--once"], False), (["--plain", "lesson", "ours-silent"], True)],
)
@pytest.mark.whole
def test_a_built_in_lesson_is_confined_without_a_question(
    tmp_path: Path, arguments: list[str], kept: bool
) -> None:
    with Outside(tmp_path / "outside") as outside:
        course = outside.write_lessons(tmp_path / "course", "ours")

        assert call(tmp_path, *arguments, kept=kept, course=course) in {0, 1}
        assert outside.reached() == (0, 0)


@pytest.mark.whole
def test_a_built_in_lesson_is_not_asked_about_by_any_name(tmp_path: Path) -> None:
    from inplace_tui.common.paths import built_in_lessons  # noqa: PLC0415

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


@pytest.mark.whole
def test_asking_an_interpreter_runs_nothing_of_the_folder_one_is_in(tmp_path: Path) -> None:
    written = tmp_path / "written"
    written.mkdir()
    for module in ("json", "importlib", "msgspec", "runpy", "site", "torch"):
        source = f"open({str(written / module)!r}, 'w')\n"
        (tmp_path / f"{module}.py").write_text(source)
    (tmp_path / "fine.txt").write_text("x = 1\n")

    call(tmp_path, "explain", "--python", sys.executable, "fine.txt", "--once")

    assert list(written.iterdir()) == []


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
