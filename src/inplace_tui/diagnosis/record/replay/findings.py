"""What a replay finds out while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import ref

import torch
from torch.autograd.graph import Node

from inplace_tui.common.run.doubt import Doubt, Reason
from inplace_tui.common.run.program import Unrecorded
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.replay.unseen_writes import UnseenWrites


class Findings:
    """Doubts about its worth, and the writes that it had to put into its graph."""

    def __init__(self, files: OwnFiles) -> None:
        self.doubts: list[Doubt] = []
        self.unrecorded: list[Unrecorded] = []
        self.unrolled = False
        """A reentrant checkpoint was recorded as it ran."""

        self.untracked: dict[int, torch.Tensor] = {}
        """The leaves in what a reentrant checkpoint did not record at all, by identity."""

        self.has_functions = False
        """A custom Function was called: code of the program's runs in backward."""

        self.unseen = UnseenWrites(files)
        self.files = files
        self._unreached: dict[Node, tuple[int, ref[torch.Tensor] | None]] = {}

    def add_doubt(self, reason: Reason, detail: str) -> None:
        """Add a reason why equal gradients of the two runs prove nothing."""
        found = Doubt(reason=reason, detail=detail)
        if found not in self.doubts:
            self.doubts.append(found)

    def expect(self, written: torch.Tensor, of: torch.Tensor | None = None) -> None:
        """Expect a backward through what was written to another tensor's memory."""
        base = written._base if written._base is not None else written
        of = self.unseen.owner(base) if of is None else of
        if of is None or of is base or base.grad_fn is None:
            return
        node, is_leaf = base.grad_fn, of.is_leaf
        self._unreached[node] = self.line(), ref(of) if is_leaf else None
        node.register_prehook(lambda _: self._unreached.pop(node, None) and None)

    def unreached(self, delivered: set[int]) -> Iterator[tuple[int, Node, torch.Tensor | None]]:
        """Yield the lines of writes with a history that no backward went through, and the leaves.

        To a leaf that has had no gradient, whoever writes may have an average of weights there.
        """
        for node, (line, leaf) in self._unreached.items():
            if leaf is None or id(leaf()) in delivered:
                yield line, node, None if leaf is None else leaf()

    def add_unrecorded(self, op: str, *, in_function: bool = False) -> None:
        """Add a write that this graph has and the program's own graph lacks."""
        self.add(Unrecorded(line=self.line(), op=op, in_function=in_function))

    def add(self, found: Unrecorded) -> None:
        if found not in self.unrecorded:
            self.unrecorded.append(found)

    def line(self) -> int:
        """Return the innermost line of the program that is running."""
        return self.files.running_line() or 0
