"""A copy-on-write view of all files: what a run writes goes with its namespace.

Each file system that keeps files is covered by overlays whose upper layer is memory. An overlay
shows nothing of what is mounted below its folder, and an ordinary user may not mount that again:
such a folder is not covered itself, but each of its subfolders. What remains is read-only.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.diagnosis.record.process import linux

_KERNEL = frozenset(
    (
        *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts"),
        *("devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore"),
        *("rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs"),
    )
)
"""Kinds of file systems that keep no files. An overlay of devices would open none of them."""

_REMOUNT, _BIND, _READ_ONLY = 1 << 5, 1 << 12, 1
_KEPT = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1 << 10, "nodiratime": 1 << 11}
_RELATIVE_TIMES = 1 << 21
"""Flags that only the user who mounted something can remove."""

_LAYERS = "/proc/fs"
"""Where the upper layers are mounted while overlays are made of them: no program needs it."""

_NOBODY = 65534
"""The owner that files of users without a number here seem to have."""

_covered: list[str] = []
"""The folders that this process sees in a view."""

_COMMON = ("/tmp", "/var/tmp")  # noqa: S108  # what programs write to


@dataclass(frozen=True)
class _Mount:
    number: int
    path: str
    options: Sequence[str]
    kind: str

    @property
    def flags(self) -> int:
        found = sum(flag for name, flag in _KEPT.items() if name in self.options)
        return found | (_RELATIVE_TIMES if "relatime" in self.options else 0)


def cover(user: int) -> None:
    """Cover the files of this namespace.

    Args:
        user: who is to write to them. Anybody but root has no other user's number here, and can
            create nothing where the folders of others would have to be copied first.

    Raises:
        OSError: the working directory can't be covered, or something can't be kept.
    """
    here = os.getcwd()
    writable = os.access(here, os.W_OK)
    mounts = [each for each in _mounts() if _is_visible(each)]
    points = {each.path for each in mounts}
    kept = [each for each in mounts if each.kind not in _KERNEL and "ro" not in each.options]
    wanted: dict[str, _Mount] = {}
    for mount in kept:
        wanted |= dict.fromkeys(_coverable(mount.path, points), mount)
    for path in _own_folders(user, here):
        if not _has_below(path, points):
            around = [m for m in mounts if f"{path}/".startswith(m.path.rstrip("/") + "/")]
            wanted.setdefault(path, max(around, key=lambda each: len(each.path)))
    lowers = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in wanted}
    bare = [each for each in kept if each.path not in wanted]
    linux.mount("tmpfs", _LAYERS, "tmpfs", _KEPT["nosuid"] | _KEPT["nodev"], "mode=700")
    for number, path in enumerate(sorted(wanted)):  # a folder before those in it
        try:
            _overlay(path, lowers[path], f"{_LAYERS}/{number}", user)
            _covered.append(path)
        except OSError:  # not every file system can be a layer
            bare.append(wanted[path])
    for mount in bare:
        flags = _REMOUNT | _BIND | _READ_ONLY | mount.flags
        linux.mount(None, mount.path, None, flags)
    linux.unmount(_LAYERS)
    for lower in lowers.values():
        os.close(lower)
    os.chdir(here)
    if writable:  # the first run could create a file here
        try:
            place, path = tempfile.mkstemp(dir=here)
        except OSError as error:
            raise OSError(error.errno or errno.EROFS, error.strerror, here) from error
        os.close(place)
        os.unlink(path)


def remove(paths: Sequence[str]) -> None:
    """Remove files and folders from this view, and nothing that is not seen through it."""
    for path in paths:
        folder, name = os.path.split(os.path.abspath(path))
        place = os.path.join(os.path.realpath(folder), name)
        if any(place.startswith(f"{each.rstrip('/')}/") for each in _covered):
            with suppress(OSError):
                os.unlink(place)
            shutil.rmtree(place, ignore_errors=True)


def files_left() -> int:
    """Return how many more files can be written in this view; existing ones count."""
    return os.statvfs(_covered[0]).f_ffree


def _mounts() -> Iterator[_Mount]:
    for line in Path("/proc/self/mountinfo").read_bytes().splitlines():
        fields, _, last = os.fsdecode(line).partition(" - ")
        number, _, _, _, path, options, *_ = fields.split(" ")
        path = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
        yield _Mount(int(number), path, options.split(","), last.split(" ")[0])


def _is_visible(mount: _Mount) -> bool:
    """Return whether nothing is mounted over it."""
    try:
        place = os.open(mount.path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = Path(f"/proc/self/fdinfo/{place}").read_text()
    finally:
        os.close(place)
    return f"mnt_id:\t{mount.number}\n" in found


def _has_below(path: str, points: set[str]) -> bool:
    return any(each.startswith(path.rstrip("/") + "/") and each != path for each in points)


def _coverable(path: str, points: set[str]) -> Iterator[str]:
    """Yield the folders that hold no mounts; `path` alone if it holds none."""
    if not _has_below(path, points):
        if os.path.isdir(path):
            yield path
        return
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and entry.path not in points:
                yield from _coverable(entry.path, points)


def _own_folders(user: int, here: str) -> Iterator[str]:
    """Yield the folders that a user writes to, each with all that is theirs around it."""
    if user == 0:
        return
    # Not `tempfile.gettempdir`: it keeps what it finds, and a program may name another one.
    temporary = os.environ.get("TMPDIR", here)
    for name in (here, os.path.expanduser("~"), temporary, *_COMMON):
        path = os.path.realpath(name)
        if not os.path.isdir(path) or not os.access(path, os.W_OK):
            continue
        while path != "/" and os.stat(os.path.dirname(path)).st_uid == user != _NOBODY:
            path = os.path.dirname(path)
        yield path


def _overlay(path: str, lower: int, layer: str, user: int) -> None:
    """Mount an overlay on a folder, with the rights that the folder has."""
    held = os.stat(f"/proc/self/fd/{lower}")
    mode = stat.S_IMODE(held.st_mode)
    if user != 0 and not os.access(f"/proc/self/fd/{lower}", os.W_OK):
        mode &= ~0o222  # the folder of the upper layer is the user's own
    upper, work = f"{layer}/upper", f"{layer}/work"
    os.makedirs(upper)
    os.mkdir(work)
    if user == 0:
        os.chown(upper, held.st_uid, held.st_gid)
    os.chmod(upper, mode)
    os.utime(upper, ns=(held.st_atime_ns, held.st_mtime_ns))
    # By descriptor: a path may hold a comma or a colon, which mean something here.
    options = f"lowerdir=/proc/self/fd/{lower},upperdir={upper},workdir={work}"
    linux.mount("overlay", path, "overlay", 0, options + (",userxattr" if user != 0 else ""))
