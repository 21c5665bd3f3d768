"""What the sandbox opens with, and the programs that were opened last."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from inplace_tui.common.atomic_files import read_whole, replace_file
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.recovery import MAX_PATH, RecoveredDraft, Recovery
from inplace_tui.tutorial.ui.drafts.textfile import TextFile
from inplace_tui.tutorial.ui.opening import Opening

AT_THE_END = sys.maxsize
"""A step to open at: wherever the run ends."""

MOST = 6
"""How many are offered: they fit the smallest screens."""


@dataclass(frozen=True)
class Draft:
    """A text, where it is from, and what to notice about it."""

    text: str
    origin: Origin
    """Of a copy, that of the program; it becomes one's own by being saved to a file."""

    file: TextFile | None = None
    seed: int | None = 0
    cursor: int | None = None
    """The step to show at once; None does not run anything yet."""

    kept: RecoveredDraft = field(default_factory=RecoveredDraft)
    """What was left unsaved last time."""

    missing: bool = False
    """`file` is not there yet."""

    opening: Opening = field(default_factory=Opening)
    """How it is started."""

    notice: LocalText | None = None
    """Key of what to say first."""

    @property
    def program(self) -> Program:
        """What to run as long as nothing was edited."""
        return Program(source=self.text, origin=self.origin, filename="sandbox.py", seed=self.seed)


def drafted(recovery: Recovery, opening: Opening) -> Draft:
    """Return what the sandbox opens with: the file, and what was not saved last time.

    Raises:
        FileError: the file can't be opened.
    """
    path, is_given = opening.file, opening.content is not None
    file = None if path is None else textfile.read(path)
    text = "" if file is None else file.text
    if opening.content is not None:
        text = textfile.text_of(opening.content, "-")
    return Draft(
        text,
        origin=Origin.OWN,
        file=file,
        seed=0 if file is None and not is_given else None,
        kept=RecoveredDraft() if is_given else recovery.kept(path),
        missing=file is not None and file.content is None,
        opening=opening,
    )


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
