"""The fixes that were run, each with its whole change; one can be opened in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_tui.common.blame import Blame
from inplace_tui.common.rows import Row
from inplace_tui.common.run.fix import Fix, FixSearch, in_order
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.fixes.rows import page
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.dialogs.dialog import NumberedDialog, closed_by

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class FixesDialog(NumberedDialog[Fix]):
    """Lists the fixes; the result is the chosen one. It fills while the search goes on."""

    HEADING = ScreenTexts.fixes
    SHAPE = "-sides"
    BINDINGS = closed_by("fixes")

    def __init__(
        self, search: FixSearch, place: int = 0, *, blame: Blame | None = None, source: str = ""
    ) -> None:
        super().__init__()
        self._blame = blame
        self._source = source
        self._search = search
        self._fixes = search.found
        self.first = place

    def footer(self) -> str:
        return self.say(ScreenTexts.fixes_lead if self._fixes else ScreenTexts.help_close)

    def rows(self, room: int) -> list[Row]:
        return page(
            self._fixes, self._search, room, self.language, blame=self._blame, source=self._source
        )

    def results(self) -> tuple[Fix, ...]:
        return self._fixes

    def show(self, search: FixSearch) -> None:
        self._search = search
        self._fixes = in_order(self._fixes, search.found)
        self.write()


class Fixing:
    """Lists the fixes, or says why there are none."""

    def __init__(self, page: RunScreen) -> None:
        self._page = page
        self._listed: FixesDialog | None = None
        self.wanted: int | None = None
        """The fix to list first, once the run is over, unless another key was pressed meanwhile."""

    def list_them(self, place: int = 0) -> None:
        """Show the fixes with the cursor on one, or say why there are none."""
        page = self._page
        view = page.view
        self.wanted = None
        if view.running or (view.verifying and view.fixes is None):
            self.wanted = place
            page.note(NoticeTexts.still_running)
        elif view.fixes is not None:
            self._listed = FixesDialog(view.fixes, place, blame=view.blame, source=view.source)
            page.host.ask(self._listed, page.open_fix)
        elif not page.runner.session.may_experiment:
            page.note(NoticeTexts.answer_all_first)
        elif view.outcome is None:
            page.note(ScreenTexts.fixes_not_yet)
        elif isinstance(view.outcome, Completed):
            page.note(ScreenTexts.fixes_none_needed)
        else:
            page.note(ScreenTexts.fixes_unknown)

    def show(self, view: View) -> None:
        if self.wanted is not None and not view.running and not view.verifying:
            self.list_them(self.wanted)
        if self._listed is not None and view.fixes is not None:
            self._listed.show(view.fixes)
