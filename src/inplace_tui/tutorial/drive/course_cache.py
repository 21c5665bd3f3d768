"""Courses compiled once: what was made of lesson files, kept until one of them changes.

The files are read each time, and decide: a compiled course is taken only if it was made of
exactly these bytes, under these names, by this program. It is data, never code; what is
damaged in it is found by its digest, and it is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

import inplace_tui
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole, replace_file
from inplace_tui.common.decodable import decodable
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.course import Course, load_course

_MAKERS = (
    "common",
    "common/run",
    "common/texts",
    "tutorial/course",
    "tutorial/course/lessons",
    "tutorial/course/lessons/kinds",
)
"""Folders of what reads lesson files: after a change there, everything is compiled again."""


@dataclass(frozen=True)
class CourseCache:
    """A folder of compiled courses, one file for each folder of lessons. It need not exist."""

    folder: Path

    def load(
        self, files: Mapping[str, bytes], *, origin: Origin, taught: Iterable[str] = ()
    ) -> Course:
        """Return what `load_course` returns for these files."""
        known = sorted(taught)
        key = _key(files, origin, known)
        root = str(PurePosixPath(min(files, default="")).parent.parent)
        path = self.folder / f"course-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}"
        course = _kept(path, key)
        if course is None:
            course = load_course(files, origin=origin, taught=known)
            _keep(path, key, course)
        return course


def _key(files: Mapping[str, bytes], origin: Origin, taught: list[str]) -> bytes:
    digest = hashlib.sha256(f"{inplace_tui.__version__} {sys.hexversion} {origin}\n".encode())
    here = Path(inplace_tui.__file__).parent
    for name in _MAKERS:
        with os.scandir(here / name) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.endswith((".py", ".pyc", ".so")):
                    about = entry.stat()
                    digest.update(f"{entry.name} {about.st_size} {about.st_mtime_ns}\n".encode())
    for concept in taught:
        digest.update(f"{concept}\n".encode())
    for path, content in sorted(files.items()):
        digest.update(b"%d %d " % (len(os.fsencode(path)), len(content)))
        digest.update(os.fsencode(path) + content)
    return digest.digest()


def _kept(path: Path, key: bytes) -> Course | None:
    """Return the course that is kept, if it was made of these files and nothing of it is lost."""
    try:
        kept = read_whole(path, MAX_USER_FILE)
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    content = kept[2 * size :]
    if kept[: 2 * size] != key + hashlib.sha256(content).digest():
        return None
    try:
        return msgspec.msgpack.decode(content, type=decodable(Course))
    except (msgspec.DecodeError, RecursionError):
        return None


def _keep(path: Path, key: bytes, course: Course) -> None:
    """Keep a course where that can be done; nobody misses it where it can't."""
    # A path may have bytes that are no UTF-8; then there is nothing to keep it as.
    with suppress(OSError, UnicodeEncodeError, msgspec.EncodeError):
        content = msgspec.msgpack.encode(course)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, key + hashlib.sha256(content).digest() + content)
