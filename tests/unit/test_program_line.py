"""A program as one calls it: the shell is the oracle of its words, Python of its arguments."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_tui.tutorial.ui.program_line import LineError, completed, quoted, read_line, words_of
from support.whole import examples

LETTERS = st.text("ab'\"\\ #=-/.~\t", max_size=12)

ARGV = "import json, sys\nprint(json.dumps(sys.argv[1:]))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("train.py", "with space.py", "it's.py", "pkg/fit.py", "pkg/__init__.py", "读.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("" if "__" in name else ARGV)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "zeros.py").write_bytes(b"x = 1\n\0")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    (tmp_path / "broken.ipynb").write_text("{")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(line: str) -> list[str] | None:
    """Return the words of a shell; None where it misses the end of a quotation."""
    try:
        return shlex.split(line)
    except ValueError:
        return None


@given(LETTERS)
@settings(max_examples=examples(150))
def test_words_are_a_shell_s_and_stand_where_they_stand(line: str) -> None:
    if shell(line) is None:
        with pytest.raises(LineError) as wrong:
            words_of(line)
        at = wrong.value.at
        assert line[at.start : at.end] == at.text
        assert shell(line[: at.start]) is not None  # nothing is wrong before it
        return

    words = words_of(line)

    assert [each.text for each in words] == shell(line)
    assert [shell(line[each.start : each.end]) for each in words] == [[w.text] for w in words]


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\0"))))
@settings(max_examples=examples(150))
def test_what_was_quoted_is_read_again(names: list[str]) -> None:
    lines = " ".join(map(quoted, filter(None, names))), shlex.join(names)

    assert [shell(line) for line in lines] == [[*filter(None, names)], names]


LINES = (
    "python train.py --lr 3 --name 'a b' -- \\'",
    "python -u ./train.py --lr=3",
    "LR=3 NAME='a b' python 'with space.py' \"it's\" -m",
    "python -m pkg.fit --lr 3",
    "python 读.py 参数",
)


def test_a_program_gets_the_arguments_that_a_shell_gives_it(folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["sh", "-c", "&&".join(LINES)],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]

    for line in LINES:
        without = re.sub(r"python (-u )?", "", line)
        assert read_line(without, "desk").arguments == read_line(line, "desk").arguments
    assert [list(read_line(line, "desk").arguments) for line in LINES] == told
    assert read_line(LINES[2], "desk").environment == (("LR", "3"), ("NAME", "a b"))


def test_two_dashes_divide_as_on_our_command_line(folder: Path) -> None:
    assert read_line("train.py -- --lr 3", "desk").arguments == ("--lr", "3")


def test_what_an_input_method_made_wide_is_read_as_it_was_meant(folder: Path) -> None:
    opening = read_line("ｔｒａｉｎ．ｐｙ　－－ｌｒ　３ '，'", "desk")

    assert (opening.file, opening.arguments) == (Path("train.py"), ("--lr", "3", "，"))


WRONG = {
    "": ("Type the path", 0),
    "  ": ("Type the path", 2),
    "trian.py": ("There is no trian.py in {0} (did you mean 'train.py'?).", 0),
    "python -u pgk/fit.py --lr 3": ("There is no pgk in {0} (did you mean 'pkg'?).", 10),
    "pkg/fti.py": ("There is no fti.py in {0}/pkg (did you mean 'fit.py'?).", 0),
    "train.py/x": ("Not a directory", 0),
    "pkg": ("pkg is a folder. Choose a program in it.", 0),
    "empty": ("no Python file", 0),
    "zeros.py": ("zero byte at offset 6", 0),
    "latin.py x": ("not UTF-8 (byte 0xe9 at offset 5)", 0),
    "broken.ipynb": ("broken.ipynb", 0),
    "-m": ("-m needs a value", 0),
    "-m nope": ("There is no nope in {0}.", 3),
    "-m pkg.fti 1": ("There is no fti in {0}/pkg (did you mean 'fit'?).", 3),
    "-m pkg": ("pkg is a package with no __main__", 3),
    "train.py 'a b": ("The ' in column 10 isn't closed.", 9),
    "train.py \\": ("The \\ in column 10 isn't closed.", 9),
    "torchrun --nproc-per-node 2 train.py": ("asks for others", 0),
    "x" * 5000: ("File name too long", 0),
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_said_and_where(folder: Path, line: str) -> None:
    said, place = WRONG[line]

    with pytest.raises(LineError) as wrong:
        read_line(line, "desk")

    assert said.format(folder) in wrong.value.text.en
    assert wrong.value.at.start == place
    assert wrong.value.text["zh"] != wrong.value.text.en


@pytest.mark.parametrize("line", ["locked/x.py", "locked", "-m locked.x", "-m unread", "unread.py"])
def test_what_is_locked_is_refused_and_not_called_empty(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    (folder / "locked").mkdir(mode=0)
    (folder / "unread.py").touch(mode=0)
    ours = os.geteuid()
    if ours == 0:  # who may read all
        folder.parent.chmod(0o755)
        folder.chmod(0o755)
        os.seteuid(65534)
    try:
        with pytest.raises(LineError, match="Permission denied"):
            read_line(line, "desk")
    finally:
        os.seteuid(ours)


def test_without_a_working_directory_a_whole_path_is_read(folder: Path) -> None:
    left = folder / "left"
    left.mkdir()
    os.chdir(left)
    left.rmdir()

    assert read_line(f"{folder}/train.py", "desk").file == folder / "train.py"
    with pytest.raises(LineError, match="No such file"):
        read_line("train.py", "desk")


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("tr", ["train.py"]),
        ("python -u pkg/", ["python -u pkg/__init__.py", "python -u pkg/fit.py"]),
        ('"with s', ["with\\ space.py"]),
        ("with\\ ", ["with\\ space.py"]),
        ("it\\'", ["it\\'s.py"]),
        ("-m pk", ["-m pkg."]),
        ("-m pkg.", ["-m pkg.fit"]),
        ("train.py --at no", ["train.py --at notes.txt"]),
        ("no", []),
    ],
)
def test_tab_completes_the_last_word(folder: Path, before: str, found: list[str]) -> None:
    kept, names = completed(before)

    assert [kept + quoted(name) for name in names] == found
