"""The welcome: a real crash in four key presses, and three ways on."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize

from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.program import Limits
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.texts.welcome import CHOICES, WelcomeTexts
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.introduction import CRASH
from inplace_tui.tutorial.present import welcome
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.widgets.bars import Bar
from inplace_tui.tutorial.ui.widgets.lines import Lines


class _Words(Lines):
    """Leaves Enter to the page where there is nothing to choose: the keys below name it then."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose" and self.cursor is None:
            return False
        return super().check_action(action, parameters)


PAYOFF = 2
"""The step that names the line at fault."""

READ = 0.4
"""Seconds for which that step stays, however fast keys come."""


class WelcomeScreen(Page):
    """What this program is, shown on a program that fails as it is looked at."""

    BINDINGS = bindings(Where.WELCOME)
    AUTO_FOCUS = "#welcome"

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self._worker = worker
        self._step = 0
        self._view: View | None = None
        self._began = False
        self._shown_long_enough = False

    def compose_body(self) -> ComposeResult:
        yield _Words(id="welcome")

    def on_mount(self) -> None:
        self.update_texts()
        self.host.keep(self.host.learner.save_introduced)

    async def _run(self) -> None:
        timeline = await record(self._worker, CRASH, Limits())
        session = Session.of_recording(CRASH, timeline, Unverified())
        session.handle(Moved(Move.END))
        self._view = session.view()
        self.update_texts()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self.update_texts)

    def update_texts(self) -> None:
        if not self.query("#title"):  # it is being removed
            return
        super().update_texts()
        lines = self.query_one("#welcome", Lines)
        room = lines.scrollable_content_region.width
        if room > 0:
            keys = self.host.keymap.labels
            shown = welcome.rows(
                self._step, self._view, room=room, language=self.language, keys=keys
            )
            lines.draw(shown)

    def show_title(self) -> None:
        brand = Content.styled(self.say(ScreenTexts.brand), "bold $primary")
        place = self.say(WelcomeTexts.title, place=self._step + 1, total=welcome.STEPS)
        self.query_one("#title", Bar).show(brand, Content(place))

    @property
    def idle(self) -> tuple[str, ...]:
        if self._step == 0:
            return ("backward",)
        return ("onward",) if self._step == welcome.LAST else ()

    # What the learner does.

    def action_onward(self) -> None:
        self._go(1)

    def action_backward(self) -> None:
        self._go(-1)

    def _go(self, by: int) -> None:
        if not 0 <= self._step + by <= welcome.LAST:
            self.note(NoticeTexts.at_the_start if by < 0 else WelcomeTexts.choose_one)
            return
        if by > 0 and self.must_wait:
            return
        if not self._began:
            self._began = True
            self.run_worker(self._run())
        self._step += by
        if self._step == PAYOFF and not self._shown_long_enough:
            self.set_timer(READ, self._was_shown)
        lines = self.query_one("#welcome", Lines)
        lines.cursor = None
        lines.scroll_home(animate=False)
        self.update_texts()
        if self._step == welcome.LAST:
            lines.cursor = lines.row_of(0)

    @property
    def must_wait(self) -> bool:
        """Whether a key that goes on came too soon: it is not kept for later."""
        if self._step == PAYOFF:
            return not self._shown_long_enough
        return self._step > 0 and self._view is None

    def _was_shown(self) -> None:
        self._shown_long_enough = True

    @on(Lines.RowChosen, "#welcome")
    async def _chosen(self, event: Lines.RowChosen) -> None:
        place = event.target.choice
        if place is not None and self.is_active:  # Enter may have been pressed twice
            await self.run_action(CHOICES[place][0])

    def action_learn(self) -> None:
        self.host.open_introduction()

    def action_ask(self) -> None:
        self.host.ask_for_program()

    def action_play(self) -> None:
        self.host.open_sandbox()

    def action_leave(self) -> None:
        self.host.show_contents()
