"""Runs a command as a user who owns nothing; root calls it in a mount namespace.

    unshare -m python another_user.py NUMBER COMMAND...

Where Python or this project lies in a folder that is closed to others, as root's home is, that
folder is covered by one in which there is nothing else.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from pathlib import Path

from inplace_tui.diagnosis.record.process import linux

BIND = 1 << 12

PLACES = (sys.base_prefix, sys.prefix, Path(__file__).parents[2])


def open_folders() -> None:
    """Have everybody reach what tests need."""
    behind: defaultdict[Path, dict[Path, int]] = defaultdict(dict)
    for place in {Path(each).resolve() for each in PLACES}:
        closed = [each for each in place.parents if not each.stat().st_mode & 0o001]
        if closed:
            behind[closed[-1]][place] = os.open(place, os.O_PATH)
    for folder, held in behind.items():
        linux.mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
        for place, descriptor in held.items():
            place.mkdir(parents=True)
            linux.mount(f"/proc/self/fd/{descriptor}", str(place), None, BIND)
            os.close(descriptor)


if __name__ == "__main__":
    open_folders()
    user = int(sys.argv[1])
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    os.execvp(sys.argv[2], sys.argv[2:])  # the command of a test
