"""Fills a disk of its own and tries to keep things on it; run in a mount namespace.

    unshare -Urm python full.py MOUNTPOINT

Prints what went wrong, one sentence a line; nothing if all is as it should be.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from inplace_tui.atomic_files import write_file
from inplace_tui.engine.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.model.program import Origin
from inplace_tui.progress import Progress, ProgressError
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.drafts.textfile import FileError, write

FULL = "No space left on device"


def main(place: Path) -> None:
    """Try everything on a disk with room, then without."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=True)
    progress = Progress(place / "progress.json")
    copy = Recovery(place / "unsaved").copy(place / "mine.py")
    progress.keep(answered("one"))
    check(copy.keep("typed = 1\n", Origin.OWN), "a copy is kept where there is room")
    write(place / "mine.py", "saved = 1\n")
    write(place / "linked.py", "saved = 1\n")
    (place / "second.py").hardlink_to(place / "linked.py")
    write_file(place / "exported.json", progress.export())
    before = contents(place)

    with (place / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 512):
                continue
        except OSError:
            check(True, "it is full")
    try:
        progress.keep(answered("two"))
        say("progress was kept on a full disk")
    except ProgressError as refusal:
        check(FULL in refusal.said.en and FULL in refusal.said.zh, f"said {refusal}")
    check(not copy.keep("typed = 2\n" * 500, Origin.OWN), "a copy was kept on a full disk")
    check(copy.recovery.trouble == FULL, f"trouble is {copy.recovery.trouble}")
    try:
        write(place / "mine.py", "saved = 2\n" * 500)
        say("a program was saved on a full disk")
    except FileError as refused:
        check(refused.values["reason"] == FULL, f"said {refused.values}")
    try:
        write(place / "linked.py", "saved = 2\n" * 5_000)
        say("a program with two names was saved on a full disk")
    except FileError as refused:
        check(refused.values["reason"] == FULL, f"said {refused.values}")
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
    progress.keep(answered("three"))
    kept = Progress(place / "progress.json").record.lessons
    check(set(kept) == {"one", "two", "three"}, f"when there was room again: {sorted(kept)}")


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
