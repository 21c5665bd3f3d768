"""What the sandbox opens with."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from inplace_tui.model.lesson import LocalText
from inplace_tui.ui.drafts import textfile
from inplace_tui.ui.drafts.recovery import Kept, Recovery
from inplace_tui.ui.drafts.textfile import TextFile

AT_THE_END = sys.maxsize
"""A step to open at: wherever the run ends."""


@dataclass(frozen=True)
class Draft:
    """A text, where it is from, and what is to be said of it."""

    text: str
    file: TextFile | None = None
    seed: int | None = 0
    cursor: int | None = None
    """The step to show at once; None does not run anything yet."""

    confined: bool = False
    """It is a copy of what came with a lesson, and stays confined until it is saved."""

    kept: Kept = field(default_factory=Kept)
    """What was left unsaved last time."""

    missing: bool = False
    """`file` is not there yet."""

    notice: LocalText | None = None
    """Key of what to say first."""


def drafted(recovery: Recovery, path: Path | None) -> Draft:
    """Return what the sandbox opens with: the file, and what was not saved last time.

    Raises:
        FileError: the file can't be opened.
    """
    file = None if path is None else textfile.read(path)
    text = "" if file is None else file.text
    return Draft(
        text,
        file=file,
        seed=0 if file is None else None,
        kept=recovery.kept(path),
        missing=file is not None and file.stamp is None,
    )
