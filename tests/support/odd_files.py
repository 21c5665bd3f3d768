"""Files as nobody wants them, and everything of the program that reads one."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole
from inplace_tui.common.command.programs import program_in
from inplace_tui.common.message import explain_message
from inplace_tui.common.run.program import Origin
from inplace_tui.common.trust import Trust
from inplace_tui.diagnosis.commands.explain import MAX_MESSAGE
from inplace_tui.tutorial.course.course import load_course
from inplace_tui.tutorial.course.lessons.loader import load_challenge
from inplace_tui.tutorial.course.lessons.strict_yaml import decode
from inplace_tui.tutorial.drive.check import select
from inplace_tui.tutorial.drive.lessons import read, read_lesson
from inplace_tui.tutorial.drive.packs import read_pack
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui import keymap
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.draft import Recovery
from inplace_tui.tutorial.ui.launch import load_preferences

GIGABYTE = 2**30
PATIENCE = 30
"""Seconds for one file: whoever waits for it waits for ever."""


def make(folder: Path) -> list[Path]:
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
        # As YAML, as TOML and as Python: what takes a reader long, or makes Python refuse.
        "many-digits": b"next = " + b"9" * 5000,
        "many-digits-yaml": b"seed: " + b"9" * 5000,
        "many-underscores": b"seed: " + b"1_" * 100_000 + b"x",
        "many-colons": b"seed: " + b"1:" * 100_000 + b"x",
        "many-spaces": b" " * 60_000,
        "many-parts": b"a" + b".a" * 3000 + b" = 1",
        "many-keys": b"".join(b"k%d: 1\n" % number for number in range(3_000)),
        "same-keys": b"id: 1\n" * 4_000,
        "many-anchors": b"code: |\n" + b"  x = 1  #@ a\n" * 15_000,
        "deep-code": b"code: |\n  x = " + b"-" * 100_000 + b"1\n",
        "same-json": b'{"schema": 1, "schema": 1, "language": 1e999, "theme": NaN}',
        "no-codec": b"# coding: rot13\nx = 1\n",
        "bad-codec": b"# coding: punycode\nx = 1-\n",
        "not-utf8": b"id: \xe9t\xe9\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    with (folder / "huge").open("wb") as file:
        file.truncate(GIGABYTE)
    for name, target in {
        "dangling": "nowhere", "itself": "itself", "endless": "/dev/zero",
        "nothing": "/dev/null", "asks": "/dev/tty", "memory": "/proc/self/mem",
        "to-pipe": "pipe", "outside": "/etc/passwd",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    locked = folder / "locked"
    locked.write_bytes(text)
    locked.chmod(0)
    return sorted(folder.iterdir())


def _recovered(path: Path) -> object:
    with tempfile.TemporaryDirectory() as folder:
        recovery = Recovery(Path(folder))
        (recovery.folder / "untitled-0-1.py").symlink_to(path)
        return recovery.kept(None)


def _imported(path: Path) -> object:
    with tempfile.TemporaryDirectory() as folder:
        return Progress(Path(folder, "progress.json")).take_in(read_whole(path, MAX_USER_FILE))


def _chapter(path: Path) -> object:
    return load_course({"01-odd/chapter.yaml": read(path)}, origin=Origin.BUILT_IN)


def _challenge(path: Path) -> object:
    return load_challenge(
        decode(read(path), path.as_posix()), path.as_posix(), origin=Origin.BUILT_IN
    )


def _message(path: Path) -> object:
    # A tenth of what is looked at: it is the same all along, and takes its time.
    return explain_message(read_whole(path, MAX_MESSAGE).decode("utf-8", "replace")[-20_000:])


READERS: dict[str, Callable[[Path], object]] = {
    "program": lambda path: program_in(path, ()),
    "editor": textfile.read,
    "lesson": lambda path: select([path]),
    "quick lesson": read_lesson,
    "chapter": _chapter,
    "challenge": _challenge,
    "pack": lambda path: read_pack(path.parent),
    "progress": lambda path: Progress(path).notice,
    "import": _imported,
    "message": _message,
    "trust": lambda path: Trust(path).digests,
    "keys": keymap.load,
    "first frame": load_preferences,
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
        for reader, take in READERS.items():
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.process_time()
            signal.alarm(PATIENCE)
            try:
                take(path)
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
