"""What Windows lacks is taken from our modules, and all goes on; see `without/sitecustomize.py`."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import inplace_tui

WITHOUT = Path(__file__).parent / "without"

LINUX_ALONE = {
    *("common.cursor", "tutorial.commands.terminal_keys", "diagnosis.record.copying.stopped"),
    *("diagnosis.record.fork_server", "diagnosis.runner.fork_server", "diagnosis.runner.stopped"),
    *("diagnosis.runner.asking", "diagnosis.runner.forked"),
    *(
        f"diagnosis.record.process.{name}"
        for name in ("forked", "imported_once", "linux", "namespace", "view")
    ),
}
"""The modules that nothing imports where programs can't be forked."""

IMPORTS = """
import importlib, json, sys
failed = []
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except (ImportError, AttributeError):
        failed.append(name.removeprefix("inplace_tui."))
print(json.dumps(failed))
"""

FAULTY = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of Python that lacks all that."""
    path = os.pathsep.join([str(WITHOUT), *sys.path])
    environment = {**os.environ, "INPLACE_TUI_PORTABLE": "1", "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )


def test_all_can_be_imported_but_what_is_of_linux_alone() -> None:
    names = [
        each.name
        for each in pkgutil.walk_packages(inplace_tui.__path__, "inplace_tui.")
        if not each.name.endswith(("__main__", "sitecustomize"))
    ]

    done = run("-c", IMPORTS, json.dumps(names))

    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == LINUX_ALONE


def test_a_program_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(FAULTY)

    done = run("-m", "inplace_tui", "explain", "--json", str(file))

    assert done.stdout, done.stderr
    assert [each["line"] for each in json.loads(done.stdout)["culprits"]] == [4]


@pytest.mark.whole
def test_its_fixes_are_tried_where_it_may_run_again(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(FAULTY)

    done = run("-m", "inplace_tui", "explain", "--json", "--in-place", "--budget", "300", str(file))

    assert json.loads(done.stdout)["fixes"]


@pytest.mark.whole
@pytest.mark.parametrize("lesson", ["y-plus-one", "saved-output"])
def test_lessons_are_as_they_say(lesson: str) -> None:
    done = run("-m", "inplace_tui", "check", lesson)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "all true" in done.stderr


TRUST = """
import sys
from pathlib import Path
from inplace_tui.common.confinement import offered
from inplace_tui.common.trust import Trust, question
trust = Trust(Path(sys.argv[1]))
trust.add("digest", Path("pack"))
print(trust.digests, Trust(trust.path).digests)
print(question("pack", offered(), "en"))
"""


def test_a_pack_is_asked_about_each_time_and_nothing_is_promised_of_it(tmp_path: Path) -> None:
    done = run("-c", TRUST, str(tmp_path / "trust.json"))

    assert done.stdout.startswith("frozenset({'digest'}) frozenset()"), done.stderr
    assert "Nothing here can keep them from changing and deleting your files." in done.stdout
    assert "You are asked again each time" in done.stdout


LOCKS = """
import sys
from pathlib import Path
from inplace_tui.common.atomic_files import half_saved, lock, save_files
folder = Path(sys.argv[1])
with lock(folder / "lock") as mine, lock(folder / "lock", patience=0) as other:
    print(mine, other)
with lock(folder / "lock", patience=0) as again:
    print(again)
files = {folder / "a": b"one", folder / "b": b"two"}
save_files(files, folder / "journals")
save_files({path: b"three" for path in files}, folder / "journals")
print(half_saved(folder / "journals"), *(path.read_bytes() for path in files))
print([each.name for each in (folder / "journals").iterdir()])
"""


def test_files_are_locked_and_saved_together(tmp_path: Path) -> None:
    done = run("-c", LOCKS, str(tmp_path))

    assert done.stdout.splitlines() == ["True False", "True", "None b'three' b'three'", "[]"], (
        done.stderr
    )
