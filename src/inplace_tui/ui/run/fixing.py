"""The list of fixes that were found for a run."""

from __future__ import annotations

from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.session.view import View
from inplace_tui.model.outcome import Completed
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.session import NoticeTexts
from inplace_tui.ui.dialogs.fixes import FixesDialog
from inplace_tui.ui.run.run_page import RunPage


class Fixing:
    """Lists the fixes, or says why there are none."""

    def __init__(self, page: RunPage) -> None:
        self._page = page
        self._listed: FixesDialog | None = None
        """The list, while it is in front."""

        self._wanted: int | None = None
        """The fix to list first, once the run is over."""

    def action_fixes(self) -> None:
        self.list_fixes()

    def list_fixes(self, place: int = 0) -> None:
        """Show the fixes with the cursor on one, or say why there are none."""
        page = self._page
        view = page.view
        self._wanted = None
        if view.running or (view.verifying and view.fixes is None):
            self._wanted = place
            page.note(NoticeTexts.still_running)
        elif view.fixes is not None:
            self._listed = FixesDialog(view.fixes, place, blame=view.blame, source=view.source)
            page.app.push_screen(self._listed, self._chosen)
        elif not page.runner.session.may_experiment:
            page.note(NoticeTexts.answer_all_first)
        elif view.outcome is None:
            page.note(ScreenTexts.fixes_not_yet)
        elif isinstance(view.outcome, Completed):
            page.note(ScreenTexts.fixes_none_needed)
        else:
            page.note(ScreenTexts.fixes_unknown)

    @property
    def is_wanted(self) -> bool:
        """Whether they are listed as soon as the run is over."""
        return self._wanted is not None

    def forget(self) -> None:
        """Drop the request: another key was pressed while the run went on."""
        self._wanted = None

    def show(self, view: View) -> None:
        if self._wanted is not None and not view.running and not view.verifying:
            self.list_fixes(self._wanted)
        if self._listed is not None and view.fixes is not None:
            self._listed.show(view.fixes)

    def _chosen(self, fix: Fix | None) -> None:
        self._listed = None
        if fix is not None:
            self._page.open_fix(fix)
