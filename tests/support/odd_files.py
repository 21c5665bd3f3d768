"""Files as nobody wants them, and everything of the program that reads one."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from inplace_tui.commands.targets import program_in
from inplace_tui.drive.lessons import read_lesson, select
from inplace_tui.drive.packs import read_pack
from inplace_tui.progress import Progress
from inplace_tui.reading import MOST_KEPT, whole
from inplace_tui.trust import Trust
from inplace_tui.ui import keymap
from inplace_tui.ui.remembered import remembered
from inplace_tui.ui.screens import textfile
from inplace_tui.ui.screens.recovery import Recovery

GIGABYTE = 2**30
PATIENCE = 5
"""Seconds for one file."""


def make(folder: Path, suffix: str = "") -> list[Path]:
    """Put one of each into a folder; return them."""
    text = b"schema: 1\nid: odd\n"
    bomb = ["a: &a [x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb.append(f"{name}: &{name} [{f'*{before}, ' * 9}]")
    contents = {
        "binary": random.Random(0).randbytes(5000),
        "zero-byte": b"id: 1\0\n",
        "bom": b"\xef\xbb\xbf" + text,
        "utf-16": text.decode().encode("utf-16"),
        "crlf": text.replace(b"\n", b"\r\n"),
        "cr": text.replace(b"\n", b"\r"),
        "empty": b"",
        "deep": b"[" * 200_000,
        "deep-objects": b'{"schema":1,"lessons":' * 20_000,
        "deep-table": b"a = " + b"[" * 20_000,
        "bomb": "\n".join(bomb).encode(),
        "half": b'{"schema": 1, "lessons": {"a": {"cur',
        "surrogates": b'{"schema": 1, "language": "\\ud800\xff"}',
        "large-number": b'{"schema": ' + b"9" * 5000 + b"}",
        "long-line": b"x = " + b"9" * 300_000,
    }
    for name, content in contents.items():
        (folder / f"{name}{suffix}").write_bytes(content)
    with (folder / f"huge{suffix}").open("wb") as file:
        file.truncate(GIGABYTE)
    for name, target in {
        "dangling": "nowhere", "itself": f"itself{suffix}", "endless": "/dev/zero",
        "nothing": "/dev/null", "asks": "/dev/tty", "memory": "/proc/self/mem",
    }.items():  # fmt: skip
        (folder / f"{name}{suffix}").symlink_to(target)
    os.mkfifo(folder / f"pipe{suffix}")
    (folder / f"folder{suffix}").mkdir()
    locked = folder / f"locked{suffix}"
    locked.write_bytes(text)
    locked.chmod(0)
    return sorted(folder.iterdir())


def _recovered(path: Path) -> object:
    recovery = Recovery(path.parent / "kept")
    recovery.folder.mkdir(exist_ok=True)
    place = recovery.folder / "untitled-0-1.py"
    place.unlink(missing_ok=True)
    place.symlink_to(path)
    return recovery.kept(None)


READERS: dict[str, Callable[[Path], object]] = {
    "program": lambda path: program_in(path, ()),
    "editor": textfile.read,
    "lesson": lambda path: select([path]),
    "quick lesson": read_lesson,
    "pack": lambda path: read_pack(path.parent),
    "progress": lambda path: Progress(path).notice,
    "import": lambda path: whole(path, MOST_KEPT),
    "trust": lambda path: Trust(path).digests,
    "keys": keymap.load,
    "first frame": remembered,
    "recovery": _recovered,
}


def _expire(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    """Let everything read one file; print what came of it, and what it took."""
    if os.geteuid() == 0:
        os.seteuid(65534)  # root may read what is locked
    signal.signal(signal.SIGALRM, _expire)
    for name in sys.argv[1:]:
        path = Path(name)
        for reader, read in READERS.items():
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.process_time()
            signal.alarm(PATIENCE)
            try:
                read(path)
                ending = ""
            except BaseException as error:  # noqa: BLE001
                ending = type(error).__name__
            signal.alarm(0)
            taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            seconds = round(time.process_time() - start, 2)
            said = {"file": path.stem, "by": reader, "ending": ending, "KiB": taken}
            sys.stdout.write(json.dumps({**said, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main()
