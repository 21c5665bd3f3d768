"""What is kept stays whole: full disks, homes that are none, broken files, other instances."""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from faults.full import answered
from inplace_tui.common import atomic_files, paths
from inplace_tui.common.trust import Trust
from inplace_tui.tutorial.progress import IMPATIENCE, Progress, ProgressError
from support.command import COMMAND
from support.patience import PATIENCE
from support.terminal import Terminal

HERE = Path(__file__).parent

FREEZING = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from faults.full import answered
from inplace_tui.tutorial.progress import Progress
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGSTOP)  # all is written but for the name
Progress(Path(sys.argv[1])).save(answered("theirs"))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "progress.json"


def lessons(path: Path) -> set[str]:
    """Return the lessons of which a file knows something, read anew."""
    progress = Progress(path)
    assert progress.notice is None
    return set(progress.record.lessons)


def apart(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run something where it may mount what it likes."""
    able = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False)
    if able.returncode != 0:
        pytest.skip("nobody may mount anything here")
    return subprocess.run(
        ["unshare", "-Urm", *command],
        env={**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{HERE.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_costs_nothing_that_was_there(tmp_path: Path) -> None:
    done = apart(sys.executable, HERE / "full.py", tmp_path)

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def homes(tmp_path: Path) -> dict[str, dict[str, str]]:
    """Return environments of people who have no home that could be written."""
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "home" / "progress.json").mkdir(parents=True)
    elsewhere = {"HOME": "/proc/nobody", "XDG_DATA_HOME": ""}
    return {
        "nowhere": elsewhere,
        "a file": {"INPLACE_TUI_HOME": str(tmp_path / "file")},
        "a folder for progress": {"INPLACE_TUI_HOME": str(tmp_path / "home")},
    }


@pytest.mark.parametrize("kind", ["nowhere", "a file", "a folder for progress"])
@pytest.mark.whole(every=3)
def test_without_a_home_to_write_to_it_is_said_that_nothing_is_kept(
    tmp_path: Path, path: Path, kind: str
) -> None:
    exported = tmp_path / "exported.json"
    Progress(tmp_path / "other" / "progress.json").save(answered("one"))
    exported.write_bytes((tmp_path / "other" / "progress.json").read_bytes())

    done = subprocess.run(
        [COMMAND, "progress", "--import", exported, "--lang", "en"],
        env={"PATH": os.environ["PATH"], **homes(tmp_path)[kind]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "Progress is not kept (" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.whole
def test_a_read_only_home_is_said_and_left_as_it_is(path: Path) -> None:
    Progress(path).save(answered("one"))
    before = path.read_bytes()
    line = f"""
mount --bind {path.parent} {path.parent} && mount -o remount,bind,ro {path.parent} &&
INPLACE_TUI_HOME={path.parent} {COMMAND} progress --reset one --lang en; echo $?
"""

    done = apart("sh", "-c", line)

    assert done.stdout == "2\n"
    assert done.stderr == (
        f"Progress is not kept (Read-only file system): {path} can't be written.\n"
    )
    assert path.read_bytes() == before


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    """A link to a device, where root keeps things, would have cost the machine the device."""
    device = tmp_path / "device"
    os.mkfifo(device)
    for name in ("progress.json", "trusted.json"):
        (tmp_path / name).symlink_to(device)
    trust = Trust(tmp_path / "trusted.json")

    trust.add("digest", tmp_path)
    with pytest.raises(ProgressError, match="not a regular file"):
        Progress(tmp_path / "progress.json").save(answered("one"))

    assert trust.notice is not None
    assert device.is_fifo()


def test_a_user_without_any_home_is_told_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> pwd.struct_passwd:
        raise KeyError

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", paths.HOME):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)

    with pytest.raises(ProgressError, match=f"Name a folder in {paths.HOME}"):
        Progress(paths.progress_file()).save(answered("one"))
    assert not paths.keymap_file().exists()


def test_a_file_cut_at_any_length_is_set_aside_whole(tmp_path: Path) -> None:
    whole = tmp_path / "progress.json"
    Progress(whole).save(answered("one"))
    content = whole.read_bytes()

    for length in range(0, len(content.rstrip()), 3):
        path = tmp_path / str(length) / "progress.json"
        path.parent.mkdir()
        path.write_bytes(content[:length])

        progress = Progress(path)
        progress.save(answered("two"))

        assert progress.notice is not None
        assert path.with_name("progress.broken-1.json").read_bytes() == content[:length]
        assert lessons(path) == {"two"}


@pytest.mark.whole
def test_a_frozen_instance_holds_nobody_up_and_takes_nothing_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def lock(path: Path, patience: float) -> AbstractContextManager[bool]:
        waited.append(patience)
        return atomic_files.lock(path, patience)

    monkeypatch.setattr("inplace_tui.tutorial.progress.lock", lock)
    progress = Progress(path)
    progress.save(answered("one"))
    frozen = subprocess.Popen([sys.executable, "-c", FREEZING, path, HERE.parent])
    try:
        os.waitid(os.P_PID, frozen.pid, os.WSTOPPED)
        with pytest.raises(ProgressError, match="does not answer; progress is kept all the same"):
            progress.save(answered("two"))
        progress.save(answered("three"))

        assert lessons(path) == {"one", "two", "three"}
        assert waited == [atomic_files.PATIENCE, atomic_files.PATIENCE, IMPATIENCE]
        frozen.send_signal(signal.SIGCONT)
        os.waitid(os.P_PID, frozen.pid, os.WSTOPPED | os.WEXITED)  # it writes once more
        frozen.send_signal(signal.SIGCONT)
        assert frozen.wait(timeout=PATIENCE) == 0
        assert lessons(path) == {"one", "two", "three", "theirs"}
    finally:
        frozen.kill()
        frozen.wait()


@pytest.mark.parametrize("lock", ["folder", "nowhere", "itself", "pipe"])
def test_a_lock_that_is_none_is_said_or_serves(path: Path, lock: str) -> None:
    """At once, and the file stays what it was."""
    Progress(path).save(answered("one"))
    place = path.with_suffix(".lock")
    place.unlink()
    if lock == "folder":
        place.mkdir()
    elif lock == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("progress.lock" if lock == "itself" else "/nowhere/at/all")

    if lock == "pipe":
        Progress(path).save(answered("two"))
    else:
        with pytest.raises(ProgressError, match="Progress is not kept"):
            Progress(path).save(answered("two"))

    assert lessons(path) == ({"one", "two"} if lock == "pipe" else {"one"})


def test_a_file_system_without_locks_is_written_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)

    Progress(path).save(answered("one"))

    assert lessons(path) == {"one"}


@pytest.mark.whole
def test_two_programs_that_are_answered_at_once_lose_no_answer(tmp_path: Path) -> None:
    drill = ("drill", "--plain")
    with Terminal(*drill, home=tmp_path) as one, Terminal(*drill, home=tmp_path) as other:
        for round_ in range(1, 4):
            for told, key in (
                ("4  Raises in backward()", "2\n"),
                ("How sure are you?", "2\n"),
                ("Enter: next program.", "\n"),
            ):
                for terminal in (one, other):
                    terminal.wait_for(told, times=round_)
                for terminal in (one, other):
                    terminal.type(key)
        for terminal in (one, other):
            terminal.wait_for("Drill 4")

    assert Progress(tmp_path / "progress.json").record.drill.total.answered == 6
