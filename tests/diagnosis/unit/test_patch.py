"""Patches that git and patch take, of files as people have them; and findings for editors."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from inplace_tui.common.file_changes import FileChange, FileChangedError, rewritten
from inplace_tui.common.fix_files import changes, write
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.commands.patches import patch
from inplace_tui.diagnosis.fixes.repair import changed_lines

FILES = {
    "plain.py": (b"a = 1\nb = 2\nc = 3\n", b"a = 1\nb = 4\nc = 3\nd = 5\n"),
    "no_end.py": (b"a = 1\nb = 2", b"a = 1\nb = 3"),
    "ends_now.py": (b"a = 1\nb = 2", b"a = 1\nb = 2\nc = 3\n"),
    "windows.py": (b"\xef\xbb\xbfa = 1\r\nb = 2\r\n", b"\xef\xbb\xbfa = 1\r\nb = 3\r\n"),
    "mixed.py": (b"a = 1\rb = 2\nc = '\x0c'\n", b"a = 1\rb = 3\nc = '\x0c'\n"),
    "latin.py": (b"# coding: latin-1\nn = '\xe9'\n", b"# coding: latin-1\nn = '\xe9' * 2\n"),
    "in a folder/with blanks.py": (b"x\n" * 30, b"x\n" * 14 + b"y\n" + b"x\n" * 15),
    "文件.py": (b"a\n", b"b\n"),
    'quo"ted.py': (b"a\n", b"b\n"),
}


@pytest.mark.parametrize("tool", [["git", "apply"], ["patch", "-p1", "-s"]], ids=["git", "patch"])
def test_a_patch_of_many_files_makes_of_each_what_the_fix_is(
    tool: list[str], tmp_path: Path
) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not here")
    for name, (before, _) in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(before)
    text = patch([(name, *contents) for name, contents in FILES.items()])

    # Line ends are what is tested: no configuration of git's may have a say in them.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    options = {"patch": ["--binary"], "git": ["--whitespace=nowarn"]}[tool[0]]
    done = subprocess.run(
        [*tool, *options],
        check=False,
        cwd=tmp_path,
        env=environment,
        input=text,
        capture_output=True,
    )

    assert done.returncode == 0, done.stderr
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == {
        name: after for name, (_, after) in FILES.items()
    }


def fix(source: str) -> Fix:
    return Fix(title=LocalText(en="t", zh="t"), line=1, diff="", source=source)


def program(path: Path, source: str) -> Program:
    return Program(source=source, origin=Origin.OWN, filename=str(path))


def test_what_is_written_keeps_encoding_and_mode_and_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    path.chmod(0o750)

    [change] = changes(program(path, "a = 1\r\n"), fix("a = 2\r\n"))
    [kept] = write([change])

    assert path.read_bytes() == b"\xef\xbb\xbfa = 2\r\n"
    assert path.stat().st_mode & 0o777 == 0o750
    assert (kept.name, kept.read_bytes()) == ("train.py.orig", b"\xef\xbb\xbfa = 1\r\n")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["train.py", "train.py.orig"]


def test_an_imported_file_keeps_its_ends_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_bytes(b"a = 1\r\nb = 1\r\n")

    assert rewritten(path, "a = 1\nb = 1\n", "a = 2\nb = 1\n").after == b"a = 2\r\nb = 1\r\n"

    path.write_bytes(b"a = 1\r\nb = 1\n")
    with pytest.raises(FileChangedError):  # which line had which is not known
        rewritten(path, "a = 1\nb = 1\n", "a = 2\nb = 1\n")


def test_an_old_file_that_is_kept_already_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"one")
    (tmp_path / "train.py.orig").write_bytes(b"precious")

    [kept] = write([FileChange(path, b"one", b"two")])

    assert (kept.name, kept.read_bytes()) == ("train.py.orig2", b"one")
    assert (tmp_path / "train.py.orig").read_bytes() == b"precious"


def test_a_file_that_a_link_names_is_written_where_it_is(tmp_path: Path) -> None:
    path, link = tmp_path / "real.py", tmp_path / "link.py"
    path.write_bytes(b"one")
    link.symlink_to(path)

    write([FileChange(link, b"one", b"two")])

    assert link.is_symlink()
    assert path.read_bytes() == b"two"


def test_a_file_that_was_edited_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"a = 3\n")

    with pytest.raises(FileChangedError):
        changes(program(path, "a = 1\n"), fix("a = 2\n"))


def test_changed_lines_put_together_are_the_fixed_program() -> None:
    before, after = "a\nb\nc\nd", "a\nB\nc\nc2\nd\ne"
    lines = before.splitlines(keepends=True)
    for first, last, text in reversed(changed_lines(before, after)):
        lines[first - 1 : last - 1] = [text]

    assert "".join(lines) == after
