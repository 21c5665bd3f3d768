"""`inplace-tui explain --python`: programs that run in another environment."""

from __future__ import annotations

import json
import sys
import venv
from pathlib import Path

import pytest

from support.command import Command

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
        "Python 3.11 and torch 2.2 or later are needed.\n"
    )
