"""Runs to the line of the cursor."""

from __future__ import annotations

from inplace_tui.engine.session.navigation import run_to
from inplace_tui.engine.session.signals import RunToLine, StepChosen
from inplace_tui.texts.session import NoticeTexts
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.sandbox.editor_page import EditorPage


class RunToCursor:
    """Shows the moment before the cursor's line, once the run has come there."""

    def __init__(self, page: EditorPage) -> None:
        self._page = page
        self._target: int | None = None
        """The line before which a run is to be shown; None where that was done."""

        self._last: int | None = None
        """The line that was run to last."""

    def action_run_here(self) -> None:
        """Run, and show the moment before the cursor's line; again, its next visit."""
        page = self._page
        self._last = line = self._line_of_cursor()
        if page.ran_text != page.editor.text or page.view.running:
            page.action_run()
            self._target = line
            self.stop_at_target()
        elif page.editing:
            page.edit(editing=False)
            self._target = line
            self.stop_at_target()
        else:
            page.send(RunToLine(line))
        page.call_after_refresh(self._point_at, line)

    def _point_at(self, line: int) -> None:
        self._page.query_one(CodePanel).redraw()  # it was hidden behind the editor
        self._page.point_at_line(line)

    def _line_of_cursor(self) -> int:
        page = self._page
        if page.editing:
            return page.editor.cursor_location[0] + 1
        line = page.query_one(CodePanel).line
        if line is None:
            return self._last or 1
        return line if page.ran_text is None else page.line_now(line) or line

    def stop_at_target(self) -> None:
        """Stop before the line, as soon as the run has come there."""
        if self._target is None:
            return
        timeline = self._page.runner.session.view().timeline
        place = run_to(timeline, -2, line=self._target)
        if place is not None:
            self._target = None
            self._page.send(StepChosen(place))
        elif timeline.outcome is not None:
            self._target = None
            self._page.note(NoticeTexts.line_not_run)
