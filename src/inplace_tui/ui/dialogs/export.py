"""The list of what can be taken out of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.present.exporting import Export, listing
from inplace_tui.present.rows import Row
from inplace_tui.texts.exporting import ExportTexts
from inplace_tui.ui.dialogs.dialog import NumberedDialog


class ExportDialog(NumberedDialog[Export]):
    """The result is the chosen one; the screen checks whether it is available."""

    HEADING = ExportTexts.export
    FOOTER = ExportTexts.lead
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("Y", "cancel", "back", id="export"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, offers: Callable[[], Sequence[Export]]) -> None:
        super().__init__()
        self._offers = offers

    def rows(self, room: int) -> Sequence[Row]:
        return listing(self._offers(), room)

    def first(self) -> int | None:
        return 0

    def results(self) -> Sequence[Export]:
        return self._offers()
