"""A program that runs again while it is written, with panels that follow the cursor.

Live mode is off until it is asked for, for files and for what is none yet: a program may
write files or print mail, and nobody wants that at every pause of typing.
"""

from __future__ import annotations

import ast
import asyncio
import warnings
from abc import abstractmethod

from textual import on
from textual.content import Content
from textual.timer import Timer
from textual.widgets import TextArea

from inplace_tui.drive.runs import record
from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.editor.line_matching import matched, step_at
from inplace_tui.engine.session.navigation import run_to
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import (
    RunBegan,
    RunEnded,
    RunToLine,
    StepChosen,
    StepsArrived,
)
from inplace_tui.engine.session.view import View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.outcome import Cancelled, Completed, Crashed
from inplace_tui.model.program import Limits, Program, lines_of
from inplace_tui.model.snapshot import EMPTY, Snapshot
from inplace_tui.model.timeline import Timeline
from inplace_tui.present.margin import Told, margin
from inplace_tui.present.outcome_text import ending_text
from inplace_tui.present.rows import Span, Style
from inplace_tui.texts import say
from inplace_tui.texts.session import NoticeTexts
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.sandbox.completing import CompletingScreen
from inplace_tui.ui.screens.run_screen import ScreenSessionRunner
from inplace_tui.ui.widgets.annotated_area import Note

PAUSE = 0.3
"""Seconds without typing after which the program runs again."""

FOLLOW = 0.06
"""Seconds after which the panels follow the cursor: a held key must not wait for them."""

LIMITS = Limits(seconds=2.0, steps=5_000)
"""How far a program may go that nobody asked to run just now."""


class LiveScreen(CompletingScreen):
    """Runs again at every pause, if asked to; shows what was there at the line one is on."""

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft, recovery)
        self.is_live = False
        self.mistake: SyntaxError | None = None
        """Why the text as it is now can't run; looked for in live mode only."""

        self._pausing: Timer | None = None
        self._stepping: Timer | None = None
        self._under_way: asyncio.Task[None] | None = None
        self._aim: int | None = None
        """The line before which a run is to be shown, once it comes there."""

        self._aimed_at: int | None = None
        self._matched: tuple[str | None, str, list[int | None]] = (None, "", [])
        self._told: tuple[object, Told] = (None, {})

    # Running by itself.

    def action_live(self) -> None:
        """Run at every pause from now on, or no longer."""
        self.is_live = not self.is_live
        self.mistake = None
        if self.is_live:
            self._run_beside()
        else:
            self.stop_beside()
        self.annotate()
        self.show_title()
        self.note(EditorTexts.live_on if self.is_live else EditorTexts.live_off)

    @on(TextArea.Changed, "Editor")
    def _text_changed(self) -> None:
        self.stop_beside()
        if self.is_live and self.editing:
            self._pausing = self.set_timer(PAUSE, self._run_beside)
        self._follow_soon()

    def stop_beside(self) -> None:
        """The run of an older text is of no use to anybody."""
        if self._pausing is not None:
            self._pausing.stop()
            self._pausing = None
        if self._under_way is not None:
            self._under_way.cancel()
            self._under_way = None

    def _run_beside(self) -> None:
        """Run the text as it is, if it is a program, while the last run is still shown."""
        self.stop_beside()
        text = self.editor.text
        self.mistake = mistake_in(text)
        self.annotate()
        self.show_title()
        if self.mistake is None and text != self._ran and text.strip():
            self._under_way = asyncio.create_task(self._run_text(text))
            self.show_title()

    def live_said(self) -> Content:
        """Say what the panels show, and what is wrong with the text."""
        parts = [Content.styled(f"● {self._word(EditorTexts.live)}", "bold $accent")]
        if self.mistake is not None:
            line, message = self.mistake.lineno or 1, self.mistake.msg
            parts.append(
                Content.styled(
                    self._word(EditorTexts.live_mistake, line=line, message=message), "$warning"
                )
            )
        elif self._under_way is not None:
            parts = [Content.styled(f"● {self._word(EditorTexts.live_running)}", "bold $accent")]
        if self._ran is None:
            return Content("  ").join(parts)
        if self._ran != self.editor.text:
            if self.mistake is None and self.size.width >= 60:
                parts.append(Content.styled(self._word(EditorTexts.live_older), "$warning"))
        else:
            outcome = self.view.timeline.outcome
            if outcome is not None:
                good = isinstance(outcome, Completed)
                said = ending_text(outcome, self.view.truth, self.language)
                parts.append(Content.styled(said, "$success" if good else "$error"))
        return Content("  ").join(parts)

    def _word(self, text: LocalText, **values: object) -> str:
        return say(text, self.language, **values)

    async def _run_text(self, text: str) -> None:
        assert isinstance(self.runner, ScreenSessionRunner)
        program = self.program_of(text)
        timeline = await record(self.runner.worker, program, LIMITS)
        self._under_way = None
        lost = isinstance(timeline.outcome, Cancelled) or (
            isinstance(timeline.outcome, Crashed) and timeline.outcome.worker_died
        )
        if self.is_there and not lost and text == self.editor.text:
            self.adopt(program, timeline)

    def adopt(self, program: Program, timeline: Timeline) -> None:
        """Show a run that was made beside the one that is shown."""
        assert isinstance(self.runner, ScreenSessionRunner)
        assert timeline.outcome is not None, "it is over"
        session = Session(program)
        first = next((step.line for step in timeline if step.began == 0 and not step.depth), None)
        session.handle(RunBegan(run=1, line=first))
        session.handle(StepsArrived(run=1, steps=tuple(timeline)))
        self._ran = program.source
        step = self._step_of_cursor(timeline)
        session.handle(StepChosen(len(timeline) - 1 if step is None else step))
        before, self.runner = self.runner, self.runner.beside(session)
        self.runner.bind(self)
        self.began(program)
        self.host.retire(before)
        self.runner.send(RunEnded(run=1, outcome=timeline.outcome, faults=timeline.faults))

    def began(self, program: Program) -> None:
        """Hear that another run is on the screen."""

    @abstractmethod
    def program_of(self, text: str) -> Program:
        """Return what to run when this is in the editor."""

    def on_unmount(self) -> None:
        """Nobody waits for a run any more."""
        self.stop_beside()

    # Following.

    @on(TextArea.SelectionChanged, "Editor")
    def _cursor_moved(self) -> None:
        self._follow_soon()

    def _follow_soon(self) -> None:
        if self._ran is not None and self.editing and self._stepping is None:
            self._stepping = self.set_timer(FOLLOW, self._follow_cursor)

    def _follow_cursor(self) -> None:
        """Have the panels show what was there after the cursor's line had run."""
        self._stepping = None
        if not self.is_there or not self.editing or self._ran is None:
            return
        step = self._step_of_cursor(self.view.timeline)
        if step is not None and step != self.view.cursor and not self.view.running:
            self.runner.send(StepChosen(step))
        else:
            self.annotate()

    def _step_of_cursor(self, timeline: Timeline) -> int | None:
        if self._ran is None:
            return None
        rows, row = self.rows_that_ran(), self.editor.cursor_location[0]
        while row >= 0:
            line = rows[row] if row < len(rows) else None
            if line is not None:
                return step_at(timeline, self._ran.split("\n"), line)
            row -= 1
        return None

    def snapshot_here(self) -> Snapshot:
        """Return what was there at the cursor's line, in the last run."""
        timeline = self.view.timeline
        step = self._step_of_cursor(timeline)
        return EMPTY if step is None else timeline.at(step)

    def rows_that_ran(self) -> list[int | None]:
        """Return for each row of the editor which row of the run's text it is."""
        ran, now = self._ran or "", self.editor.text
        if self._matched[:2] != (ran, now):
            self._matched = (ran, now, matched(lines_of(ran), lines_of(now) or [""]))
        return self._matched[2]

    def _follow_outcome(self, view: View) -> None:
        """Leave the panels alone for a mistake in what is being typed; tell of a fault."""
        if not (self.is_live and self.editing and view.blame is None):
            super()._follow_outcome(view)

    def refresh_view(self) -> None:
        """Show the view, and in the editor what each line did."""
        super().refresh_view()
        if self.is_there:
            self._take_aim()
            self.annotate()

    def annotate(self) -> None:
        """Tell in the editor what the lines did that are still as they ran."""
        notes: dict[int, Note] = {}
        if self._ran is not None and self.editing:
            told = self._margin()
            for row, ran in enumerate(self.rows_that_ran()):
                if ran is not None and ran + 1 in told:
                    mark, spans = told[ran + 1]
                    notes[row] = Note(mark, spans)
        if self.mistake is not None and self.mistake.lineno is not None:
            notes[self.mistake.lineno - 1] = Note(Span("!", Style.ERROR))
        self.editor.annotate(notes)

    def _margin(self) -> Told:
        view = self.view
        key = (id(view.timeline), len(view.timeline), view.timeline.outcome, view.truth)
        if self._told[0] != (key, self.language):
            self._told = ((key, self.language), margin(view, self.language))
        return self._told[1]

    # Run to the cursor.

    def action_run_here(self) -> None:
        """Run, and show the moment before the cursor's line; again, its next visit."""
        line = self._line_here()
        self._aimed_at = line
        if self._ran != self.editor.text or self.view.running:
            self.action_run()
            self._aim = line
            self._take_aim()
        elif self.editing:
            self._edit(editing=False)
            self._aim = line
            self._take_aim()
        else:
            self.send(RunToLine(line))
        self.call_after_refresh(self._point, line)

    def _point(self, line: int) -> None:
        self.query_one(CodePanel).redraw()  # it was hidden behind the editor
        self.point_at_line(line)

    def _line_here(self) -> int:
        if self.editing:
            return self.editor.cursor_location[0] + 1
        cursor = self.query_one(CodePanel).cursor
        return (self._aimed_at or 1) if cursor is None else cursor + 1

    @abstractmethod
    def action_run(self) -> None:
        """Run what is in the editor."""

    def _take_aim(self) -> None:
        """Stop before the line that was aimed at, as soon as the run has come there."""
        if self._aim is None:
            return
        timeline = self.runner.session.view().timeline
        place = run_to(timeline, -2, line=self._aim)
        if place is not None:
            self._aim = None
            self.send(StepChosen(place))
        elif timeline.outcome is not None:
            self._aim = None
            self.note(NoticeTexts.line_not_run)


def mistake_in(text: str) -> SyntaxError | None:
    """Return why a text is no program; None if it is one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape in a string: told when it runs
            ast.parse(text)
    except SyntaxError as mistake:
        return mistake
    except (ValueError, RecursionError, MemoryError) as trouble:
        return SyntaxError(str(trouble))
    return None
