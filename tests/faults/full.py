"""Fills a disk of its own and tries to keep things on it; run in a mount namespace.

    unshare -Urm python full.py MOUNTPOINT

Prints what went wrong, one sentence a line; nothing if all is as it should be.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inplace_tui.common.atomic_files import write_file
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.progress import Progress, ProgressError
from inplace_tui.tutorial.ui.drafts.draft import Recovery
from inplace_tui.tutorial.ui.drafts.textfile import FileError, write

FULL = "No space left on device"


def main(place: Path) -> None:
    """Try everything on a disk with room, then without."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=True)
    progress = Progress(place / "progress.json")
    copy = Recovery(place / "unsaved").copy(place / "mine.py")
    progress.save(answered("one"))
    check(copy.save("typed = 1\n", Origin.OWN), "a copy is kept where there is room")
    write(place / "mine.py", "saved = 1\n")
    write(place / "linked.py", "saved = 1\n")
    (place / "second.py").hardlink_to(place / "linked.py")
    write(place / "foreign.py", "saved = 1\n")
    lock(place / "locked", place / "real.py")
    write(place / "locked" / "mine.py", "saved = 1\n")
    write_file(place / "exported.json", progress.export())
    before = contents(place)

    with (place / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 512):
                continue
        except OSError:
            check(True, "it is full")
    try:
        progress.save(answered("two"))
        say("progress was kept on a full disk")
    except ProgressError as refusal:
        check(FULL in refusal.text.en and FULL in refusal.text["zh"], f"said {refusal}")
    check(not copy.save("typed = 2\n" * 500, Origin.OWN), "a copy was kept on a full disk")
    check(copy.recovery.trouble == FULL, f"trouble is {copy.recovery.trouble}")
    try:
        write(place / "mine.py", "saved = 2\n" * 500)
        say("a program was saved on a full disk")
    except FileError as refused:
        check(FULL in refused.text.en, f"said {refused}")
    write_in_place(place)
    try:
        write_file(place / "exported.json", progress.export())
        say("progress was exported to a full disk")
    except OSError as error:
        check(error.strerror == FULL, f"said {error}")
    after = contents(place)
    after.pop("filler")
    check(after == before, f"{sorted(after)} is not what was there: {sorted(before)}")
    check(set(progress.record.lessons) == {"one", "two"}, "the screen forgot an answer")

    (place / "filler").unlink()
    progress.save(answered("three"))
    write_in_place(place, is_full=False)
    kept = Progress(place / "progress.json").record.lessons
    check(set(kept) == {"one", "two", "three"}, f"when there was room again: {sorted(kept)}")


def write_in_place(place: Path, *, is_full: bool = True) -> None:
    """Save what stays the same file: one of two names, of another's, in a locked folder."""
    for name in ("linked.py", "foreign.py", "locked/mine.py"):
        path, text = place / name, "saved = 2\n" * (5_000 if is_full else 1)
        number = path.stat().st_ino
        with as_somebody_else(name == "foreign.py"):
            try:
                write(path, text)
                check(not is_full, f"{name} was saved on a full disk")
                check(path.read_text() == text, f"{name} was not saved")
            except FileError as refused:
                check(is_full and FULL in refused.text.en, f"{name}: {refused}")
        check(path.stat().st_ino == number, f"{name} is another file now")


def lock(folder: Path, real: Path) -> None:
    """Make a folder that takes no new file, with `mine.py` in it that can be written."""
    folder.mkdir()
    (folder / "mine.py").touch()
    real.touch()
    for command in (
        ("mount", "--bind", folder, folder),
        ("mount", "--bind", real, folder / "mine.py"),
        ("mount", "-o", "remount,bind,ro", folder),
    ):
        subprocess.run(command, check=True)


@contextmanager
def as_somebody_else(is_so: bool) -> Iterator[None]:
    """Be another user than whose the files are: in a namespace of one user there is no other."""
    own = os.geteuid
    if is_so:
        os.geteuid = lambda: own() + 1
    try:
        yield
    finally:
        os.geteuid = own


def answered(lesson: str) -> SaveProgress:
    """Return an answer in a lesson."""
    answers = (SavedAnswer(question="q", status=QuestionStatus.RIGHT),)
    return SaveProgress(lesson=lesson, cursor=1, answers=answers, finished=True)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def check(so: bool, otherwise: str) -> None:
    """Complain if it is not so."""
    if not so:
        say(otherwise)


def say(complaint: str) -> None:
    """Complain."""
    sys.stdout.write(complaint + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
