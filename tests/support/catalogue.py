"""Programs of tests/programs: what torch makes of each, and which lines are to blame.

They were written and run with torch alone, before this program could say anything.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.verdicts import Verdict
from support.tables import read_table


class Known(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program, and what is known of it. Lines are counted from 1."""

    id: str
    title: str
    ending: Ending
    category: Verdict | None = None
    culprit: int | None = None
    """The line that did the write at fault, or that asked for what can't be had."""

    victim: int | None = None
    """The line that saved what was written, or what was freed."""

    raises: int | None = None
    numpy: bool = True
    """False where it must not be there."""

    source: str


_FOLDER = Path(__file__).parents[1] / "programs"
PROGRAMS = tuple(
    known
    for path in sorted(_FOLDER.glob("*.yaml"))
    for known in msgspec.convert(read_table(path), tuple[Known, ...])
)
