"""What makes forks of the worker cheap; the kernel tells whether it did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import re
from pathlib import Path
from inplace_tui.worker import linux
kept = [bytes([n % 251]) * 40_000 for n in range(1_000)]
linux.take_large_pages()
assert kept == [bytes([n % 251]) * 40_000 for n in range(1_000)]
print(re.search(r"AnonHugePages: +([0-9]+) kB", Path("/proc/self/smaps_rollup").read_text())[1])
"""

KERNEL = tuple(map(int, os.uname().release.split(".")[:2]))
ABLE = Path("/sys/kernel/mm/transparent_hugepage").exists() and KERNEL >= (6, 1)


@pytest.mark.skipif(not ABLE, reason="needs Linux 6.1 with large pages")
def test_what_is_in_memory_is_moved_to_large_pages_and_stays_what_it_is() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], stdout=-1, check=True, timeout=60)

    assert int(ran.stdout) > 20_000
