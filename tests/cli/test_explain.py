"""`inplace-tui explain`, as a shell sees it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.command import COMMAND, Command, inherited

pytestmark = pytest.mark.usefixtures("warm_torch")

STALE = """\
import sys
import torch
print("hello from the program")
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""
FINE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.exp().sum().backward()\n"
UNKEPT = "import torch\na = torch.ones(2, requires_grad=True)\nb = a * 2\nb.sum().backward()\n"
PROGRAMS = {
    "stale.py": STALE,
    "fine.py": FINE,
    "broken.py": "def f(:\n",
    "helper.py": "def scale(t):\n    return t.mul_(2)\n",
    "imports.py": (
        "import torch\nfrom helper import scale\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "def forward():\n    y = x.sigmoid()\n    scale(y)\n    return y\n"
        "forward().sum().backward()\n"
    ),
    "library.py": (
        "def squashed(t):\n    kept = t.sigmoid()\n    kept += 1\n    return kept * 2\n"
    ),
    "calls.py": (
        "import torch\nfrom library import squashed\n"
        "x = torch.ones(2, requires_grad=True)\ny = squashed(x)\ny.sum().backward()\n"
    ),
    "steps.py": (
        "import torch\nw = torch.ones(2, requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=0.1)\n"
        "one, two = (w ** 2).sum(), (w ** 3).sum()\n"
        "one.backward()\nopt.step()\ntwo.backward()\n"
    ),
    "crash.py": "import os\nx = 1\nos.abort()\n",
    "caught.py": STALE.replace(
        "y.sum().backward()", "try:\n    y.sum().backward()\nexcept RuntimeError:\n    pass"
    ).replace("hello", "caught"),
    "warns.py": f"{UNKEPT}g = b.grad\n",
    "prints.py": f"{UNKEPT}print(b.grad)\n",
}
SHOWN = {
    "stale.py": STALE,
    "calls.py": PROGRAMS["calls.py"],
    "main.py": "import torch, library\nlibrary.train(torch.ones(2, requires_grad=True))\n",
}
"""Of these the page is read."""

FIELDS = [
    *("schema", "file", "python", "runs", "ending", "category"),
    *("error", "culprits", "victim", "carried", "gradients", "lesson", "fixes"),
    *("caught", "cut_short", "not_tried", "off_at", "off_in", "write_unseen"),
    *("doubt", "without_gradient", "taken"),
]


class Told(NamedTuple):
    """What one call said of all the programs."""

    code: int
    stderr: str
    documents: dict[str, dict[str, Any]]


def documents(stdout: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stdout.splitlines()]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Explain all programs in one call: torch is imported once."""
    folder = tmp_path_factory.mktemp("programs")
    for name, source in PROGRAMS.items():
        (folder / name).write_text(source)
    done = piped("--json", *PROGRAMS, text="", cwd=folder)
    found = documents(done.stdout)
    assert [each["file"] for each in found] == list(PROGRAMS), done.stderr
    return Told(done.returncode, done.stderr, {each["file"]: each for each in found})


def piped(*arguments: str, text: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "explain", *arguments],
        cwd=cwd,
        env={**inherited(), "HOME": str(cwd), "LANG": "C.UTF-8"},
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.whole
def test_every_answer_has_all_the_fields(told: Told) -> None:
    assert told.code == 1
    assert [list(each) for each in told.documents.values()] == [FIELDS] * len(PROGRAMS)


def test_who_saved_who_changed_and_who_needed_are_named(told: Told) -> None:
    stale = told.documents["stale.py"]

    assert stale["ending"] == "raises_in_backward"
    assert stale["category"] == "saved-tensor-modified"
    assert stale["error"]["line"] == 7
    assert stale["culprits"] == [
        {
            "file": "stale.py",
            "line": 6,
            "op": "Tensor.add_",
            "tensor": "y",
            "version_before": 0,
            "version_after": 1,
            "source": "y.add_(1)",
            "chain": ["stale.py:6 <module>"],
            "module": None,
        }
    ]
    assert stale["victim"] == {
        "file": "stale.py",
        "line": 5,
        "node": "ExpBackward0",
        "slot": "result",
        "saved_version": 0,
        "current_version": 1,
        "source": "y = x.exp()",
        "module": None,
    }
    assert stale["lesson"] == "saved-output"
    assert stale["fixes"]
    assert list(stale["fixes"][0]) == [
        *("title", "file", "line", "diff", "source"),
        *("cost_bytes", "added_time", "keeps_gradient", "forward_changes", "computes"),
        *("copied", "held_to"),
    ]
    added = stale["fixes"][0]["added_time"]
    assert added["runs"] >= 1
    assert added["noise_seconds"] > 0
    assert added["seconds"] is not None


def test_a_program_that_is_fine_has_nothing_to_be_said(told: Told) -> None:
    assert told.documents["fine.py"] == {
        "schema": 2,
        "file": "fine.py",
        "python": {"path": sys.executable, "why": "own"},
        "runs": 2,
        "ending": "right",
        "category": None,
        "error": None,
        "culprits": [],
        "victim": None,
        "carried": None,
        "gradients": [],
        "lesson": None,
        "fixes": [],
        "caught": False,
        "cut_short": False,
        "not_tried": [],
        "off_at": None,
        "off_in": None,
        "write_unseen": False,
        "doubt": None,
        "without_gradient": [],
        "taken": [],
    }


def test_a_file_that_can_t_be_parsed_is_another_error(told: Told) -> None:
    broken = told.documents["broken.py"]

    assert broken["ending"] == "raises_before"
    assert broken["error"] == {
        "type": "SyntaxError",
        "message": "invalid syntax",
        "file": "broken.py",
        "line": 1,
    }


def test_what_the_first_run_prints_is_for_people_and_is_heard_once(told: Told) -> None:
    first, then = told.stderr.index("hello from"), told.stderr.index("caught from")

    assert (told.stderr.count("hello from"), told.stderr.count("caught from")) == (1, 1)
    assert first < then


def test_a_line_of_an_imported_file_is_named_with_its_file(told: Told) -> None:
    (culprit,) = told.documents["imports.py"]["culprits"]

    assert (culprit["file"], culprit["line"], culprit["tensor"]) == ("helper.py", 2, "t")
    assert culprit["chain"] == [
        "imports.py:8 <module>",
        "imports.py:6 forward",
        "helper.py:2 scale",
    ]


def test_a_tensor_that_an_imported_file_made_and_wrote_is_named_there(told: Told) -> None:
    found = told.documents["calls.py"]
    (culprit,) = found["culprits"]

    assert (culprit["file"], culprit["line"], culprit["tensor"]) == ("library.py", 3, "kept")
    assert (culprit["version_before"], culprit["version_after"]) == (0, 1)
    assert (found["victim"]["file"], found["victim"]["line"]) == ("library.py", 2)
    assert {fix["file"] for fix in found["fixes"]} == {"library.py"}
    assert culprit["chain"] == ["calls.py:4 <module>", "library.py:3 squashed"]


def test_a_program_that_is_not_python_did_not_run(told: Told) -> None:
    assert told.documents["broken.py"]["runs"] == 0


def test_a_gradient_that_is_not_kept_gets_a_fix(told: Told) -> None:
    """The program prints what it looks for: that this changes is the point."""
    (fix,) = told.documents["prints.py"]["fixes"]

    assert "+b.retain_grad()" in fix["diff"].splitlines()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the pages of some programs, by file; one call makes them all."""
    folder = tmp_path_factory.mktemp("pages")
    library = f"{PROGRAMS['library.py']}def train(x):\n    squashed(x).sum().backward()\n"
    for name, source in (SHOWN | {"library.py": library}).items():
        (folder / name).write_text(source)
    _, *found = re.split(r"(?m)^(?=[a-z]+\.py: )", piped(*SHOWN, text="", cwd=folder).stdout)
    return dict(zip(SHOWN, found, strict=True))


@pytest.mark.whole
def test_lines_of_another_file_are_quoted_and_fixed_under_its_name(pages: dict[str, str]) -> None:
    for name in ("calls.py", "main.py"):
        quoted, _, rest = pages[name].partition("the line at fault")
        assert "│ kept += 1\n" in quoted
        assert "\nlibrary.py\n" in quoted
        assert "Line library.py:3 `kept += 1` changed" in " ".join(rest.split())
        assert "--- library.py" in rest
    assert "backward on line library.py:6 raises" in pages["main.py"]
    assert "backward on line 5 raises" in pages["calls.py"]


def test_an_optimizer_s_step_is_named_with_torch_s_own_frames(told: Told) -> None:
    found = told.documents["steps.py"]

    culprit = found["culprits"][0]
    assert (culprit["line"], culprit["op"], culprit["tensor"]) == (6, "SGD.step", "w")
    assert culprit["chain"][0] == "steps.py:6 <module>"
    assert culprit["chain"][-1].startswith("torch/optim/sgd.py:")
    assert found["lesson"] == "step-between"


def test_a_crash_is_told_with_its_line(told: Told) -> None:
    found = told.documents["crash.py"]

    assert (found["ending"], found["error"]["type"]) == ("crashed", "Crashed")
    assert found["error"]["line"] == 3


def test_an_error_that_the_program_catches_is_told_and_nothing_is_judged(told: Told) -> None:
    found = told.documents["caught.py"]

    assert (found["ending"], found["caught"]) == ("not_judged", True)
    assert found["category"] == "saved-tensor-modified"
    assert (found["error"]["type"], found["error"]["line"]) == ("RuntimeError", 8)
    assert found["culprits"][0]["line"] == 6
    assert (found["victim"]["saved_version"], found["victim"]["current_version"]) == (0, 1)


def test_a_program_that_only_warns_is_fine_and_has_a_category(told: Told) -> None:
    found = told.documents["warns.py"]

    assert (found["ending"], found["category"]) == ("right", "non-leaf-grad-read")
    assert "UserWarning: The .grad attribute" in told.stderr


@pytest.mark.whole
def test_a_fix_is_a_program_that_is_fine(command: Command, tmp_path: Path, told: Told) -> None:
    fixes = [(main, fix) for main, each in told.documents.items() for fix in each["fixes"]]
    names = [f"fix{number}/{main}" for number, (main, _) in enumerate(fixes)]
    for name, (main, fix) in zip(names, fixes, strict=True):
        folder = (tmp_path / name).parent
        folder.mkdir()
        for each in (main, "helper.py", "library.py"):
            (folder / each).write_text(PROGRAMS[each])
        (folder / fix["file"]).write_text(fix["source"])

    done = command("explain", "--json", *names)

    assert done.returncode == 0
    assert {each["ending"] for each in documents(done.stdout)} == {"right"}


def test_a_file_runs_as_python_would_run_it(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "neighbour.py").write_text("WORD = 'found'\n")
    (folder / "main.py").write_text(
        "import os, sys, neighbour\n"
        "print(__name__, neighbour.WORD, sys.argv[1:], os.path.basename(os.getcwd()),"
        " os.path.basename(__file__), sys.path[0].endswith('code'))\n"
    )

    done = command("explain", "code/main.py", "--", "--epochs", "3", "--json")

    assert done.returncode == 0
    there = tmp_path.name
    assert done.stderr == (f"__main__ found ['--epochs', '3', '--json'] {there} main.py True\n")


@pytest.mark.whole
def test_a_program_comes_from_stdin(tmp_path: Path) -> None:
    done = piped(
        "-",
        "--json",
        text="import torch\nx = torch.ones(2, requires_grad=True)\nx += 1\n",
        cwd=tmp_path,
    )

    assert done.returncode == 1
    (found,) = documents(done.stdout)
    assert (found["file"], found["ending"], found["category"]) == (
        "-",
        "raises_before",
        "leaf-modified",
    )
    assert found["culprits"][0]["version_after"] is None


@pytest.mark.whole
def test_once_is_one_run_without_truth_and_fixes(command: Command, tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(STALE)
    (tmp_path / "silent.py").write_text(STALE.replace("y.add_(1)", "y.data.add_(1)"))

    done = command("explain", "--once", "--json", "count.py", "silent.py")

    stale, silent = documents(done.stdout)
    assert (stale["runs"], stale["fixes"]) == (1, [])
    assert stale["culprits"][0]["line"] == 6
    assert (silent["runs"], silent["ending"]) == (1, "runs")


@pytest.mark.whole
def test_an_endless_program_ends_when_it_was_to(command: Command, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("import torch\nwhile True:\n    pass\n")

    done = command("explain", "--seconds", "0.5", "--json", "endless.py")

    assert done.returncode == 3
    (found,) = documents(done.stdout)
    assert (found["ending"], found["error"]["type"]) == ("timed_out", "TimedOut")
    assert found["error"]["line"] in {2, 3}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.py",), "nowhere.py can't be read: No such file or directory."),
        ((".",), ". can't be read: Is a directory."),
        ((), "FILE is missing."),
        (("x.py", "--error", "text"), "Only one of FILE, --error can be given."),
        (("--patch", "--apply", "2", "x.py"), "Only one of --patch, --apply can be given."),
        (("--patch", "0", "x.py"), "--patch must be a whole number from 1 on"),
        (("--format", "svg", "x.py"), "--format must be one of: text, json, html, github, sarif."),
        (("--budget", "soon", "x.py"), "--budget must be a number above 0"),
        (("--budget", "nan", "x.py"), "--budget must be a number above 0"),
        (("--python", "nowhere", "x.py"), "nowhere can't be run as Python"),
    ],
)
@pytest.mark.whole(every=12)
def test_what_can_t_be_done_is_said_in_one_sentence(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "x.py").write_text(FINE)

    done = command("explain", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_runs_if_one_file_can_t_be_read(command: Command, tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text("open('ran', 'w').close()\n")

    done = command("explain", "writes.py", "nowhere.py")

    assert done.returncode == 2
    assert not (tmp_path / "ran").exists()


@pytest.mark.whole
def test_a_fix_is_a_patch_or_is_written_and_no_file_changes_unasked(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    one, two = tmp_path / "stale.py", folder / "silent.py"
    one.write_text(STALE)
    two.write_bytes(STALE.replace("y.add_(1)", "y.data.add_(1)").replace("\n", "\r\n").encode())
    before = two.read_bytes()

    printed = command("explain", "--patch", "stale.py", "a folder/silent.py")

    assert (one.read_text(), two.read_bytes()) == (STALE, before)
    (tmp_path / "both.patch").write_bytes(printed.stdout.replace("\r\n", "\n").encode())
    assert printed.stdout.startswith("--- a/stale.py\n+++ b/stale.py\n@@")
    assert "--- a/a folder/silent.py\t" in printed.stdout

    written = command("explain", "--apply", "2", "stale.py")

    assert written.returncode == 0
    assert re.findall(r"^\d\. ", written.stdout, re.MULTILINE) == ["2. "]
    assert written.stdout.startswith("stale.py: backward on line 7 raises RuntimeError")
    assert "More runs follow" not in written.stderr
    assert "Fix 2 was written to stale.py; the old file is stale.py.orig." in written.stderr
    assert "The fixed program ran again without an error." in written.stderr
    assert (tmp_path / "stale.py.orig").read_text() == STALE
    assert one.read_text() != STALE


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole
def test_the_page_shows_the_lines_the_story_and_the_fix(
    command: Command, tmp_path: Path, pages: dict[str, str], language: str
) -> None:
    page = pages["stale.py"]
    if language == "zh":
        (tmp_path / "stale.py").write_text(STALE)
        page = command("explain", "--lang", "zh", "stale.py").stdout

    lines = page.splitlines()
    fault = next(index for index, line in enumerate(lines) if line.endswith("│ y.add_(1)"))
    assert lines[fault + 1].startswith("  │ ^^^^^^^^^ ")
    assert "-y.add_(1)" in page.replace("   -", "-")
    assert "inplace-tui lesson saved-output" in page
    assert "\x1b" not in page
    assert ("the line at fault" if language == "en" else "出错的一行") in page


def test_a_message_is_explained_number_by_number(command: Command) -> None:
    message = (
        "RuntimeError: one of the variables needed for gradient computation has been modified by "
        "an inplace operation: [torch.cuda.FloatTensor [64, 1]], which is output 0 of "
        "AsStridedBackward0, is at version 3; expected version 2 instead."
    )

    done = command("explain", "--error", message)

    assert done.returncode == 0
    for number in ("[64, 1]", "written in place 3 times", "that number was 2", "`nn.Linear`"):
        assert number in " ".join(done.stdout.split())
    assert "inplace-tui lesson" in done.stdout


@pytest.mark.whole
def test_a_message_that_is_not_torch_s_is_not_explained(command: Command) -> None:
    done = command("explain", "--error", "KeyError: 'x'", "--json")

    assert done.returncode == 1
    assert documents(done.stdout)[0]["category"] is None
