"""The sandbox: write a program, run it, step through it, edit and run again.

In live mode it runs while it is written. That is off until it is asked for, for files and for
what is none yet: a program may write files or print mail, and nobody wants that at every pause
of typing.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

from textual import on
from textual.content import Content
from textual.timer import Timer
from textual.widgets import TextArea

from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parse
from inplace_tui.common.texts import list_of
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.writing import EditorTexts
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import RunBegan, StepChosen, StepsArrived, ended
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.ui.drafts.draft import Draft, Recovery
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.sandbox.filing import Filing
from inplace_tui.tutorial.ui.widgets.bars import Bar

PAUSE = 0.3
"""Seconds without typing after which the program runs again."""

LIMITS = Limits(seconds=2.0, steps=5_000)
"""How far a program may go that nobody asked to run just now."""


class LiveRuns:
    """Runs the text at every pause of typing, if asked to, and shows the run when it is over."""

    def __init__(self, page: EditorScreen) -> None:
        self._page = page
        self.is_on = False
        self._pause: Timer | None = None
        self._under_way: asyncio.Task[None] | None = None

    def switch(self) -> None:
        """Run at every pause from now on, or no longer."""
        self.is_on = not self.is_on
        self._page.notes.mistake = None
        if self.is_on:
            self._run()
        else:
            self.stop()
        self._page.notes.annotate()
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
        self._page.notes.mistake = mistake = mistake_in(text)
        self._page.notes.annotate()
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
        step = self._page.notes.step_of_cursor(timeline)
        session.handle(StepChosen(len(timeline) - 1 if step is None else step))
        page.history.log.begin(program, live=True)
        page.play(page.runner.for_session(session))
        page.runner.send(ended(1, timeline))

    def title(self) -> Content:
        """Return what the panels show, and what is wrong with the text."""
        page, mistake = self._page, self._page.notes.mistake
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


class SandboxScreen(EditorScreen):
    """A program of the learner's own, in a file or in none yet."""

    BINDINGS = bindings(Where.RUN, Where.SANDBOX)

    def __init__(self, runner: SessionRunner, draft: Draft, recovery: Recovery) -> None:
        super().__init__(runner, draft.text, ran=draft.cursor is not None)
        self.filing = Filing(self, draft, recovery)
        self.live = LiveRuns(self)
        if draft.cursor is not None:  # it was opened to be run
            self.history.log.begin(draft.program)

    @property
    def unsaved(self) -> bool:
        return self.filing.unsaved

    def keep_draft(self) -> None:
        self.filing.save_draft()

    async def may_lose(self) -> bool:
        return await self.filing.may_lose()

    def begin(self) -> None:
        self.filing.begin()
        super().begin()

    def on_unmount(self) -> None:
        self.live.stop()
        self.filing.recovery.close()

    def show_title(self) -> None:
        """Show which file this is, and whether it is saved."""
        filing = self.filing
        name = Content(filing.name)
        parts = [Content.styled(self.say(ScreenTexts.sandbox), "bold $primary"), name]
        kept = filing.recovery.trouble is None
        if filing.is_main_unsaved or (filing.unsaved and not kept):
            text = ScreenTexts.unsaved if kept else ScreenTexts.unsaved_unkept
            parts.append(Content.styled(self.say(text), "$warning"))
        if others := filing.others.paths:
            names = list_of((path.name for path in others), self.language)
            text = ScreenTexts.unsaved_others
            parts.append(Content.styled(self.say(text, names=names), "$warning"))
        right = Content("")
        if self.live.is_on:
            right = self.live.title()
        elif self.ran_text is not None:
            right = self.edited_since() or self.progress_text(self.view)
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    @property
    def promoted(self) -> tuple[str, ...]:
        if self.editing:
            return ("run", "leave")
        return (*super().promoted, "type", "run", "next", "back", "leave")

    def take_program(self, program: Program) -> None:
        super().take_program(program)
        self.filing.text_origin = program.origin
        self.filing.others.recall(program)

    def action_save(self) -> None:
        self.run_worker(self.filing.save(), exclusive=True)

    def action_save_as(self) -> None:
        self.run_worker(self.filing.save_as(), exclusive=True)

    def action_open(self) -> None:
        self.run_worker(self.filing.open(), exclusive=True)

    def action_live(self) -> None:
        """Run at every pause of typing from now on, or no longer."""
        self.live.switch()

    def action_run(self) -> None:
        self.live.stop()
        super().action_run()

    def explains(self, view: View) -> bool:
        """In live mode, leave the panels alone for a mistake in what is being typed."""
        return not (self.live.is_on and self.editing and view.blame is None)

    def program_of(self, text: str) -> Program:
        """Return what to run when this is in the editor.

        A file draws other numbers each time, as under python; the replays of one run
        draw the same, or nothing could be compared.
        """
        filing = self.filing
        file, seed, opening = filing.file, filing.seed, filing.opening
        path = None if file is None else file.path.absolute()
        name, folder = ("sandbox.py", None) if path is None else (path.name, str(path.parent))
        if path is not None and opening.module is not None:
            name, folder = str(path), str(Path.cwd())
        elif path is None and opening.content is not None:
            name, folder = "<stdin>", str(Path.cwd())
        program = Program(
            source=text,
            filename=name,
            folder=folder,
            module=opening.module,
            is_imported=opening.is_imported,
            arguments=opening.arguments,
            environment=opening.environment,
            seed=secrets.randbelow(2**31) if seed is None else seed,
            origin=filing.origin,
        )
        return filing.others.over(with_files(program, OWN))

    def open_fix(self, fix: Fix) -> None:
        """Take it into the editor; in other files it runs, and is not saved."""
        program = self.program_shown()
        assert program is not None, "it is a fix of what ran"
        changed = self.filing.others.change(program, fix.source)
        super().open_fix(fix)
        if changed:
            self.note(ScreenTexts.fix_in_files, names=list_of(changed, self.language))

    def base_name(self) -> str:
        file = self.filing.file
        return "sandbox" if file is None else file.path.stem

    @on(TextArea.Changed, "Editor")
    def _text_changed(self) -> None:
        self.live.typed()

    def go_away(self) -> None:
        """Leave, once nothing can be lost."""
        self.run_worker(self._leave(), exclusive=True)

    async def _leave(self) -> None:
        if await self.may_lose():
            self.host.leave(self)
