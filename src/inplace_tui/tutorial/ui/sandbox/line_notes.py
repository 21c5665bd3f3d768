"""What the lines in the editor did when they ran last, and the step that follows the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.timer import Timer

from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.outcome import last_line
from inplace_tui.common.run.snapshot import EMPTY, Snapshot
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.signals import StepChosen
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.editor.line_matching import matched, moved, step_at
from inplace_tui.tutorial.present import code
from inplace_tui.tutorial.ui.widgets.editor import Note

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen


FAILED, CHANGED, SAVED = (Span("✗", Style.ERROR), Span("~", Style.CHANGED), Span("◆", Style.SAVED))

FOLLOW_AFTER = 0.06
"""Seconds after which the panels follow the cursor: a held key must not wait for them."""


def margin(view: View, language: str) -> dict[int, Note]:
    """Return by line from 1 what it did up to the end of the run, wherever the cursor is.

    For programs of the learner's own: nothing is hidden here.
    """
    if view.at_end is None:
        return {}
    last = len(view.timeline) - 1
    end = replace(view.at_end, ran=None, next_line=None, snapshot=view.timeline.at(last))
    marks = _marks(end)
    lines = sorted({*view.timeline.index.visits, *marks})
    return {line: Note(marks.get(line), code.notes(end, line, language)) for line in lines}


def _marks(view: View) -> dict[int, Span]:
    fault = view.blame
    marks: dict[int, Span] = {}
    if fault is not None:
        if fault.saver is not None and fault.saver.line is not None:
            marks[fault.saver.line] = SAVED
        marks |= {write.line: CHANGED for write in fault.writes}
        if fault.reader is not None:
            marks[fault.reader] = FAILED
    if (line := last_line(view.outcome)) is not None:
        marks[line] = FAILED
    return marks


class LineNotes:
    """Matches the lines of the editor with those that ran, and notes beside them what they did."""

    def __init__(self, page: EditorScreen) -> None:
        self._page = page
        self._following: Timer | None = None
        self._matched: tuple[str | None, str, list[int | None]] = (None, "", [])
        self._margin_of: tuple[object, dict[int, Note]] = (None, {})

    def annotate(self) -> None:
        """Note in the editor what the lines did that are still as they ran."""
        page = self._page
        notes: dict[int, Note] = {}
        if page.ran_text is not None and page.editing:
            margin = self._margin()
            for row, ran in enumerate(self._rows_that_ran()):
                if ran is not None and ran + 1 in margin:
                    notes[row] = margin[ran + 1]
        page.editor.annotate(notes)

    def _margin(self) -> dict[int, Note]:
        view, language = self._page.view, self._page.language
        key = (id(view.timeline), len(view.timeline), view.timeline.outcome, view.truth, language)
        if self._margin_of[0] != key:
            self._margin_of = (key, margin(view, language))
        return self._margin_of[1]

    def _rows_that_ran(self) -> list[int | None]:
        """Return for each row of the editor which row of the run's text it is."""
        ran, now = self._page.ran_text or "", self._page.editor.text
        if self._matched[:2] != (ran, now):
            self._matched = (ran, now, matched(lines_of(ran), lines_of(now) or [""]))
        return self._matched[2]

    def line_now(self, line: int) -> int | None:
        """Return where a line of the run's text is in the editor; None if it is gone."""
        return moved(self._page.ran_text or "", self._page.editor.text).get(line)

    # Following the cursor.

    def follow_soon(self) -> None:
        """Have the panels follow the cursor, once it rests."""
        page = self._page
        if page.ran_text is not None and page.editing and self._following is None:
            self._following = page.set_timer(FOLLOW_AFTER, self._follow)

    def _follow(self) -> None:
        """Show what was there after the cursor's line had run."""
        self._following = None
        page = self._page
        if not page.is_there or not page.editing or page.ran_text is None:
            return
        step = self.step_of_cursor(page.view.timeline)
        if step is not None and step != page.view.cursor and not page.view.running:
            page.runner.send(StepChosen(step))
        else:
            self.annotate()

    def step_of_cursor(self, timeline: Timeline) -> int | None:
        """Return the step of the cursor's line, or of the nearest above it that ran."""
        ran_text = self._page.ran_text
        if ran_text is None:
            return None
        rows = self._rows_that_ran()[: self._page.editor.cursor_location[0] + 1]
        line = next((each for each in reversed(rows) if each is not None), None)
        return None if line is None else step_at(timeline, ran_text.split("\n"), line)

    def snapshot_here(self) -> Snapshot:
        """Return what was there at the cursor's line, in the last run."""
        timeline = self._page.view.timeline
        step = self.step_of_cursor(timeline)
        return EMPTY if step is None else timeline.at(step)
