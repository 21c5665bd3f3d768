"""What is installed: the wheel, in environments that have nothing of the checkout."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from inplace_tui import __version__
from inplace_tui.common.torch_line import TESTED
from support.command import inherited
from support.environments import STALE, lend_packages, make_environment

ROOT = Path(__file__).parents[2]


def build(sources: Path, into: Path, *what: str) -> Path:
    """Build the source archive, the wheel, or both; return the last of them by name."""
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(into), *what]
    subprocess.run(line, cwd=sources, check=True, capture_output=True)
    return sorted(into.iterdir())[0]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"), "-t", "wheel")


def install(wheel: Path, python: Path) -> None:
    """Install the wheel alone: its dependencies are there."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment with torch."""
    python = make_environment(tmp_path_factory.mktemp("installed"))
    install(wheel, python)
    return python.parent


@pytest.fixture(scope="module")
def without_torch(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without torch, as `uv tool install` and `pipx install` leave it."""
    folder = tmp_path_factory.mktemp("without")
    python = make_environment(folder, torch=False)
    lend_packages(folder, but=("torch", "inplace_tui", "_editable"))
    install(wheel, python)
    return python.parent


def called(folder: Path, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`, which is the user's home."""
    told = {**inherited(), "HOME": str(folder), "INPLACE_TUI_HOME": str(folder / "kept")}
    return subprocess.run(
        words,
        cwd=folder,
        env={**told, "LANG": "C.UTF-8", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.whole
def test_the_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build(ROOT, tmp_path / "sdist", "-t", "sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")

    again = build(tmp_path / f"inplace_tui-{__version__}", tmp_path / "wheel", "-t", "wheel")

    assert again.name == wheel.name == f"inplace_tui-{__version__}-py3-none-any.whl"
    assert again.read_bytes() == wheel.read_bytes()


@pytest.mark.whole
def test_the_wheel_has_all_that_is_read_at_run_time(wheel: Path, installed: Path) -> None:
    """Every file of the sources and the lessons that git knows is in it, and no other."""
    (theirs,) = installed.parent.glob("lib/python*/site-packages/inplace_tui")
    listed = subprocess.run(
        ["git", "ls-files", "src/inplace_tui", "lessons"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    known = {each.removeprefix("src/inplace_tui/") for each in listed.stdout.splitlines()}
    there = {
        path.relative_to(theirs).as_posix()
        for path in theirs.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }

    assert there == known
    (told,) = theirs.parent.glob("inplace_tui-*.dist-info/licenses/LICENSE")
    assert told.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.whole
def test_it_teaches_and_explains(installed: Path, tmp_path: Path) -> None:
    command = installed / "inplace-tui"
    (tmp_path / "stale.py").write_text(STALE)

    version = called(tmp_path, installed / "python", "-m", "inplace_tui", "--version")
    checked = called(tmp_path, command, "check", "saved-output")
    explained = called(tmp_path, command, "explain", "--once", "stale.py")
    op = called(tmp_path, command, "--lang", "zh", "op", "exp")

    assert version.stdout == f"inplace-tui {__version__}\n"
    assert "all true" in checked.stderr
    assert checked.returncode == 0
    assert explained.returncode == 1
    assert "4 │ y.add_(1)" in explained.stdout
    assert op.returncode == 0


@pytest.mark.whole
def test_without_torch_one_reads_and_is_told_the_line_that_installs_it(
    without_torch: Path, tmp_path: Path
) -> None:
    command = without_torch / "inplace-tui"
    (tmp_path / "stale.py").write_text(STALE)

    reads = [
        called(tmp_path, command, *words)
        for words in (["--help"], ["list"], [], ["op", "exp"], ["explain", "--help"])
    ]
    runs = [
        called(tmp_path, command, *words)
        for words in (["check", "saved-output"], ["explain", "stale.py"], ["run", "saved-output"])
    ]

    assert [each.returncode for each in reads] == [0] * len(reads)
    assert [each.stderr for each in reads] == [""] * len(reads)
    assert all(each.stdout for each in reads)
    line = f"{without_torch / 'python'} -m pip install {TESTED}"
    for each in runs:
        assert each.returncode == 2
        assert f"No module named 'torch' ({line} --index-url" in each.stderr


@pytest.mark.whole
def test_without_torch_that_of_the_project_runs_its_program(
    without_torch: Path, tmp_path: Path
) -> None:
    """As `uv run` and `activate` have it, and as an environment in the project's folder."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    theirs, active = make_environment(project / ".venv"), make_environment(elsewhere)
    (project / "stale.py").write_text(STALE)
    command = without_torch / "inplace-tui"

    found = called(tmp_path, command, "explain", "--once", "project/stale.py")
    told = called(
        tmp_path, command, "explain", "--once", "project/stale.py", VIRTUAL_ENV=str(elsewhere)
    )

    for each, python in ((found, theirs), (told, active)):
        assert each.returncode == 1
        assert "4 │ y.add_(1)" in each.stdout
        assert each.stderr.startswith(f"Programs run with {python}: ")


def test_the_line_for_torch_names_what_the_lessons_are_checked_with() -> None:
    assert TESTED in (ROOT / "constraints.txt").read_text().split()
