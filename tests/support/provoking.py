"""Programs that make torch give every verdict, with the lines that are to blame."""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.common.verdicts import Verdict
from support.tables import read_table


class Lines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is to blame; lines from 1. What is left out does not exist."""

    saver: int | None = None
    culprit: int | None = None
    reader: int | None = None
    tensor: str | None = None
    """As the line of the first write calls it."""

    saved: str | None = None
    """What the saver's line calls it, where that is another name."""

    origin: int | None = None
    op: str | None = None


class Provoking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program, and what torch makes of it."""

    name: str
    verdict: Verdict | None
    source: str
    blame: Lines = Lines()

    @property
    def program(self) -> str:
        """The whole program."""
        return f"import torch\n{self.source}"


_FILE = Path(__file__).with_name("provoking.yaml")
_GROUPS = msgspec.convert(read_table(_FILE), dict[str, tuple[Provoking, ...]])

REFUSED = _GROUPS["refused"]
RAISED = _GROUPS["raised"]
STALE = _GROUPS["stale"]
SILENT = _GROUPS["silent"]
UNSAVED = _GROUPS["unsaved"]
"""Silently wrong without a saved tensor: the graph or the gradient itself was written."""

READ = _GROUPS["read"]
ALL = (*REFUSED, *RAISED, *STALE, *SILENT, *UNSAVED, *READ)
