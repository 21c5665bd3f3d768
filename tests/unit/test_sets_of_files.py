"""Several files are written all or none: refused, out of room, killed between two of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_tui.common.atomic_files import half_saved, save_files

NAMES = ("a.py", "b.py", "c.py")

DYING = """
import os, signal, sys
from pathlib import Path
from inplace_tui.common.atomic_files import save_files
folder, at = Path(sys.argv[1]), int(sys.argv[2])
replace, done = os.replace, []
def dying(*names):
    if len(done) == at:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(replace(*names))
os.replace = dying
save_files({folder / name: b"new" for name in sys.argv[3:]}, folder / "journals")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"old")
    return tmp_path


def texts(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in NAMES]


def left(folder: Path) -> list[str]:
    """Return what lies there besides the files."""
    found = [*folder.iterdir(), *(folder / "journals").glob("*")]
    return [each.name for each in found if each.name not in (*NAMES, "journals")]


def die(folder: Path, at: int, *names: str) -> None:
    """Write files in a process that is killed after so many."""
    done = subprocess.run([sys.executable, "-c", DYING, folder, str(at), *names], check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_set_is_written_and_leaves_nothing_behind(folder: Path) -> None:
    save_files({folder / name: name.encode() for name in NAMES}, folder / "journals")

    assert texts(folder) == list(NAMES)
    assert left(folder) == []


@pytest.mark.parametrize("refused", ["b.py", "c.py"])
@pytest.mark.parametrize("way", ["read-only", "a folder", "renaming"])
def test_a_set_of_which_one_is_refused_leaves_all_as_they_were(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refused: str, way: str
) -> None:
    target = folder / refused
    access, replace = os.access, os.replace
    if way == "read-only":  # root may write everything
        monkeypatch.setattr(os, "access", lambda path, mode: path != target and access(path, mode))
    elif way == "a folder":
        target.unlink()
        target.mkdir()
    else:

        def failing(one: str, other: Path) -> None:
            if other == target:
                raise OSError(5, "Input/output error")
            replace(one, other)

        monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match=r"denied|folder|error") as refusal:
        save_files({folder / name: b"new" for name in NAMES}, folder / "journals")

    assert refusal.value.filename == str(target)
    assert {(folder / name).read_bytes() for name in NAMES if name != refused} == {b"old"}
    assert left(folder) == []


def test_one_that_is_written_over_is_written_over_and_taken_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "second").hardlink_to(folder / "c.py")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(5, "no")))
    with pytest.raises(OSError, match="no"):
        save_files({folder / "a.py": b"new", folder / "c.py": b"newer"})

    assert texts(folder) == ["old", "old", "old"]

    monkeypatch.undo()
    save_files({folder / "a.py": b"new", folder / "c.py": b"newer"})

    assert texts(folder) == ["new", "old", "newer"]
    assert (folder / "second").read_bytes() == b"newer"


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("at", [1, 2])
def test_a_set_that_was_cut_short_is_completed_or_undone(
    folder: Path, at: int, complete: bool
) -> None:
    die(folder, at, *NAMES)
    assert len(set(texts(folder))) == 2

    found = half_saved(folder / "journals")

    assert found is not None
    assert (len(found.written), len(found.missing)) == (at, 3 - at)

    found.settle(complete=complete)

    assert texts(folder) == ["new" if complete else "old"] * 3
    assert left(folder) == []
    assert half_saved(folder / "journals") is None


@pytest.mark.parametrize("complete", [True, False])
def test_what_was_changed_since_is_left_alone(folder: Path, complete: bool) -> None:
    die(folder, 1, *NAMES)
    found = half_saved(folder / "journals")
    assert found is not None
    written, missing = Path(found.written[0].path), Path(found.missing[0].path)
    (written if not complete else missing).write_bytes(b"mine")

    found.settle(complete=complete)

    assert sorted(texts(folder)) == sorted(
        ["mine", "new", "new"] if complete else ["mine", "old", "old"]
    )


def test_what_was_not_begun_or_cannot_be_read_is_forgotten(folder: Path) -> None:
    die(folder, 0, *NAMES)
    (folder / "journals" / "cut.set").write_bytes(b"\x93")

    assert half_saved(folder / "journals") is None
    assert texts(folder) == ["old"] * 3
    assert left(folder) == []


def test_a_set_that_is_being_written_is_nobody_elses(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    replace = os.replace

    def looking(*names: str) -> None:
        replace(*names)
        seen.append(half_saved(folder / "journals"))

    monkeypatch.setattr(os, "replace", looking)
    save_files({folder / name: b"new" for name in NAMES}, folder / "journals")

    assert seen == [None] * 3
    assert texts(folder) == ["new"] * 3


def test_files_that_are_new_are_gone_again_if_the_set_is_undone(folder: Path) -> None:
    for name in NAMES[1:]:
        (folder / name).unlink()
    die(folder, 2, *NAMES)
    found = half_saved(folder / "journals")
    assert found is not None

    found.settle(complete=False)

    assert [path.name for path in folder.iterdir()] in (["a.py", "journals"], ["journals", "a.py"])
