"""The GitHub action, the pre-commit hook and the container file: what they run is run here."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from inplace_tui.common.torch_line import CPU_INDEX, TESTED
from support.command import COMMAND, inherited

ROOT = Path(__file__).parents[2]

FINE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.exp().sum().backward()\n"
STALE = FINE.replace("x.exp().sum()", "y = x.exp()\ny.add_(1)\ny.sum()")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one script that is right and one that is not."""
    folder = tmp_path / "repository"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "fine.py").write_text(FINE)
    (folder / "scripts" / "two words.py").write_text(STALE)
    return folder


def called(folder: Path, words: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    told = {**inherited(), "HOME": str(folder), "INPLACE_TUI_HOME": str(folder.parent / "kept")}
    return subprocess.run(
        words, cwd=folder, env={**told, **variables}, capture_output=True, text=True, check=False
    )


class Action:
    """Runs the steps of `action.yml` as GitHub does."""

    def __init__(self, repository: Path, **inputs: str) -> None:
        self.action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
        self._repository = repository
        self._temp = repository.parent / "runner"
        (self._temp / "inplace-tui" / "bin").mkdir(parents=True)
        defaults = {name: each.get("default", "") for name, each in self.action["inputs"].items()}
        assert inputs.keys() <= defaults.keys()
        self._known = {f"inputs.{name}": value for name, value in (defaults | inputs).items()}
        self.outputs: dict[str, str] = {}

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run a step; what it adds to GITHUB_OUTPUT are the outputs of the next ones."""
        step = next(each for each in self.action["runs"]["steps"] if each["name"] == name)
        script, output = self._temp / "step.sh", self._temp / "output"
        script.write_text(step["run"])
        output.write_text("")
        variables = {key: self._filled(value) for key, value in step["env"].items()}
        done = called(
            self._repository,
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            RUNNER_TEMP=str(self._temp),
            GITHUB_OUTPUT=str(output),
            **variables,
        )
        for line in output.read_text().splitlines():
            key, _, value = line.partition("=")
            self.outputs[key] = self._known[f"steps.{step['id']}.outputs.{key}"] = value
        return done

    def installed(self) -> None:
        (self._temp / "inplace-tui" / "bin" / "inplace-tui").symlink_to(COMMAND)

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self._known[found[1]], text)


@pytest.mark.whole
def test_the_action_reports_the_line_at_fault_and_fails(repository: Path) -> None:
    scripts = "scripts/fine.py\nscripts/two words.py\n"
    action = Action(repository, files=scripts, python=sys.executable, arguments="--once --lang en")
    action.installed()

    explained = action.step("Explain")
    judged = action.step("Fail as explain does")

    assert (explained.returncode, explained.stdout) == (0, ""), explained.stderr
    assert action.outputs == {"exit-code": "1", "sarif": "inplace-tui.sarif"}
    assert judged.returncode == 1
    (run,) = json.loads((repository / "inplace-tui.sarif").read_text())["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "scripts/two%20words.py"
    assert place["region"]["startLine"] == 4


@pytest.mark.whole
def test_the_action_passes_what_is_right(repository: Path) -> None:
    action = Action(repository, files="scripts/fine.py", python="", arguments="--once")
    action.installed()

    action.step("Explain")

    assert action.outputs == {"exit-code": "0", "sarif": "inplace-tui.sarif"}
    assert action.step("Fail as explain does").returncode == 0


def test_the_action_fails_with_a_sentence_where_there_is_no_such_script(repository: Path) -> None:
    action = Action(repository, files="nowhere.py", python=sys.executable)
    action.installed()

    explained = action.step("Explain")

    assert "nowhere.py can't be read: No such file or directory" in explained.stderr
    assert action.outputs == {"exit-code": "2"}  # and nothing to upload
    assert action.step("Fail as explain does").returncode == 2


def test_no_input_of_the_action_is_part_of_a_script(repository: Path) -> None:
    steps = Action(repository).action["runs"]["steps"]
    scripts = [each["run"] for each in steps if "run" in each]

    assert len(scripts) == 3
    assert not any("${{" in each for each in scripts)
    for each in scripts:
        subprocess.run(["bash", "-n", "-c", each], check=True)


def hook_line(*more: str) -> list[str]:
    """Return what pre-commit calls: the entry, `args`, and the files of the commit."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    name, *words = shlex.split(hook["entry"])
    assert name == "inplace-tui"
    return [str(COMMAND), *words, *hook.get("args", []), *more]


@pytest.mark.whole
def test_the_hook_stops_a_commit_that_breaks_a_gradient(repository: Path) -> None:
    """In an environment of pre-commit's, which is the active one for its hooks."""
    active = {"VIRTUAL_ENV": sys.prefix}
    fine = called(repository, hook_line("--once", "scripts/fine.py"), **active)
    both = called(
        repository,
        hook_line("--once", "--format", "sarif", "scripts/fine.py", "scripts/two words.py"),
        **active,
    )

    assert (fine.returncode, fine.stderr) == (0, "")
    assert both.returncode == 1
    assert len(json.loads(both.stdout)["runs"][0]["results"]) == 1


def test_a_commit_runs_no_script_that_nobody_named() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    assert not re.search(hook["files"], "train.py")
    assert hook["require_serial"], "two runs at once would use the same files and ports"


def instructions() -> list[tuple[str, list[str]]]:
    text = (ROOT / "Containerfile").read_text()
    lines = [each for each in text.splitlines() if each and not each.startswith("#")]
    return [(each.split()[0], each.split()[1:]) for each in lines]


def test_the_container_copies_what_a_wheel_is_built_of(tmp_path: Path) -> None:
    """It can't be built here: what is copied is, and by what is built there."""
    copied = [words for name, words in instructions() if name == "COPY"]
    local = [each for words in copied if not words[0].startswith("--") for each in words[:-1]]
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert sorted(local) == sorted(each[1:] for each in ignored if each.startswith("!"))
    for each in local:
        if each != "constraints.txt":
            (tmp_path / each).symlink_to(ROOT / each)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)


def test_the_container_has_the_torch_that_the_lessons_are_checked_with() -> None:
    runs = [words for name, words in instructions() if name == "RUN"]
    told: Mapping[str, list[str]] = dict(instructions())

    assert ["pip", "install", "--no-cache-dir", TESTED, "--index-url", CPU_INDEX] in runs
    assert json.loads(" ".join(told["ENTRYPOINT"])) == ["inplace-tui"]
    assert told["USER"] == ["learner"]
    for each in runs:
        subprocess.run(["bash", "-n", "-c", " ".join(each)], check=True)
