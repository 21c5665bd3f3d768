"""The fixes that were run, each with its whole change; one can be opened in the sandbox."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.engine.blame.blame import Blame
from inplace_tui.engine.fixes.fix import Fix, FixSearch
from inplace_tui.present.fixes import page
from inplace_tui.present.rows import Row
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.dialogs.dialog import NumberedDialog


def in_order(listed: tuple[Fix, ...], found: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Return what is listed from now on: a fix keeps its number, whatever is found after it."""
    known, now = {fix.source for fix in listed}, {fix.source: fix for fix in found}
    kept = (now.get(fix.source, fix) for fix in listed)  # its time is measured last
    return (*kept, *(fix for fix in found if fix.source not in known))


class FixesDialog(NumberedDialog[Fix]):
    """Lists the fixes; the result is the chosen one. It fills while the search goes on."""

    HEADING = ScreenTexts.fixes
    SHAPE = "-sides"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "cancel", "back", id="fixes"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(
        self, search: FixSearch, place: int = 0, *, blame: Blame | None = None, source: str = ""
    ) -> None:
        super().__init__()
        self._blame = blame
        self._source = source
        self._search = search
        self._fixes = search.found
        self._place = place

    def footer(self) -> str:
        return self.say(ScreenTexts.fixes_lead if self._fixes else ScreenTexts.help_close)

    def rows(self, room: int) -> list[Row]:
        return page(
            self._fixes,
            self._search,
            room,
            self.host.language,
            blame=self._blame,
            source=self._source,
        )

    def first(self) -> int:
        return self._place

    def results(self) -> tuple[Fix, ...]:
        return self._fixes

    def show(self, search: FixSearch) -> None:
        self._search = search
        self._fixes = in_order(self._fixes, search.found)
        self.write()
