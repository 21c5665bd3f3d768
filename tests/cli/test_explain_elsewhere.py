"""`inplace-tui explain --python`: programs that run in another environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from support.command import Command
from support.terminal import Terminal

FINE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.exp().sum().backward()\n"
STALE = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with torch, and without anything of ours."""
    folder = tmp_path_factory.mktemp("environment")
    venv.EnvBuilder(symlinks=True).create(folder)
    (theirs,) = folder.glob("lib/python*/site-packages")
    ours = Path(sys.prefix, *theirs.relative_to(folder).parts)
    for path in ours.iterdir():
        if not any(word in path.name for word in ("inplace", "msgspec", "click", "textual")):
            (theirs / path.name).symlink_to(path)
    (theirs / "practitioners_own.py").write_text("ANSWER = 42\n")
    # Another release of this program, of which the worker must take nothing.
    (theirs / "inplace_tui").mkdir()
    (theirs / "inplace_tui" / "worker.py").write_text("raise SystemExit('of another release')\n")
    return folder / "bin" / "python"


@pytest.mark.whole
def test_the_desk_runs_a_program_in_another_environment(tmp_path: Path, environment: Path) -> None:
    program = tmp_path / "own.py"
    program.write_text(f"import practitioners_own\n{STALE}")

    with Terminal("--python", str(environment), str(program), home=tmp_path) as terminal:
        terminal.wait_for("needed v0", "write fix")


def test_the_desk_names_a_python_that_can_not_be_started(tmp_path: Path) -> None:
    program = tmp_path / "own.py"
    program.write_text(FINE)

    with Terminal("--python=nowhere/python", str(program), home=tmp_path) as terminal:
        terminal.wait_for("can't be run as Python")


@pytest.mark.whole
def test_another_environment_s_torch_and_packages_are_used(
    command: Command, tmp_path: Path, environment: Path
) -> None:
    (tmp_path / "own.py").write_text(
        "import sys, importlib.util, practitioners_own\n"
        "print(sys.executable, importlib.util.find_spec('click'))\n" + STALE
    )

    done = command("explain", "--json", "--python", str(environment), "own.py")

    found = json.loads(done.stdout)
    assert (found["category"], found["culprits"][0]["line"]) == ("saved-tensor-modified", 6)
    assert done.stderr.startswith(f"{environment} None\n")


STACKS = """\
import inspect, logging, sys, traceback, torch

def here():
    traceback.print_stack(file=sys.stdout)
    logging.basicConfig(stream=sys.stdout)
    logging.warning("said", stack_info=True)
    print("".join(traceback.StackSummary.extract(traceback.walk_stack(None)).format()))
    print("<string>" in [each.filename for each in inspect.stack()])

here()
with torch.autograd.detect_anomaly(check_nan=False):
    weight = torch.ones(2, requires_grad=True)
    changed = weight.exp()
    changed.add_(1)
    changed.sum().backward()
"""


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.whole
def test_a_stack_that_is_printed_begins_with_the_program(
    command: Command, tmp_path: Path, environment: Path, elsewhere: bool
) -> None:
    (tmp_path / "own.py").write_text(STACKS)
    python = ("--python", str(environment)) if elsewhere else ()
    bare = subprocess.run(
        [environment, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    done = command("explain", "--format", "json", *python, "own.py")

    shown, _, anomaly = done.stderr.partition("False\n")
    assert shown == bare.stdout.partition("False\n")[0]
    assert anomaly.count("File ") == bare.stderr.partition("Traceback (most")[0].count("File ") > 0


GAN = """\
import torch
torch.manual_seed(0)
G = torch.nn.Linear(2, 2)
D = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LeakyReLU(0.2), torch.nn.Linear(3, 1))
opt_d = torch.optim.Adam(D.parameters(), lr=0.1)
opt_g = torch.optim.Adam(G.parameters(), lr=0.1)
for _ in range(2):
    fake = G(torch.randn(4, 2))
    loss_g = -D(fake).mean()
    loss_d = D(fake.detach()).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""


@pytest.mark.whole
def test_a_gan_is_blamed_and_mended_there(
    command: Command, tmp_path: Path, environment: Path
) -> None:
    """With `make matrix`, where TEST_PYTHON is: another Python, another torch, nothing of ours."""
    (tmp_path / "gan.py").write_text(GAN)
    python = os.environ.get("TEST_PYTHON", str(environment))

    done = command("explain", "--json", "--python", python, "gan.py")

    found = json.loads(done.stdout)
    assert found["category"] == "saved-tensor-modified"
    assert found["ending"] == "raises_in_backward"
    assert [each["line"] for each in found["culprits"][:1]] == [13]
    assert found["victim"]["line"] == 9
    assert found["fixes"]


@pytest.fixture(scope="module")
def old(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same environment, in which torch says that it is of a version without a recorder."""
    folder = tmp_path_factory.mktemp("old")
    venv.EnvBuilder(symlinks=True).create(folder)
    (theirs,) = folder.glob("lib/python*/site-packages")
    (others,) = environment.parents[1].glob("lib/python*/site-packages")
    for path in others.iterdir():
        if not (path.name.startswith("torch-") or (theirs / path.name).exists()):
            (theirs / path.name).symlink_to(path)
    (theirs / "torch-2.1.0.dist-info").mkdir()
    (theirs / "torch-2.1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: torch\nVersion: 2.1.0\n"
    )
    return folder / "bin" / "python"


LACKS = "torch 2.1.0; Python 3.10 and torch 2.2 or later are needed"


@pytest.mark.whole
def test_where_no_recorder_serves_a_witness_does(
    command: Command, tmp_path: Path, old: Path
) -> None:
    (tmp_path / "stale.py").write_text(f"import sys\nprint(sys.argv[1:])\n{STALE}")
    (tmp_path / "fine.py").write_text(FINE)

    done = command("explain", "--python", str(old), "stale.py", "fine.py", "--", "a")

    first, *_ = done.stderr.splitlines()
    assert first.startswith("The recorder can't serve here: ")
    assert LACKS in first
    assert done.stdout == "['a']\n"
    assert "stale.py:6" in done.stderr
    assert done.returncode == 1


@pytest.mark.whole
def test_what_a_witness_found_is_one_document_a_program(
    command: Command, tmp_path: Path, old: Path
) -> None:
    (tmp_path / "stale.py").write_text(f"print(1)\n{STALE}")

    done = command("explain", "--json", "--python", str(old), "stale.py")

    found = json.loads(done.stdout)
    assert found["file"] == "stale.py"
    assert LACKS in found["lacks"]
    assert [write["line"] for write in found["findings"][0]["writes"]] == [5]
    assert "1\n" in done.stderr


@pytest.mark.parametrize(
    "said",
    ["hello", "[1, 2]", '{"python": "%05000d", "torch": "2.13"}', '{"python": "3", "torch": "x"}'],
)
@pytest.mark.whole(every=4)
def test_what_does_not_answer_as_python_does_is_refused(
    said: str, command: Command, tmp_path: Path
) -> None:
    """A version of 5,000 digits is no number to Python."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nprintf '{said}\n' 7\n")
    python.chmod(0o755)

    done = command("explain", "--python", str(python), "-", stdin="x = 1\n")

    assert done.returncode == 2
    refusal = f"{python} can't be run as Python: it does not answer as Python does.\n"
    assert done.stderr.endswith(refusal)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("first", ["", "exit 3"])
@pytest.mark.whole(every=2)
def test_an_interpreter_that_leaves_a_process_behind_is_not_waited_for(
    command: Command, tmp_path: Path, first: str
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n(sleep 60) &\n{first or 'echo no'}\n")
    python.chmod(0o755)

    began = time.monotonic()
    done = command("explain", "--python", str(python), "-", stdin="x = 1\n")

    assert done.returncode == 2
    assert done.stderr == f"{python} can't be run as Python: it does not answer as Python does.\n"
    assert time.monotonic() - began < 25  # neither the sleeper's minute nor our own patience


def test_an_environment_without_torch_is_refused_by_its_versions(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "fine.py").write_text(FINE)
    venv.EnvBuilder(symlinks=True).create(tmp_path / "bare")
    python = tmp_path / "bare" / "bin" / "python"

    done = command("explain", "--python", str(python), "fine.py")

    assert done.returncode == 2
    version = sys.version.split()[0]
    assert done.stderr == (
        f"{python} has Python {version} without torch; "
        "Python 3.10 and torch 2.2 or later are needed.\n"
    )
