"""pip, pipx, uv and pre-commit install the program, each in folders of its own.

`make package` runs these: they fetch what is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import yaml

from inplace_tui import __version__
from support.environments import STALE, TORCH, lend_packages, make_environment

pytestmark = pytest.mark.skipif(
    os.environ.get("PACKAGE") != "all", reason="make package fetches what is installed"
)

ROOT = Path(__file__).parents[2]


def run(*words: str | Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    told = {**os.environ, "INPLACE_TUI_HOME": str(folder / "kept"), **variables}
    told["PIP_NO_COMPILE"] = "1"  # half of the time, and little of it is run
    told.pop("VIRTUAL_ENV", None)
    return subprocess.run(words, cwd=folder, env=told, capture_output=True, text=True, check=False)


def done(*words: str | Path, folder: Path, **variables: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    ran = run(*words, folder=folder, **variables)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def environment(folder: Path) -> Path:
    """Make an environment with pip; return its commands."""
    venv.EnvBuilder(symlinks=True, with_pip=True).create(folder)
    return folder / "bin"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    bin_ = environment(folder / "environment")
    done(bin_ / "pip", "install", "--quiet", "pipx", "uv", "pre-commit", folder=folder)
    return bin_


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=ROOT)
    return folder / f"inplace_tui-{__version__}-py3-none-any.whl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a torch of its own, in a repository."""
    folder = tmp_path / "project"
    make_environment(folder / ".venv")
    (folder / "stale.py").write_text(STALE)
    (folder / "fine.py").write_text(STALE.replace("y.add_(1)", "y = y.add(1)"))
    done("git", "init", "--quiet", folder=folder)
    done("git", "add", "stale.py", "fine.py", folder=folder)
    return folder


def explains(command: Path, project: Path) -> None:
    """See that a program is explained with the torch of its project."""
    ran = run(command, "explain", "--once", "stale.py", folder=project)

    python = project / ".venv" / "bin" / "python"
    assert ran.stderr == f"Programs run with {python}: it is the project's.\n"
    assert "4 │ y.add_(1)" in ran.stdout
    assert ran.returncode == 1


def test_pip_installs_all_that_it_needs_beside_torch(wheel: Path, tmp_path: Path) -> None:
    """Torch is that of the tests: to unpack and compile it takes a minute."""
    bin_ = environment(tmp_path / "environment")
    constraints = ROOT / "constraints.txt"
    pip: list[str | Path] = [bin_ / "pip", "install", "--quiet", "--constraint", constraints]
    (tmp_path / "stale.py").write_text(STALE)

    done(*pip, f"{wheel}[serve]", folder=tmp_path)
    done(bin_ / "pip", "check", folder=tmp_path)
    lend_packages(bin_.parent, only=TORCH)
    done(bin_ / "inplace-tui", "check", "saves-neither", folder=tmp_path)
    done(bin_ / "python", "-c", "import textual_serve", folder=tmp_path)
    ran = run(
        bin_ / "python", "-m", "inplace_tui", "explain", "--once", "stale.py", folder=tmp_path
    )

    assert "4 │ y.add_(1)" in ran.stdout
    assert ran.returncode == 1


def test_pipx_installs_a_command_that_finds_the_torch_of_a_project(
    tools: Path, wheel: Path, project: Path, tmp_path: Path
) -> None:
    told = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin")}

    done(tools / "pipx", "install", "--quiet", wheel, folder=tmp_path, **told)

    explains(tmp_path / "bin" / "inplace-tui", project)
    ran = run(tmp_path / "bin" / "inplace-tui", "check", "saves-neither", folder=tmp_path)
    assert "(pipx inject inplace-tui torch==" in ran.stderr


def test_uv_installs_a_command_that_finds_the_torch_of_a_project(
    tools: Path, wheel: Path, project: Path, tmp_path: Path
) -> None:
    told = {"UV_TOOL_DIR": str(tmp_path / "uv"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    told["UV_CACHE_DIR"] = str(tmp_path / "cache")

    done(tools / "uv", "tool", "install", wheel, folder=tmp_path, **told)
    once: list[str | Path] = [tools / "uvx", "--from", wheel, "inplace-tui", "--version"]
    within: list[str | Path] = [tools / "uv", "run", "--no-project", "--python", project / ".venv"]

    explains(tmp_path / "bin" / "inplace-tui", project)
    assert done(*once, folder=tmp_path, **told) == f"inplace-tui {__version__}\n"
    ran = run(tmp_path / "bin" / "inplace-tui", "check", "saves-neither", folder=tmp_path)
    assert "(uv pip install --python " in ran.stderr
    words: list[str | Path] = [
        tmp_path / "bin" / "inplace-tui",
        "explain",
        "--once",
        project / "stale.py",
    ]
    ran = run(*within, *words, folder=tmp_path, **told)
    assert "its environment is active (VIRTUAL_ENV)" in ran.stderr
    assert ran.returncode == 1


def test_the_action_installs_what_it_runs(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    install = action["runs"]["steps"][0]["run"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    done(
        "bash", "-eo", "pipefail", "-c", install,
        folder=tmp_path, SOURCE=str(ROOT), RUNNER_TEMP=str(tmp_path), PATH=path,
    )  # fmt: skip

    command = tmp_path / "inplace-tui" / "bin" / "inplace-tui"
    assert done(command, "--version", folder=tmp_path) == f"inplace-tui {__version__}\n"


def test_pre_commit_runs_the_hook(tools: Path, project: Path, tmp_path: Path) -> None:
    """From the last commit of this repository, as pre-commit takes it."""
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {ROOT}\n  rev: HEAD\n  hooks:\n  - id: inplace-tui\n"
        "    files: \\.py$\n    args: [--once]\n"
    )
    words: list[str | Path] = [tools / "pre-commit", "run", "inplace-tui", "--files"]
    told = {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}

    fine = run(*words, "fine.py", folder=project, **told)
    stale = run(*words, "stale.py", folder=project, **told)

    assert fine.returncode == 0, fine.stdout
    assert stale.returncode == 1
    assert "4 │ y.add_(1)" in stale.stdout
