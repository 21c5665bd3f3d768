"""Every way to have a program watched, in the interpreter under test and in real processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from blame.interpreter import python

MODEL = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
    def forward(self, x):
        a = torch.sigmoid(self.fc(x))
        a += 1
        return a
"""
TRAIN = """\
import sys
import torch
from pkg.model import Net
print(sys.argv[1:], __name__, sys.modules["__main__"].__dict__ is globals())
loss = Net()(torch.ones(1, 2)).sum()
loss.backward()
"""
SAVED, CHANGED, NEEDED = ("pkg/model.py", 7), ("pkg/model.py", 8), ("train.py", 6)

REPORT = "inplace_tui.blame:"
"""What a report begins with."""

NOTES = (
    python("-c", "import sys; sys.exit(sys.version_info < (3, 11))", cwd=Path("/")).returncode == 0
)
"""Whether this Python's tracebacks have notes."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "model.py").write_text(MODEL)
    (tmp_path / "pkg" / "train.py").write_text(TRAIN.replace("pkg.model", ".model"))
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def has_module(name: str) -> bool:
    return python("-c", f"import {name}", cwd=Path("/")).returncode == 0


def places(said: str) -> list[tuple[str, int]]:
    """Return the innermost lines of who saved, who changed and who needed, as a report has them."""
    lines = said[said.index(REPORT) :].splitlines()
    found = []
    for index, line in enumerate(lines):
        if line.startswith(("  saved by", "  changed by", "  needed by")):
            at = next(each for each in lines[index + 1 :] if " in " in each)
            file, _, number = at.split(" in ")[0].strip().rpartition(":")
            found.append((file, int(number)))
    return found


@pytest.mark.whole
def test_a_script_is_run_as_python_runs_it_and_blamed(project: Path) -> None:
    alone = python("train.py", "--lr", "3", cwd=project)
    done = python("-m", "inplace_tui.blame", "train.py", "--lr", "3", cwd=project)

    assert done.stdout == alone.stdout == "['--lr', '3'] __main__ True\n"
    assert done.returncode == alone.returncode == 1
    assert places(done.stderr) == [SAVED, CHANGED, NEEDED]
    if NOTES:
        assert done.stderr.startswith(alone.stderr)
        assert done.stderr[len(alone.stderr) :].startswith("inplace_tui.blame:")


@pytest.mark.whole
def test_a_module_of_a_package_is_run_as_python_runs_it(project: Path) -> None:
    alone = python("-m", "pkg.train", "x", cwd=project)
    done = python("-m", "inplace_tui.blame", "-m", "pkg.train", "x", cwd=project)

    assert done.stdout == alone.stdout
    assert done.returncode == 1
    assert places(done.stderr) == [SAVED, CHANGED, ("pkg/train.py", 6)]


@pytest.mark.whole
def test_a_program_on_stdin_is_shown_line_by_line(project: Path) -> None:
    done = python("-m", "inplace_tui.blame", "-", "x", cwd=project, stdin=TRAIN)

    assert done.stdout.startswith("['x'] __main__ True")
    assert "<stdin>:6 in <module>    loss.backward()" in done.stderr


@pytest.mark.whole
def test_a_program_without_a_fault_is_left_as_it_is(project: Path) -> None:
    source = (
        "import sys, atexit\natexit.register(print, 'later')\nimport torch\n"
        "torch.ones(2).add_(1)\nsys.exit(7)"
    )
    (project / "fine.py").write_text(source)

    done = python("-m", "inplace_tui.blame", "fine.py", cwd=project)

    assert (done.returncode, done.stdout, done.stderr) == (7, "later\n", "")


@pytest.mark.whole
def test_what_is_set_before_torch_is_imported_counts(project: Path) -> None:
    source = (
        "import os, sys\nassert 'torch' not in sys.modules\nos.environ['OMP_NUM_THREADS'] = '1'\n"
        "import torch\nprint(torch.get_num_threads(), torch.__spec__.loader.__dict__.keys())\n"
    )
    (project / "early.py").write_text(source)

    done = python("-m", "inplace_tui.blame", "early.py", cwd=project)

    assert done.stdout == python("early.py", cwd=project).stdout != ""


@pytest.mark.whole
def test_an_error_that_the_program_catches_is_told(project: Path) -> None:
    caught = TRAIN.replace(
        "loss.backward()", "try:\n    loss.backward()\nexcept RuntimeError:\n    pass"
    )
    (project / "train.py").write_text(caught)

    done = python("-m", "inplace_tui.blame", "train.py", cwd=project)

    assert done.returncode == 0
    assert places(done.stderr) == [SAVED, CHANGED, ("train.py", 7)]


@pytest.mark.whole
def test_json_has_a_file_and_a_line_for_each(project: Path) -> None:
    python("-m", "inplace_tui.blame", "--json", "found.json", "train.py", cwd=project)

    (finding,) = json.loads((project / "found.json").read_text())["findings"]
    (write,) = finding["writes"]
    told = [(each["file"], each["line"]) for each in (finding["saved"], write, finding["reader"])]
    assert told == [(str(project / file), line) for file, line in (SAVED, CHANGED, NEEDED)]
    assert finding["category"] == "saved-tensor-modified"
    assert finding["error"]["type"] == "RuntimeError"


@pytest.mark.whole
def test_a_refused_write_has_the_traceback_of_torch(project: Path) -> None:
    (project / "leaf.py").write_text(
        "import torch\na = torch.ones(2, requires_grad=True)\ntorch.relu_(a)\n"
    )

    alone = python("leaf.py", cwd=project)
    done = python("-m", "inplace_tui.blame", "leaf.py", cwd=project)

    assert done.stderr.startswith(alone.stderr)
    assert "refused: the in-place write relu_" in done.stderr


@pytest.mark.whole
def test_a_block_is_watched_and_torch_left_as_it_was(project: Path) -> None:
    (project / "block.py").write_text(
        "import torch\nfrom inplace_tui import blame\nfrom pkg.model import Net\n"
        "before = {name: id(value) for name, value in vars(torch.Tensor).items()}\n"
        "functions = {name: id(value) for name, value in vars(torch).items()}\n"
        "with blame.watch() as witness:\n"
        "    try:\n        Net()(torch.ones(1, 2)).sum().backward()\n"
        "    except RuntimeError as error:\n        print(error.blame['saved']['line'])\n"
        "assert before == {name: id(value) for name, value in vars(torch.Tensor).items()}\n"
        "after = {name: id(value) for name, value in vars(torch).items()}\n"
        "assert functions.items() <= after.items()\n"
        "x = torch.ones(2, requires_grad=True).exp()\n"
        "assert not x.grad_fn.metadata\n"
        "print(len(witness.findings), torch.is_anomaly_enabled())\n"
    )

    done = python("block.py", cwd=project)

    assert (done.stdout, done.stderr) == ("7\n1 False\n", "")


@pytest.mark.whole
def test_torchrun_starts_it(project: Path) -> None:
    started = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1")
    if not has_module("torch.distributed.run"):
        pytest.skip("this torch has no launcher")
    done = python(*started, "-m", "inplace_tui.blame", "train.py", cwd=project)

    if REPORT not in done.stderr and python(*started, "pkg/__init__.py", cwd=project).returncode:
        pytest.skip("this torch's launcher starts no program at all")
    assert places(done.stderr)[:3] == [SAVED, CHANGED, NEEDED]


@pytest.mark.whole
def test_pytest_shows_it_in_the_report_of_the_test(project: Path) -> None:
    if not has_module("pytest"):
        pytest.skip("this Python has no pytest")
    (project / "test_it.py").write_text(
        "import pytest, torch\nfrom pkg.model import Net\n"
        "def test_raises():\n    Net()(torch.ones(1, 2)).sum().backward()\n"
        "def test_catches():\n    with pytest.raises(RuntimeError):\n"
        "        Net()(torch.ones(1, 2)).sum().backward()\n"
    )
    options = ("-p", "no:cacheprovider", "--blame", "test_it.py")
    plugin = "inplace_tui.blame.pytest_plugin"
    done = python("-m", "pytest", "-p", plugin, *options, cwd=project)  # installed, or not

    assert "1 failed, 1 passed" in done.stdout
    reports = done.stdout.split("inplace_tui.blame:")
    assert [places(f"inplace_tui.blame:{each}") for each in reports[1:]] == [
        [SAVED, CHANGED, ("test_it.py", 4)],
        [SAVED, CHANGED, ("test_it.py", 7)],
    ]


@pytest.mark.whole
def test_a_cell_of_a_notebook_is_blamed(project: Path) -> None:
    if not has_module("IPython"):
        pytest.skip("this Python has no IPython")
    (project / "cells.py").write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "run = lambda cell: shell.run_cell(cell, store_history=True)\n"
        "run('import torch\\n%load_ext inplace_tui')\n"
        "run('def f(x):\\n    a = x.sigmoid()\\n    a += 1\\n    return a')\n"
        "run('%%blame\\nx = torch.ones(2, requires_grad=True)\\nf(x).sum().backward()')\n"
        "run('%blame on')\n"
        "run('f(x).sum().backward()')\n"
        "run('%blame off')\n"
    )

    done = python("cells.py", cwd=project, IPYTHONDIR=str(project))

    reports = done.stderr.split("inplace_tui.blame:")
    first, second = ("In [2]", 2), ("In [2]", 3)
    in_cell = ("In [3]", 3)  # the third of its lines, %%blame among them
    assert places(f"inplace_tui.blame:{reports[1]}")[:3] == [first, second, in_cell], done.stdout
    assert places(f"inplace_tui.blame:{reports[2]}") == [first, second, ("In [5]", 1)]


@pytest.mark.whole
def test_the_page_of_a_cell_is_shown_below_it(project: Path) -> None:
    """It has run in the kernel, and again with the cells before it that did not fail."""
    if not (has_module("IPython") and has_module("inplace_tui.cli")):
        pytest.skip("a page is shown where both are")
    (project / "cells.py").write_text(
        "from html import unescape\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "from IPython.utils.capture import capture_output\n"
        "shell = InteractiveShell.instance()\n"
        "run = lambda cell: shell.run_cell(cell, store_history=True)\n"
        "run('import torch\\ndef f(x):\\n    a = x.sigmoid()\\n    a += 1\\n    return a')\n"
        "run('f(undefined)')\n"
        "run('%load_ext inplace_tui')\n"
        "with capture_output() as captured:\n"
        "    run('%%inplace\\nx = torch.ones(2, requires_grad=True)\\nf(x).sum().backward()')\n"
        "print('x' in shell.user_ns, [*__import__('pathlib').Path().glob('.inplace-*')])\n"
        "print(unescape(captured.outputs[0].data['text/html']))\n"
    )

    done = python("cells.py", cwd=project, IPYTHONDIR=str(project))

    _, ran, page = done.stdout.partition("True []\n")
    assert ran, done.stderr
    assert page.startswith('<div><iframe sandbox="allow-scripts"')
    assert "<h1>In [4]</h1>" in page
    assert "backward on In [4]:3 raises RuntimeError" in page
    assert '<div class="gone">-    a += 1</div>' in page


def test_syntax_and_old_names_of_python_3_9(tmp_path: Path) -> None:
    """Nothing in the package is newer: ruff's target for it is 3.9, and it is compiled as such."""
    source = Path(__file__).parents[2] / "src" / "inplace_tui" / "blame"
    check = (
        "import ast, pathlib, sys\n"
        "for path in pathlib.Path(sys.argv[1]).glob('*.py'):\n"
        "    ast.parse(path.read_text(), feature_version=(3, 9))\n"
    )

    done = subprocess.run(
        ["python3", "-c", check, str(source)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
