"""Proposes how names go on: from the program, from its last run, and from torch."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widgets import TextArea

from inplace_tui.drive.player import Player
from inplace_tui.drive.vocabulary import learn
from inplace_tui.engine.writing.names import EMPTY as NOTHING_KNOWN
from inplace_tui.engine.writing.names import Names, names_in
from inplace_tui.engine.writing.offers import Offer, Typed, offers
from inplace_tui.model.snapshot import EMPTY, Snapshot
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.sandbox.filing import FilingScreen
from inplace_tui.ui.screens.run_screen import ScreenPlayer


class CompletingScreen(FilingScreen):
    """Knows what may be typed next. Torch is asked once, when somebody begins to type."""

    def __init__(self, player: Player, draft: Draft, recovery: Recovery) -> None:
        super().__init__(player, draft, recovery)
        self.vocabulary = NOTHING_KNOWN
        self._asked_torch = False
        self._around: tuple[object, ...] = ()
        self._names = Names()
        self.pad.editor.advise = self.advise

    def action_complete(self) -> None:
        """Propose how the name before the cursor may go on."""
        self.editor.propose(asked=True)

    def advise(self, row: int, what: Typed) -> Sequence[Offer]:
        """Return all that may follow, the nearest first."""
        lines = self.editor.text.split("\n")
        around = (row, len(self.vocabulary.members), *lines[:row], *lines[row + 1 :])
        if around != self._around:
            # What the other lines say stays so while this one is typed.
            self._around, self._names = around, names_in("\n".join(lines), row, self.vocabulary)
        return offers(self._names, what, self.snapshot_here())

    def snapshot_here(self) -> Snapshot:
        """Return what was there at the line that is being typed, in the last run."""
        return EMPTY

    @on(TextArea.Changed, "Editor")
    def _begin_to_learn(self) -> None:
        if not self._asked_torch and isinstance(self.player, ScreenPlayer) and self.editing:
            self._asked_torch = True
            self.run_worker(self._learn(self.player), group="vocabulary")

    async def _learn(self, player: ScreenPlayer) -> None:
        learnt = await learn(player.worker)
        if learnt is None:
            self._asked_torch = False  # the worker died under it: again, at the next letter
        else:
            self.vocabulary = learnt
            self.editor.reconsider()
