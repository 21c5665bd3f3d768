"""Which Python a program runs with: that of its project, found and said."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from inplace_tui.common.command.pythons import choose
from inplace_tui.common.run.python import UsedPython, Why
from inplace_tui.tutorial.commands import desk
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening
from support.command import Command, run_command
from support.environments import make_environment

STALE = """\
import sys
import torch
print(sys.prefix)
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""

OWN = UsedPython(path=sys.executable, why=Why.OWN)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment without torch."""
    return make_environment(tmp_path_factory.mktemp("bare"), torch=False).parents[1]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(tmp_path_factory.mktemp("other")).parents[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an environment of its own, and a program below it."""
    make_environment(tmp_path / "project" / ".venv")
    folder = tmp_path / "project" / "scripts"
    folder.mkdir()
    (folder / "train.py").write_text(STALE)
    return tmp_path / "project"


def chosen(environment: Mapping[str, object], folder: Path) -> UsedPython:
    return choose(None, {name: str(each) for name, each in environment.items()}, folder)


def used(home: Path, why: Why) -> UsedPython:
    return UsedPython(path=str(home / "bin" / "python"), why=why)


def test_the_first_environment_with_a_torch_is_taken(
    project: Path, other: Path, bare: Path
) -> None:
    scripts = project / "scripts"

    assert chosen({}, scripts) == used(project / ".venv", Why.PROJECT)
    assert chosen({"VIRTUAL_ENV": other}, scripts) == used(other, Why.VIRTUAL_ENV)
    assert chosen({"CONDA_PREFIX": other}, scripts) == used(other, Why.CONDA_PREFIX)
    both = {"VIRTUAL_ENV": bare, "CONDA_PREFIX": other}
    assert chosen(both, scripts) == used(other, Why.CONDA_PREFIX)
    assert chosen({"VIRTUAL_ENV": bare}, scripts) == used(project / ".venv", Why.PROJECT)
    assert chosen({"VIRTUAL_ENV": "/nowhere"}, other) == OWN
    assert choose(bare / "bin" / "python", {}, scripts).why is Why.NAMED


def test_our_own_environment_is_taken_where_it_is_the_active_one(project: Path) -> None:
    here = {"VIRTUAL_ENV": sys.prefix}

    assert chosen(here, project) == UsedPython(path=sys.executable, why=Why.VIRTUAL_ENV)


def test_nothing_is_looked_for_above_a_repository_or_the_home(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = project / "scripts"
    monkeypatch.setenv("HOME", str(scripts))
    assert chosen({}, scripts) == OWN

    monkeypatch.setenv("HOME", "/nowhere")
    assert chosen({}, scripts).why is Why.PROJECT
    (scripts / ".git").mkdir()
    assert chosen({}, scripts) == OWN


LEAVES_A_MARK = """\
#!/bin/sh
touch "$(dirname "$0")/ran"
echo '{"python": "3.12", "torch": "2.9"}'
"""


def planted(folder: Path, place: str) -> Path:
    """Put a program where somebody may look for Python; return the mark that it leaves."""
    path = folder / place
    path.parent.mkdir(parents=True)
    path.write_text(LEAVES_A_MARK)
    path.chmod(0o755)
    return path.parent / "ran"


@pytest.mark.parametrize("place", ["python", "bin/python3", "Scripts/python.exe", "bin/torch"])
def test_only_what_lies_where_a_python_belongs_is_started(tmp_path: Path, place: str) -> None:
    mark = planted(tmp_path / ".venv", place)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()

    assert chosen({}, tmp_path) == OWN
    assert not mark.exists()


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path: Path) -> None:
    mark = planted(tmp_path / ".venv", "bin/python")

    assert chosen({}, tmp_path) == OWN
    assert not mark.exists()

    (tmp_path / ".venv" / "pyvenv.cfg").touch()  # the test would see it run
    assert chosen({}, tmp_path) == used(tmp_path / ".venv", Why.PROJECT)
    assert mark.exists()


def test_an_environment_of_another_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = planted(tmp_path / ".venv", "bin/python")
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    if os.getuid() == 0:
        os.chown(tmp_path / ".venv", 12_345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12_345)

    assert chosen({}, tmp_path) == OWN
    assert not mark.exists()


@pytest.mark.whole
def test_explain_runs_a_program_in_its_project_and_says_so(command: Command, project: Path) -> None:
    python = project / ".venv" / "bin" / "python"

    done = command("explain", "--json", str(project / "scripts" / "train.py"))

    found = json.loads(done.stdout)
    assert found["python"] == {"path": str(python), "why": "project"}
    assert [each["line"] for each in found["culprits"]] == [6]
    assert done.stderr == f"Programs run with {python}: it is the project's.\n{project}/.venv\n"


@pytest.mark.whole
def test_run_and_the_sandbox_take_it_too(command: Command, project: Path) -> None:
    program = str(project / "scripts" / "train.py")
    python = project / ".venv" / "bin" / "python"

    ran = command("run", "--once", "--format", "json", program)
    shown = command("sandbox", "--plain", program)

    assert json.loads(ran.stdout)["python"] == {"path": str(python), "why": "project"}
    assert f"{project}/.venv\\n" in ran.stdout
    for each in (ran, shown):
        assert each.stderr.startswith(f"Programs run with {python}: it is the project's.\n")


def test_the_desk_takes_it_too(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    opened: list[Opening] = []
    monkeypatch.setattr(desk, "is_plain", lambda _: False)
    monkeypatch.setattr(desk, "open_screen", lambda _, opening, __: opened.append(opening))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    program = str(project / "scripts" / "train.py")

    desk.desk_command.main([program], standalone_mode=False, obj=Settings("en"))

    python = project / ".venv" / "bin" / "python"
    assert [each.python for each in opened] == [python]
    assert capfd.readouterr().err == f"Programs run with {python}: it is the project's.\n"


@pytest.mark.whole
def test_who_starts_us_with_a_python_has_named_it(project: Path, tmp_path: Path) -> None:
    here = [sys.executable, "-m", "inplace_tui", "explain", "--once", "scripts/train.py"]

    done = run_command(
        project, *here, home=tmp_path / "home", environment={"VIRTUAL_ENV": str(project / ".venv")}
    )

    assert done.stderr == f"{sys.prefix}\n"


def test_an_active_environment_that_is_not_taken_is_not_passed_over_in_silence(
    command: Command, tmp_path: Path, bare: Path
) -> None:
    (tmp_path / "own.py").write_text("x = 1\n")

    done = command("explain", "own.py", VIRTUAL_ENV=str(bare))

    assert done.stderr.startswith(
        f"Programs run with {sys.executable}: it is inplace-tui's own, and no other with a torch "
        "was found.\n"
    )
    assert done.returncode == 0


@pytest.mark.whole
def test_the_doctor_says_which(command: Command, tmp_path: Path) -> None:
    python = make_environment(tmp_path / "venv")

    done = command("doctor")

    assert f"  programs in this folder run with: {python} (it is the project's)\n" in done.stdout
