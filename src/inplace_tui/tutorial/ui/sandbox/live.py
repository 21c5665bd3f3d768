"""Live mode: the program runs again while it is written.

It is off until it is asked for, for files and for what is none yet: a program may
write files or print mail, and nobody wants that at every pause of typing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parse
from inplace_tui.common.texts.writing import EditorTexts
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import RunBegan, StepChosen, StepsArrived, ended
from inplace_tui.tutorial.drive.history import RunLog
from inplace_tui.tutorial.ui.sandbox.line_notes import LineNotes

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen

PAUSE = 0.3
"""Seconds without typing after which the program runs again."""

LIMITS = Limits(seconds=2.0, steps=5_000)
"""How far a program may go that nobody asked to run just now."""


class LiveRuns:
    """Runs the text at every pause of typing, if asked to, and shows the run when it is over."""

    def __init__(self, page: EditorScreen, notes: LineNotes, log: RunLog) -> None:
        self._page = page
        self._notes = notes
        self._run_log = log
        self.is_on = False
        self._pause: Timer | None = None
        self._under_way: asyncio.Task[None] | None = None

    def switch(self) -> None:
        """Run at every pause from now on, or no longer."""
        self.is_on = not self.is_on
        self._notes.mistake = None
        if self.is_on:
            self._run()
        else:
            self.stop()
        self._notes.annotate()
        self._page.show_title()
        self._page.note(EditorTexts.live_on if self.is_on else EditorTexts.live_off)

    def typed(self) -> None:
        """Run again after a pause; the run of the older text is of no use."""
        self.stop()
        if self.is_on and self._page.editing:
            self._pause = self._page.set_timer(PAUSE, self._run)

    def stop(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if self._under_way is not None:
            self._under_way.cancel()
            self._under_way = None

    def _run(self) -> None:
        """Run the text as it is, if it is a program, while the last run is still shown."""
        self.stop()
        text = self._page.editor.text
        self._notes.mistake = mistake = mistake_in(text)
        self._notes.annotate()
        if mistake is None and text != self._page.ran_text and text.strip():
            self._under_way = asyncio.create_task(self._record(text))
        self._page.show_title()

    async def _record(self, text: str) -> None:
        page = self._page
        program = page.program_of(text)
        timeline = await record(page.runner.worker, program, LIMITS)
        self._under_way = None
        lost = isinstance(timeline.outcome, Cancelled) or (
            isinstance(timeline.outcome, Crashed) and timeline.outcome.worker_died
        )
        if page.is_there and not lost and text == page.editor.text:
            self._show(program, timeline)

    def _show(self, program: Program, timeline: Timeline) -> None:
        """Show a run that was made while another one was shown."""
        assert timeline.outcome is not None, "it is over"
        page, session = self._page, Session(program)
        first = next((step.line for step in timeline if step.began == 0 and not step.depth), None)
        session.handle(RunBegan(run=1, line=first))
        session.handle(StepsArrived(run=1, steps=tuple(timeline)))
        page.ran_text = page.editor.text
        step = self._notes.step_of_cursor(timeline)
        session.handle(StepChosen(len(timeline) - 1 if step is None else step))
        self._run_log.begin(program, live=True)
        page.play(page.runner.for_session(session))
        page.runner.send(ended(1, timeline))

    def title(self) -> Content:
        """Return what the panels show, and what is wrong with the text."""
        page, mistake = self._page, self._notes.mistake
        parts = [Content.styled(f"● {page.say(EditorTexts.live)}", "bold $accent")]
        if mistake is not None:
            text = page.say(EditorTexts.live_mistake, line=mistake.lineno or 1, message=mistake.msg)
            parts.append(Content.styled(text, "$warning"))
        elif self._under_way is not None:
            parts = [Content.styled(f"● {page.say(EditorTexts.live_running)}", "bold $accent")]
        outcome = page.view.timeline.outcome
        if page.ran_text is None:
            return Content("  ").join(parts)
        if page.ran_text != page.editor.text:
            if mistake is None and page.size.width >= 60:
                parts.append(Content.styled(page.say(EditorTexts.live_older), "$warning"))
        elif outcome is not None:
            good = isinstance(outcome, Completed)
            text = ending_text(outcome, page.view.truth, page.language, page.view.source)
            parts.append(Content.styled(text, "$success" if good else "$error"))
        return Content("  ").join(parts)


def mistake_in(text: str) -> SyntaxError | None:
    """Return why a text is no program; None if it is one."""
    try:
        parse(text, deep=True)
    except SyntaxError as mistake:
        return mistake
    return None
