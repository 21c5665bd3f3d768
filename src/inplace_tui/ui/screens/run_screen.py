"""What a lesson and the sandbox have in common: a run that is shown as it goes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Self

from textual import on
from textual.content import Content

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.fixes.fix import Fix
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import (
    ForecastRequested,
    RunToLine,
    SaveProgress,
)
from inplace_tui.engine.session.view import Gate, QuestionStatus, View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.outcome import Completed, Right
from inplace_tui.present.outcome_text import outcome_text
from inplace_tui.present.why import CellSubject, NodeSubject, WhySubject
from inplace_tui.runner.worker import Worker
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.texts.session import NoticeTexts
from inplace_tui.ui.dialogs.fixes import FixesDialog
from inplace_tui.ui.panels import (
    CodePanel,
    GraphPanel,
    QuestionPanel,
    TensorTable,
)
from inplace_tui.ui.panels.why import WhyPanel
from inplace_tui.ui.screens.exporting import Exporting
from inplace_tui.ui.screens.linking import Linking
from inplace_tui.ui.screens.scrubbing import Scrubbing
from inplace_tui.ui.screens.staging import to_answer
from inplace_tui.ui.screens.watching import Watching
from inplace_tui.ui.textual_private.compositor import Painter


class RunScreen(Scrubbing, Watching, Exporting, Linking):
    """Shows a run. What it is a run of is its subclass's affair.

    So are its keys: a subclass's digits would replace those of its base, not add to them.
    """

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__(runner)
        self._painter = Painter(self)
        self._explained = False
        self._reply: object = None
        self._listed: FixesDialog | None = None
        """The list of fixes, while it is in front."""

        self._wondered: object = None
        """The tensor, and the moment, of which a forecast was last asked for."""

    def on_mount(self) -> None:
        """Show what is there already."""
        self.number_panels()
        self.retell()

    def look(self) -> View:
        """Return what may be shown now."""
        return self.watched(self.runner.session.view())

    def refresh_view(self) -> None:
        """Show what the session says now: after every key, after every batch of steps."""
        if not self.is_there:
            return
        self.view = view = self.look()
        self._follow_outcome(view)
        for panel in self.panels:
            panel.language = self.language  # they are measured before they are shown
        self.place_panels(view)
        for panel in self.panels:
            panel.show(view, self.language)
        self.measure_panels(view)
        self.show_opened(view)
        if self._listed is not None and view.fixes is not None:
            self._listed.show(view.fixes)
        self._reveal_reply(view)
        self.show_title()
        self.show_status()
        self._painter.paint()
        self.refresh_bindings()
        self._wonder()

    def retell(self) -> None:
        """Say everything again."""
        super().retell()
        self._reply = None  # in other words it begins elsewhere
        self.refresh_view()

    def resumed(self) -> None:
        """First draw what was chosen in the dialog that is gone."""
        self.call_after_refresh(self.refresh_view)

    def _resized(self) -> None:
        self._reply = None
        super()._resized()
        self.call_after_refresh(lambda: self.measure_panels(self.view))

    def show_status(self) -> None:
        """The strip shows the timeline unless there is something to be noticed."""
        super().show_status()
        noticed = self._notice is not None or self.host.worker_notice() is not None
        self.query_one("#status").display = noticed
        self.query_one("#strip").display = not noticed

    def progress_said(self, view: View) -> Content:
        """Say where the cursor is, and how it ended if that may be told."""
        parts = []
        if view.running and self.host.worker_waits():
            parts.append(Content.styled(self.say(ScreenTexts.waits), "$warning"))
        elif view.running:
            parts.append(
                Content.styled(self.say(ScreenTexts.running, steps=len(view.timeline)), "$warning")
            )
        elif view.outcome is not None:
            good = isinstance(view.outcome, Completed) and isinstance(view.truth, Right)
            text = outcome_text(view, self.language)
            parts.append(Content.styled(text, "$success" if good else "$error"))
        elif Gate.OPEN in view.gates.values() or Gate.PASSED in view.gates.values():
            key = ScreenTexts.question_open if to_answer(view) else ScreenTexts.question_ahead
            parts.append(Content.styled(self.say(key), "$accent"))
        if not view.running and (not parts or self.size.width >= 60):  # the strip tells it, too
            ahead = any(gate is not Gate.DONE for gate in view.gates.values())
            total = "" if ahead else f"/{len(view.timeline)}"
            parts.append(Content(self.say(ScreenTexts.step, at=f"{view.cursor + 1}{total}")))
        return Content("   ").join(parts)

    def _reveal_reply(self, view: View) -> None:
        """Scroll a question so that what was said to the answer can be read."""
        question = view.question
        reply = None if question is None else (question.status, question.tried, question.hints)
        if reply != self._reply:
            self._reply = reply
            if question is not None and (
                question.status is not QuestionStatus.OPEN or question.hints
            ):
                self.call_after_refresh(self.query_one(QuestionPanel).reveal_reply)

    def _follow_outcome(self, view: View) -> None:
        """Bring the explanation forward when there is one, and take it back when it goes."""
        ended = view.outcome is not None
        explained = ended and (view.blame is not None or not isinstance(view.outcome, Completed))
        if explained and not self._explained and self.chosen != "why":
            self.instead_of_why, self.chosen, self.companion = self.chosen, "why", "why"
            self.query_one(WhyPanel).ask(None)
        elif not explained and self._explained and self.chosen == "why":
            self.chosen = self.instead_of_why or "state"
            self.instead_of_why = None
        self._explained = explained

    def action_why(self) -> None:
        """Explain the cell or the node under the cursor; anywhere else, the outcome."""
        self.query_one(WhyPanel).ask(self._asked_about())
        super().action_why()

    def _asked_about(self) -> WhySubject | None:
        table, graph = self.query_one(TensorTable), self.query_one(GraphPanel)
        if self.focused is table and table.cursor is not None and table.selected is not None:
            return CellSubject(table.selected, table.column or "names")
        if self.focused is graph and graph.cursor is not None:
            node = graph.rows[graph.cursor].target.node
            return None if node is None else NodeSubject(node)
        return None

    # Fixes.

    @property
    def promoted(self) -> tuple[str, ...]:
        """What can be written instead comes first once it is found."""
        fixes = self.view.fixes
        return ("fixes",) if fixes is not None and fixes.found else ()

    @property
    def idle(self) -> tuple[str, ...]:
        """Fixes are offered when there are some, or may be soon; tensors and nodes likewise."""
        unseen = () if self.view.timeline.steps else ("open_tensor", "to_node")
        return unseen if self.view.fixes is not None else ("fixes", *unseen)

    def action_fixes(self) -> None:
        """Show the fixes, or say why there are none."""
        self._list_fixes()

    def _list_fixes(self, place: int = 0) -> None:
        search = self.view.fixes
        if search is not None:
            self._listed = FixesDialog(search, place)
            self.app.push_screen(self._listed, self._fix_chosen)
        elif not self.runner.session.may_experiment:
            self.note(NoticeTexts.answer_all_first)
        elif self.view.outcome is None:
            self.note(ScreenTexts.fixes_not_yet)
        elif isinstance(self.view.outcome, Completed):
            self.note(
                ScreenTexts.verifying if self.view.verifying else ScreenTexts.fixes_none_needed
            )
        else:
            self.note(ScreenTexts.fixes_unknown)

    def _fix_chosen(self, fix: Fix | None) -> None:
        self._listed = None
        if fix is not None:
            self.open_fix(fix)

    @abstractmethod
    def open_fix(self, fix: Fix) -> None:
        """Open the fixed program, and run it."""

    @on(WhyPanel.FixChosen)
    def _fix_pointed_at(self, event: WhyPanel.FixChosen) -> None:
        event.stop()
        self._list_fixes(event.place)

    def _wonder(self) -> None:
        """Have the forecast of the tensor under the cursor settled, if the graph is silent."""
        tensor, view = self.query_one(TensorTable).selected, self.view
        wanted = (view.cursor, tensor, view.variant, view.running, view.reading is None)
        if tensor is not None and wanted != self._wondered:
            self._wondered = wanted
            self.send(ForecastRequested(tensor))

    @on(TensorTable.Looked)
    def _tensor_looked_at(self, event: TensorTable.Looked) -> None:
        event.stop()
        self.follow_selection()
        self._wonder()

    @on(CodePanel.LineChosen)
    def _line_chosen(self, event: CodePanel.LineChosen) -> None:
        event.stop()
        self.send(RunToLine(event.line))

    @on(WhyPanel.LineChosen)
    def _sentence_chosen(self, event: WhyPanel.LineChosen) -> None:
        event.stop()
        self.point_at_line(event.line)

    @on(TensorTable.Selected)
    def _tensor_selected(self, event: TensorTable.Selected) -> None:
        event.stop()
        self.follow_selection()

    def action_leave(self) -> None:
        """Leave the zoom, or this screen."""
        if self.zoomed is not None:
            self.action_zoom()
        else:
            self.go_away()

    def go_away(self) -> None:
        """Leave this screen."""
        self.host.show_contents()

    def on_unmount(self) -> None:
        """Nobody looks at the run any more."""
        self.host.retire(self.runner)


class ScreenSessionRunner(SessionRunner):
    """A runner whose screen is made after it."""

    def __init__(
        self, session: Session, worker: Worker, keep: Callable[[SaveProgress], None]
    ) -> None:
        self._screen: RunScreen | None = None
        self._keep_progress = keep
        super().__init__(
            session,
            worker,
            on_change=self._changed,
            on_notice=self._noticed,
            on_progress=keep,
        )

    def beside(self, session: Session) -> Self:
        """Return a runner of another session, for the same screen."""
        return type(self)(session, self.worker, self._keep_progress)

    @property
    def worker(self) -> Worker:
        """What runs programs."""
        return self._worker

    def bind(self, screen: RunScreen) -> None:
        """Show on this screen from now on."""
        self._screen = screen

    def _changed(self) -> None:
        # The last word of a search may come while the screen is being taken down.
        if self._screen is not None and self._screen.is_there:
            self._screen.refresh_view()

    def _noticed(self, text: LocalText) -> None:
        if self._screen is not None and self._screen.is_there:
            self._screen.notify_session(text)
