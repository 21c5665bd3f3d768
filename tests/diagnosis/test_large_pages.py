"""What makes forks of the worker cheap; the kernel tells whether it did."""

from __future__ import annotations

import mmap
import subprocess
import sys

import pytest

COLLAPSE = 25
"""Of madvise, since Linux 6.1."""

LARGE = 2**21

CODE = """
import re
from pathlib import Path
from inplace_tui.diagnosis.record.process import linux
def large():
    about = Path("/proc/self/smaps_rollup").read_text()
    return re.search(r"AnonHugePages: +([0-9]+) kB", about)[1]
kept = [bytes([n % 251]) * 40_000 for n in range(1_000)]
before = large()
linux.take_large_pages()
assert kept == [bytes([n % 251]) * 40_000 for n in range(1_000)]
print(before, large())
"""


def _has_large_pages() -> bool:
    """Whether this kernel has one to spare when it is asked as we ask it."""
    with mmap.mmap(-1, 2 * LARGE, flags=mmap.MAP_PRIVATE) as memory:
        memory[:] = bytes(2 * LARGE)
        try:
            memory.madvise(COLLAPSE)
        except OSError:
            return False
        return True


@pytest.mark.skipif(not _has_large_pages(), reason="no large pages to be had")
def test_what_is_in_memory_is_moved_to_large_pages_and_stays_what_it_is() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], stdout=-1, check=True, timeout=60)

    before, after = map(int, ran.stdout.split())
    assert after > before  # how many there are to be had is the machine's affair
