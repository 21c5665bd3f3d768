"""What a replay finds out while it runs."""

from __future__ import annotations

import sys

import torch

from inplace_tui.model.doubt import Doubt, Reason
from inplace_tui.model.program import Unrecorded
from inplace_tui.worker.naming import names
from inplace_tui.worker.process.own_files import OwnFiles


class Findings:
    """Doubts about its worth, and the writes that it had to put into its graph."""

    def __init__(self, files: OwnFiles | None = None) -> None:
        self.doubts: list[Doubt] = []
        self.unrecorded: list[Unrecorded] = []
        self.unrolled = False
        """A reentrant checkpoint was recorded as it ran."""

        self.untracked: dict[int, torch.Tensor] = {}
        """The leaves in what a reentrant checkpoint did not record at all, by identity."""

        self.has_functions = False
        """A custom Function was called: code of the program's runs in backward."""

        self._files = files

    def add_doubt(self, reason: Reason, detail: str) -> None:
        """Add a reason why equal gradients of the two runs prove nothing."""
        found = Doubt(reason=reason, detail=detail)
        if found not in self.doubts:
            self.doubts.append(found)

    def add_unrecorded(self, op: str, *, in_function: bool = False) -> None:
        """Add a write that this graph has and the program's own graph lacks."""
        self.add(Unrecorded(line=self.line(), op=op, in_function=in_function))

    def add(self, found: Unrecorded) -> None:
        if found not in self.unrecorded:
            self.unrecorded.append(found)

    def line(self) -> int:
        """Return the innermost line of the program that is running."""
        assert self._files is not None
        frames = names.frames_of(self._files, sys._getframe())
        return self._files.line(frames[0]) if frames else 0
