"""The diagnosis is whole without the tutorial: it runs, explains and passes its tests alone."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ITS_TESTS = ("blame", "diagnosis", "generated", "libraries", "real")
"""The folders of `tests/` that are the diagnosis's and the witness's."""

EXPLAIN = """\
from inplace_tui.common.command.settings import CommandSettings
from inplace_tui.diagnosis.commands.explain import explain_command
explain_command(["--json", "main.py"], obj=CommandSettings("en"), standalone_mode=False)
"""
FAULTY = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def test_its_tests_import_nothing_of_the_tutorial() -> None:
    waiting = [path for each in ITS_TESTS for path in (ROOT / "tests" / each).rglob("*.py")]
    waiting.append(ROOT / "tests" / "conftest.py")
    seen = set(waiting)
    found = []
    while waiting:
        path = waiting.pop()
        for name in imported(ast.parse(path.read_text("utf-8"))):
            if name.startswith(("inplace_tui.tutorial", "inplace_tui.cli")):
                found.append(f"{path.relative_to(ROOT)}: {name}")
            helper = ROOT / "tests" / f"{name.replace('.', '/')}.py"
            if helper.exists() and helper not in seen:
                seen.add(helper)
                waiting.append(helper)

    assert len(seen) > 80
    assert found == []


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without the tutorial and the command line that both houses share."""
    folder = tmp_path_factory.mktemp("alone")
    for name in ("src", "tests", "lessons", "docs", "benches"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    package = folder / "src" / "inplace_tui"
    shutil.rmtree(package / "tutorial")
    for name in ("cli.py", "__main__.py"):
        (package / name).unlink()
    return folder


def run_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # What is exhaustive runs in `make whole` by itself; a worker of xdist this is none.
    kept = {
        name: each for name, each in os.environ.items() if not name.startswith(("PYTEST", "WHOLE"))
    }
    environment = {**kept, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.whole
def test_it_explains_a_program(alone: Path) -> None:
    (alone / "main.py").write_text(FAULTY)

    done = run_in(alone, "-c", EXPLAIN)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["line"] for each in found["culprits"]] == [4]
    assert found["fixes"]


@pytest.mark.timeout(3600)
@pytest.mark.whole
def test_its_tests_pass(alone: Path) -> None:
    missing = "import inplace_tui.tutorial"
    assert "ModuleNotFoundError" in run_in(alone, "-c", missing).stderr

    done = run_in(alone, "-m", "pytest", *(f"tests/{each}" for each in ITS_TESTS))

    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
