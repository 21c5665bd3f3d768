"""Help, versions, lists, and one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplace_tui import __version__
from inplace_tui.common.cells import width
from support.command import Command

COMMANDS = [
    "explain",
    "lesson",
    "challenge",
    "sandbox",
    "list",
    "run",
    "op",
    "check",
    "progress",
    "doctor",
]


def test_help_names_every_command_in_the_language_of_the_locale(command: Command) -> None:
    english, chinese = command("--help"), command("-h", LC_ALL="zh_CN.UTF-8")

    assert english.returncode == chinese.returncode == 0
    assert english.stdout.startswith("Usage: inplace-tui")
    assert chinese.stdout.startswith("用法：inplace-tui")
    for name in COMMANDS:
        assert f"\n  {name} " in english.stdout
        assert f"\n  {name} " in chinese.stdout


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.whole(every=12)
def test_every_command_has_help_in_both_languages(command: Command, name: str) -> None:
    english, chinese = command(name, "--help"), command("--lang", "zh", name, "--help")

    assert (english.returncode, chinese.returncode) == (0, 0)
    assert "--lessons DIR" in english.stdout
    assert "选项：" in chinese.stdout
    assert max(map(width, chinese.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", ["explain", "run", "sandbox"])
@pytest.mark.whole
def test_an_option_of_the_program_is_shown_behind_dashes(
    command: Command, tmp_path: Path, name: str
) -> None:
    script = tmp_path / "my script.py"
    script.write_text("pass\n")

    done = command(name, str(script), "--lr=4", "-v")

    line = f"inplace-tui {name} '{script}' -- --lr=4 -v"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no option --lr")
    assert done.stderr.endswith(f" What is meant for the program goes behind --: {line}\n")


@pytest.mark.parametrize("arguments", [["--version"], ["list", "--version"]])
def test_the_version_is_one_line(command: Command, arguments: list[str]) -> None:
    assert command(*arguments).stdout == f"inplace-tui {__version__}\n"


MISTAKES = [
    (["lst"], "There is no command 'lst' (did you mean 'list'?)."),
    (["list", "--jsn"], "There is no option --jsn (did you mean '--json'?)."),
    (["list", "--lang", "fr"], "--lang must be one of: en, zh."),
    (["list", "--lessons", "nowhere"], "nowhere is not a folder."),
    (["list", "--lessons", "empty"], "There are no lessons in empty"),
    (["run"], "LESSON|FILE is missing."),
    (["run", "nope"], "'nope' is neither a lesson nor a file."),
    (["run", "saved-outputt"], "(did you mean 'saved-output'?)"),
    (["run", "nope.py"], "nope.py can't be read: no such file."),
    (["run", "."], ". can't be read: is a folder."),
    (["run", "saved-output", "--variant", "sinn"], "no variant 'sinn' (did you mean 'sin'?)."),
    (["run", "saved-output", "--", "x"], "A lesson takes no arguments."),
    (
        ["run", "saved-output", "--format", "xml"],
        "--format must be one of: text, json, html, dot, svg.",
    ),
    (
        ["run", "saved-output", "--seconds", "0"],
        "--seconds must be a number above 0, at most 1000000.",
    ),
    (
        ["run", "saved-output", "--seconds", "nan"],
        "--seconds must be a number above 0, at most 1000000.",
    ),
    (["explain", "accelerate", "launch", "train.py"], "inplace-tui explain FILE -- ARGS."),
    (["explain", "accelerate", "launch", "--cpu", "x.py"], "inplace-tui explain FILE -- ARGS."),
    (["explain", "--json", "accelerate", "launch", "--", "x.py"], "can't look into."),
    (["explain", "-m", "accelerate.commands.launch", "--cpu", "x.py"], "can't look into."),
    (
        ["explain", "torchrun", "--nproc-per-node", "2", "x.py"],
        "--nproc-per-node 2 asks for others",
    ),
    (["explain", "--budget", "x"], "--budget must be a number above 0, at most 1000000."),
    (["drill", "--level", "6"], "--level must be a whole number from 1 on, at most 5."),
    (["lesson", "saved-output", "data"], "That is too many arguments: data."),
    (["list", "--lang"], "--lang needs a value."),
    (["check", "nowhere"], "nowhere can't be read: no such file or folder."),
    (["progress", "--reset", "exp"], "There is no progress for 'exp'."),
    (["progress", "--import", "nowhere"], "nowhere can't be read: No such file or directory."),
    (["progress", "--json", "--reset", "x"], "Only one of --json, --export, --import, --reset"),
    (["sandbox", "-m", "pytest", "tests"], "no Python file of yours is among its arguments"),
    (["sandbox", "-m", "nope"], "nope can't be read: no such module."),
    (["sandbox", "nope.py"], "nope.py can't be read: No such file or directory."),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[" ".join(m[0]) for m in MISTAKES])
@pytest.mark.whole(every=16)
def test_a_mistake_is_one_sentence_on_stderr(
    command: Command, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "empty").mkdir()

    done = command(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


@pytest.mark.whole
def test_a_mistake_is_said_in_chinese_wherever_the_option_stands(command: Command) -> None:
    first, last = command("--lang", "zh", "run", "nope"), command("run", "nope", "--lang=zh")

    assert first.stderr == last.stderr == "'nope' 既不是课程也不是文件。\n"
    assert command("--lang", "zh", "run", "nope.py").stderr == "无法读取 nope.py：没有这个文件。\n"
    unread = command("--lang", "zh", "sandbox", "nope.py").stderr
    assert unread == "无法读取 nope.py：没有这个文件或文件夹。\n"
    assert command("--lang", "zh", "drill", "--count", "0").stderr.splitlines() == [
        "--count 须是整数，从 1 起。",
        "请看 'inplace-tui drill --help'。",
    ]


def test_the_list_is_a_page_or_a_document(command: Command) -> None:
    page, document = command("list"), command("list", "--json")

    listed = json.loads(document.stdout)
    ids = [lesson["id"] for chapter in listed["chapters"] for lesson in chapter["lessons"]]
    assert len(ids) > 20
    assert [name for name in ids if name not in page.stdout] == []
    assert listed["problems"] == []
    for text in (page.stdout, command("--lang", "zh", "list").stdout):
        assert [line for line in text.splitlines() if width(line) > 80] == []


@pytest.mark.whole
def test_a_broken_lesson_is_listed_as_one_and_the_rest_is_there(
    command: Command, tmp_path: Path
) -> None:
    chapter = tmp_path / "mine" / "01-one"
    chapter.mkdir(parents=True)
    header = "schema: 1\ntitle: {en: One, zh: 一}\nsummary: {en: One, zh: 一}\n"
    (chapter / "chapter.yaml").write_text(header, encoding="utf-8")
    (chapter / "01-broken.yaml").write_text("schema: 1\nid: broken\nsed: 3\n")

    done = command("list", "--lessons", "mine")

    assert done.returncode == 0
    assert done.stdout == "1. One\n"
    assert "mine/01-one/01-broken.yaml:3:1: unknown key 'sed' (did you mean 'seed'?)" in done.stderr
    assert command("run", "broken", "--lessons", "mine").returncode == 2


@pytest.mark.whole
def test_progress_goes_out_and_comes_in(command: Command, tmp_path: Path) -> None:
    exported = '{"schema": 1, "lessons": {"saved-output": {"finished": true}}}'
    (tmp_path / "old.json").write_text(exported)

    taken = command("progress", "--import", "old.json")
    page = command("progress", "--lang", "en")
    listed = command("list")
    out = command("progress", "--export", "-")
    reset = command("progress", "--reset", "saved-output")
    after = command("progress", "--json")

    assert (taken.returncode, taken.stdout) == (0, "")
    assert page.stdout.startswith("✓ saved-output")
    assert "\n ✓ saved-output " in listed.stdout
    assert json.loads(out.stdout)["lessons"]["saved-output"]["finished"] is True
    assert reset.returncode == 0
    assert json.loads(after.stdout)["lessons"] == {}


@pytest.mark.whole
def test_what_is_no_progress_is_not_taken_in(command: Command, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[1, 2]")

    done = command("progress", "--import", "other.json")

    assert done.returncode == 2
    assert done.stderr.startswith("other.json can't be imported: it is no progress record")


def test_a_file_alone_is_explained_with_its_arguments_where_there_is_no_terminal(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("import sys\nprint(sys.argv[1:])\nraise SystemExit(3)\n")

    done = command("mine.py", "--plain", "-x", "1")
    gone = command("gone.py")

    assert "['--plain', '-x', '1']" in done.stderr
    assert done.stdout.startswith("mine.py: ")
    assert done.returncode == 1
    assert (gone.returncode, gone.stderr) == (
        2,
        "gone.py can't be read: No such file or directory.\n",
    )
