"""Which programs were opened or saved last, kept in a file with one path a line."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from inplace_tui.common.atomic_files import replace_file
from inplace_tui.common.bounded_reads import read_whole
from inplace_tui.tutorial.ui.drafts.recovery import MAX_PATH

MOST = 6
"""How many are offered: they fit the smallest screens."""


def last_programs(home: Path) -> list[Path]:
    """Return those that are still there, the last one first."""
    try:
        lines = read_whole(_file(home), MOST * MAX_PATH).decode().splitlines()
    except (OSError, ValueError):
        return []
    paths = [Path(line) for line in lines if line.isprintable()]
    return [path for path in paths if os.path.isfile(path)][:MOST]


def remember(home: Path, path: Path) -> None:
    """Keep that a program was opened, if that can be done."""
    known = dict.fromkeys([path.absolute(), *last_programs(home)])
    names = [f"{name}\n" for name in map(str, known) if name.isprintable()]
    with suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        replace_file(_file(home), "".join(names[:MOST]).encode())


def _file(home: Path) -> Path:
    return home / "last-programs.txt"
