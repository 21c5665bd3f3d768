"""A page that shows a run as it goes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.widget import Widget

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.files import place_of
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.outcome import Completed, Right
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.values import tensor_name
from inplace_tui.common.texts.actions import TO_CODE, TO_QUESTION, UNZOOM
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.ops import OpTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.searching import SearchTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import parse_place
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present import code
from inplace_tui.tutorial.present.narration import outcome_text
from inplace_tui.tutorial.present.table import in_order
from inplace_tui.tutorial.present.why import CellSubject, NodeSubject, WhySubject
from inplace_tui.tutorial.state.watch import Watch
from inplace_tui.tutorial.ui.arrangement import BESIDE, Needs
from inplace_tui.tutorial.ui.dialogs.dialog import PromptDialog
from inplace_tui.tutorial.ui.drafts.draft import AT_THE_END
from inplace_tui.tutorial.ui.keys import PANEL_DIGITS
from inplace_tui.tutorial.ui.panels import (
    PANELS,
    BesidePanel,
    CodePanel,
    GraphPanel,
    LanesPanel,
    NarrationPanel,
    Panel,
    QuestionPanel,
    RecapPanel,
    TensorTable,
    TimelineStrip,
)
from inplace_tui.tutorial.ui.panels.why import WhyPanel
from inplace_tui.tutorial.ui.run.exporting import Exporting
from inplace_tui.tutorial.ui.run.fixing import Fixing
from inplace_tui.tutorial.ui.run.panel_layout import PanelLayout
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from inplace_tui.tutorial.ui.textual_private.compositor import Painter
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea, PanelTabs

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.dialogs import op_card
else:
    op_card = LazyModule("inplace_tui.tutorial.ui.dialogs.op_card")

SOON = 0.5
"""Seconds of a run for which keys wait: a program that runs longer can be looked at meanwhile."""


class RunScreen(Page):
    """Shows a run. Subclasses decide what it is a run of, and which keys work.

    Every key of a run is an `action_…` here; what takes a file of its own is in a part.
    """

    AUTO_FOCUS = "#code"
    ABOVE: ClassVar[tuple[str, ...]] = ()
    """Ids of what stands above the code."""

    QUESTION: ClassVar[type[QuestionPanel]] = QuestionPanel

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__()
        self._bind(runner)
        self.view = runner.session.view()
        self.panel_layout = PanelLayout(self, self.ABOVE)
        self.fixing = Fixing(self)
        self.exporting = Exporting(self)
        self._opened: ValuesScreen | None = None
        """The tensor that is open in front of this page."""

        self._is_explained = False
        """The run ended so that there is an explanation of it."""

        self._painter = Painter(self)
        self._reply: object = None
        self._shows_waiting = False
        """The notice says that something will be done: once it is, it goes."""

        self._stays = False
        """The next key does not leave the page (`stay`)."""

        self.stayed = False
        """This key does not leave the page."""

        self.noticed = ""
        """What was said until this key was pressed."""

        self._forecast: object = None
        """The tensor, and the moment, of which a forecast was last asked for."""

    # Composing.

    def compose_body(self) -> ComposeResult:
        with PanelArea(id="stage"):
            yield from self.compose_more()
            yield CodePanel(id="code")
            yield BesidePanel(id="beside")
            yield self.QUESTION(id="question")
            yield NarrationPanel(id="narration")
            yield RecapPanel(id="recap")
            yield PanelTabs(id="tabs")
            for name, panel in PANELS.items():
                yield panel(id=name)
        yield TimelineStrip(id="strip")

    def compose_more(self) -> Iterable[Widget]:
        """Give what this kind of page has besides: a task, an editor."""
        return ()

    @cached_property
    def panels(self) -> list[Panel]:
        return [widget for widget in self.query("*") if isinstance(widget, Panel)]

    @cached_property
    def _named(self) -> dict[str, Panel]:
        return {panel.id: panel for panel in self.panels if panel.id is not None}

    def panel(self, name: str) -> Panel:
        return self._named[name]

    def on_mount(self) -> None:
        for number, name in enumerate(list(PANELS)[:PANEL_DIGITS], 1):
            self.panel(name).number = number
        self.begin()

    def begin(self) -> None:
        self.update_texts()

    # Showing.

    def current_view(self) -> View:
        view = self.runner.session.view()
        return replace(view, watched=self.host.watches.get(_key(view), Watch()))

    def prepare_view(self) -> None:
        """Do what comes before anything is shown."""

    def view_shown(self) -> None:
        """Do what follows from what is shown."""

    def refresh_view(self) -> None:
        """Show what the session says now: after every key, after every batch of steps."""
        if not self.is_there:
            return
        if self._shows_waiting and not self.awaits_run:
            self.clear_notice()
        self.prepare_view()
        self.view = view = self.current_view()
        self._follow_outcome(view)
        self.panel_layout.show(view)
        if self._opened is not None:
            self._opened.show(view)
        self.fixing.show(view)
        self._reveal_reply(view)
        self.show_title()
        self.show_status()
        self._painter.paint()
        self.refresh_bindings()
        self._ask_forecast()
        self.view_shown()
        self.host.key_dispatch.hand_on()

    @property
    def catches_up(self) -> bool:
        """What was asked for is done as soon as the run has come there, and then comes the key."""
        return self.awaits_run and (self.runner.run_seconds or 0.0) < SOON

    @property
    def awaits_run(self) -> bool:
        """Whether something that was asked for is yet to be done."""
        is_asked = self.is_checking or self.fixing.wanted is not None
        return is_asked or self.runner.session.is_under_way

    @property
    def is_checking(self) -> bool:
        """Whether an answer was given, and the run has yet to judge it."""
        question = self.view.question
        return question is not None and question.status is QuestionStatus.CHECKING

    def has_to_wait(self, key: str | None) -> bool:
        anywhere = self.host.keymap.keys("help", "language", "theme")
        return self.catches_up and key not in anywhere

    def key_waits(self) -> None:
        self.notify_session(NoticeTexts.still_running)

    def keys_dropped(self) -> None:
        """It took back what waited, and does not leave, too."""
        self.stay()

    def goes_first(self, key: str) -> bool:
        """Esc takes back what waits."""
        return self.catches_up and not self.is_checking and key in self.host.keymap.keys("leave")

    @property
    def presented(self) -> list[Content]:
        """What the title says while lessons are shown to a class; nothing otherwise."""
        text = Content.styled(self.say(ScreenTexts.presenting), "$warning")
        return [text] if self.host.presenting else []

    def numbered(self, text: LocalText, place: tuple[int, int]) -> str:
        """Return the number of what is shown and how many there are, in words if they have room."""
        number, total = place
        roomy = self.size.width >= (100 if self.host.presenting else 60)
        return self.say(text, number=number, total=total) if roomy else f"{number}/{total}"

    def adjust(self, needs: Needs, view: View) -> Needs:  # noqa: ARG002  (of others)
        return needs

    def first_focus(self) -> Widget:
        return self.query_one(CodePanel)

    @property
    def zoomed(self) -> str | None:
        return self.panel_layout.zoomed

    def update_texts(self) -> None:
        super().update_texts()
        self._reply = None  # in other words it begins elsewhere
        self.refresh_view()

    def resumed(self) -> None:
        """First draw what was chosen in the dialog that is gone."""
        self.call_after_refresh(self.refresh_view)

    @property
    def trouble(self) -> Content | None:
        """A recorded run is stepped through, whatever else torch has to load."""
        recorded = len(self.view.timeline) > 0 and not self.view.running
        return None if recorded and self.host.worker_waits() else super().trouble

    def show_status(self) -> None:
        """The strip shows the timeline unless there is a notice."""
        super().show_status()
        noticed = self._notice is not None or self.trouble is not None or bool(self.meaning)
        self.query_one("#status").display = noticed
        self.query_one("#strip").display = not noticed

    def progress_text(self, view: View) -> Content:
        """Return where the cursor is, and how the run ended if that may be shown."""
        parts = []
        if view.running:
            text = ScreenTexts.waits if self.host.worker_waits() else ScreenTexts.running
            parts.append(Content.styled(self.say(text, steps=len(view.timeline)), "$warning"))
        elif view.outcome is not None:
            good = isinstance(view.outcome, Completed) and isinstance(view.truth, Right)
            how = outcome_text(view, self.language)
            parts.append(Content.styled(how, "$success" if good else "$error"))
        elif view.has_open_question or Gate.PASSED in view.gates.values():
            passed = (gate for step, gate in view.gates.items() if step <= view.cursor)
            is_open = view.awaits_answer or any(gate is not Gate.DONE for gate in passed)
            gate = ScreenTexts.question_open if is_open else ScreenTexts.question_ahead
            parts.append(Content.styled(self.say(gate), "$accent"))
        if not view.running and (not parts or self.size.width >= 60):  # the strip tells it, too
            ahead = any(gate is not Gate.DONE for gate in view.gates.values())
            total = "" if ahead else f"/{len(view.timeline)}"
            parts.append(Content(self.say(ScreenTexts.step, at=f"{view.cursor + 1}{total}")))
        return Content("   ").join(parts)

    def _follow_outcome(self, view: View) -> None:
        """Bring the explanation forward when there is one, and take it back when it goes."""
        layout, explained = self.panel_layout, view.is_explained
        if explained and not self._is_explained and layout.chosen != "why":
            layout.instead_of_why, layout.chosen = layout.chosen, "why"
            self.query_one(WhyPanel).ask(None)
        elif not explained and self._is_explained and layout.chosen == "why":
            layout.chosen = layout.instead_of_why or "state"
            layout.instead_of_why = None
        self._is_explained = explained

    def _reveal_reply(self, view: View) -> None:
        """Scroll a question so that the reply to the answer can be read."""
        question = view.question
        reply = None if question is None else (question.status, question.tried, question.hints)
        if reply != self._reply:
            self._reply = reply
            if question is not None and (
                question.status is not QuestionStatus.OPEN or question.hints
            ):
                self.call_after_refresh(self.query_one(QuestionPanel).reveal_reply)

    def _ask_forecast(self) -> None:
        """Have the forecast of the tensor under the cursor found, if the graph does not show it."""
        tensor, view = self.query_one(TensorTable).selected, self.view
        wanted = (view.cursor, tensor, view.variant, view.running, view.step_forecasts is None)
        if tensor is not None and wanted != self._forecast:
            self._forecast = wanted
            self.send(signals.ForecastRequested(tensor))

    # What the learner does.

    def send(self, signal: signals.Signal) -> None:
        """Tell the session what the learner did; the runner calls back."""
        at_start = signal == signals.Restarted() and self.view.cursor < 0
        self.runner.send(signal)
        if at_start:
            self.note(NoticeTexts.at_the_start)

    def notify_session(self, text: LocalText) -> None:
        self._shows_waiting = text == NoticeTexts.still_running
        if self._shows_waiting and self.host.worker_waits():
            self.note(ScreenTexts.waiting_worker)
        else:
            self.note(text)

    def notice(self, text: str, *, wrong: bool = False) -> None:
        """Show a notice, also over a tensor that is open."""
        super().notice(text, wrong=wrong)
        if self._opened is not None and self._opened.is_there:
            self._opened.notice(text, wrong=wrong)

    def clear_notice(self) -> None:
        """Something was pressed: what was to be noticed has been seen."""
        self.stayed, self._stays = self._stays or self.fixing.wanted is not None, False
        self.noticed = "" if self._notice is None else self._notice.plain
        self.panel_layout.focused_before = None
        self._shows_waiting = False
        self.fixing.wanted = None
        super().clear_notice()

    @property
    def promoted(self) -> tuple[str, ...]:
        """What can be written instead comes first once it is found."""
        fixes = self.view.fixes
        return ("fixes",) if fixes is not None and fixes.found else ()

    @property
    def idle(self) -> tuple[str, ...]:
        """Fixes are offered when there are some, or may be soon; tensors and nodes likewise."""
        view = self.view
        unseen: tuple[str, ...] = () if self.runner.session.may_experiment else ("op",)
        unseen += () if view.timeline.steps else ("open_tensor", "to_node")
        fine = isinstance(view.outcome, Completed) and isinstance(view.truth, Right)
        offered = view.fixes is not None and (view.fixes.found or not fine)
        return unseen if offered else ("fixes", *unseen)

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        if self.zoomed is not None:
            return {"leave": UNZOOM}
        if not self._in_other_panel:
            return {}
        return {"leave": TO_QUESTION if self.view.awaits_answer else TO_CODE}

    @property
    def _in_other_panel(self) -> bool:
        return self.focused is not None and self.focused.id in (*PANELS, BESIDE)

    # Steps.

    def action_go(self, move: str) -> None:
        self.send(Moved(Move(move)))

    def action_restart(self) -> None:
        self.send(signals.Restarted())

    def action_goto(self) -> None:
        """Ask for a step, a share of the run or a line, and go there."""
        self.host.ask(PromptDialog(LaneTexts.goto, LaneTexts.goto_lead), self._go_to)

    def _go_to(self, text: str) -> None:
        signal = parse_place(text, steps=self.view.reachable + 1, source=self.view.source)
        if signal is None:
            self.note(LaneTexts.goto_unknown, text=text[:20])
        else:
            self.send(signal)

    # Columns of the lanes, seen or not.

    @property
    def _lanes(self) -> LanesPanel:
        return self.query_one(LanesPanel)

    def action_scrub(self, columns: int) -> None:
        step = self._lanes.column_on(columns)
        if step is None:  # nothing ran yet: whoever takes the signal says so
            self.send(Moved(Move.NEXT if columns > 0 else Move.BACK))
        else:
            self.send(signals.StepChosen(step))

    def action_zoom_lanes(self, by: int) -> None:
        """Give each step more room, or show more of the run; say so where that can't be seen."""
        if not self._lanes.zoom(by):
            self.note(LaneTexts.closest if by > 0 else LaneTexts.whole)
        elif not self._lanes.display:
            self.note(LaneTexts.zoomed)

    # The panels.

    def action_panel(self, number: int) -> None:
        self.panel_layout.go_to(number)

    def action_tab(self, name: str) -> None:
        """Bring the panel of a tab; where that has the focus, its tab stands for its title."""
        tabs = self.query_one(PanelTabs)
        if tabs.focused and name == tabs.seen:
            self.action_zoom()
        else:
            self.panel_layout.choose(name)

    def action_cycle(self, step: int) -> None:
        self.panel_layout.cycle(step)

    def action_zoom(self) -> None:
        """Give the focused panel everything, or take it back."""
        self.panel_layout.zoom()

    def action_next_choice(self) -> None:
        """Go to the next of what a question offers."""
        self.panel_layout.show_card()
        question = self.query_one(QuestionPanel)
        self.set_focus(question)
        question.next_choice()

    def action_pointers(self) -> None:
        table = self.query_one(TensorTable)
        table.pointers = not table.pointers
        self.note(ScreenTexts.pointers_on if table.pointers else ScreenTexts.pointers_off)

    def action_copy(self) -> None:
        self.exporting.copy()

    def action_export(self) -> None:
        self.exporting.offer()

    # From what the learner points at to a line, a node or an explanation of it.

    @property
    def _line_at_cursor(self) -> int | None:
        """The line at the cursor, or else the one that ran."""
        chosen = self.query_one(CodePanel).line
        return code.current_line(self.view) if chosen is None else chosen

    def action_to_node(self) -> None:
        """Jump from the graph to the line, from anywhere else to the nodes of the line."""
        graph, line = self.query_one(GraphPanel), self._line_at_cursor
        nodes = self.view.snapshot.nodes
        if self.focused is graph:
            if graph.cursor is None:
                self.note(SearchTexts.choose_node if nodes else SearchTexts.no_nodes)
            else:
                self._to_line_of_node(graph.under_cursor.line)
            return
        if line is None or not nodes:
            self.note(SearchTexts.no_nodes)
            return
        place = place_of(self.view.source, line)
        if not any(node.line == line for node in nodes.values()):
            self.note(SearchTexts.no_node, line=place.text)
            return
        self.panel_layout.choose("graph")
        self.call_after_refresh(graph.find, f"{place.file or ''}:{place.line}")

    def _to_line_of_node(self, line: int | None) -> None:
        """Go to the line that made a node, or say that none did."""
        if line is None:
            self.note(SearchTexts.no_line)
        else:
            self.action_point_at(line)

    def action_point_at(self, line: int | None) -> None:
        """Put the code panel's cursor on a line, if there is one."""
        panel = self.query_one(CodePanel)
        if line is not None and panel.point_at(line):
            self.panel(BESIDE).redraw()
            if self.zoomed is not None:
                self.action_zoom()
                panel.point_at(line)
            self.set_focus(panel)

    def action_why(self) -> None:
        """Explain the cell or the node under the cursor; anywhere else, the outcome."""
        panel = self.query_one(WhyPanel)
        if self.focused is panel:
            self.note(ScreenTexts.panel_chosen, number=panel.number)
        panel.ask(self._subject())
        self.panel_layout.choose("why")

    def _subject(self) -> WhySubject | None:
        table, graph = self.query_one(TensorTable), self.query_one(GraphPanel)
        if self.focused is table and table.cursor is not None and table.selected is not None:
            return CellSubject(table.selected, table.column or "names")
        if self.focused is table and table.column is not None:  # it has no rows yet
            return CellSubject(None, table.column)
        node = graph.under_cursor.node if self.focused is graph else None
        return None if node is None else NodeSubject(node)

    def action_op(self) -> None:
        """Say what the ops of the line at the cursor keep, count and share."""
        if not self.runner.session.may_experiment:
            self.note(NoticeTexts.answer_all_first)
            return
        line = self._line_at_cursor
        if line is None:
            return
        dialog = op_card.OpCardDialog(self.view, line)
        if dialog.line.ops:
            self.host.push_screen(dialog)
        else:
            self.note(OpTexts.about_line, line=dialog.place)

    def action_fixes(self, place: int = 0) -> None:
        """Show the fixes with the cursor on one, or say why there are none."""
        self.fixing.list_them(place)

    # The tensors that the learner watches: pinned or opened.

    @property
    def _chosen(self) -> Tensor | None:
        """The tensor that was chosen in the table."""
        number = self.query_one(TensorTable).pointed
        return None if number is None else self.view.snapshot.tensors.get(number)

    def _chosen_or_ask(self) -> Tensor | None:
        tensor = self._chosen
        if tensor is None:
            self.note(ScreenTexts.choose_tensor)
        return tensor

    def _keep_watch(self, watch: Watch) -> None:
        self.host.watches[_key(self.view)] = watch
        self.refresh_view()

    def action_pin(self) -> None:
        tensor = self._chosen_or_ask()
        if tensor is not None:
            watch = self.view.watched
            said = ScreenTexts.pinned if watch.pins(tensor) is None else ScreenTexts.unpinned
            self._keep_watch(watch.with_pin(tensor))
            self.note(said, name=tensor_name(tensor))

    def action_modules(self) -> None:
        """Hide what only modules and optimizers reach, or show it again."""
        watch = self.view.watched
        hidden = not watch.without_modules
        self._keep_watch(replace(watch, without_modules=hidden))
        self.note(ScreenTexts.modules_hidden if hidden else ScreenTexts.modules_shown)

    def action_go_to_write(self, direction: int) -> None:
        """Go to the next or last write to the chosen tensor; in a lane, to what happens there."""
        if self.focused is self._lanes and self._lanes.on_lane:
            step = self._lanes.nearest_event(direction)
            if step is not None:
                self.send(signals.StepChosen(step))
                return
        tensor = self.query_one(TensorTable).pointed
        if tensor is None:
            self.note(ScreenTexts.choose_tensor)
        else:
            self.send(signals.WriteRequested(tensor, ahead=direction > 0))

    def action_open_tensor(self) -> None:
        """Open the chosen tensor, or the only one there is."""
        shown = in_order(self.view)
        tensor = self._chosen or (shown[0] if len(shown) == 1 else self._chosen_or_ask())
        if tensor is not None and self._opened is None:
            self._opened = ValuesScreen(self, tensor)
            self.app.push_screen(self._opened, self._values_closed)

    def _values_closed(self, _: None) -> None:
        self._opened = None
        self.refresh_view()

    # Leaving.

    def action_leave(self) -> None:
        if not self.goes_back():
            self.go_away()

    def stay(self) -> None:
        """Have the next key not leave the page: it may be meant for what this one did."""
        self._stays = True

    def goes_back(self) -> bool:
        """Go back to the code, from a zoom or from another panel; False if one is there."""
        if self.zoomed is not None:
            self.action_zoom()
        elif self._in_other_panel:
            self.panel_layout.show_card()
            self.set_focus(self.first_focus())
        else:
            return False
        return True

    def save_all(self) -> None:
        self.runner.save()

    def go_away(self) -> None:
        self.host.show_contents(self.lesson_shown())

    def action_edit(self) -> None:
        """Open the program in the sandbox, at this step."""
        program = self.program_shown()
        if program is not None:
            self.host.open_sandbox(program=program, cursor=self.view.cursor)

    def open_fix(self, fix: Fix) -> None:
        program = self.program_shown()
        if program is not None:
            fixed = msgspec.structs.replace(program, source=fix.source)
            notice = ScreenTexts.fix_opened
            self.host.open_sandbox(program=fixed, cursor=AT_THE_END, notice=notice)

    def play(self, runner: SessionRunner) -> None:
        """Show the run of another runner from now on."""
        self.host.retire(self.runner)
        self._bind(runner)

    def _bind(self, runner: SessionRunner) -> None:
        self.runner = runner
        runner.bind(self.refresh_view, self._noticed)

    def _noticed(self, text: LocalText) -> None:
        if self.is_there:  # a search may end while the page is being removed
            self.notify_session(text)

    def on_unmount(self) -> None:
        self.host.retire(self.runner)

    # What kinds of pages differ in.

    def program_shown(self) -> Program | None:
        return self.view.program

    @abstractmethod
    def base_name(self) -> str: ...

    def lesson_shown(self) -> str | None:
        return None

    # Messages of widgets.

    @on(Panel.Signalled)
    def _asked(self, event: Panel.Signalled) -> None:
        self.send(event.signal)

    @on(GraphPanel.NodeChosen)
    def _node_chosen(self, event: GraphPanel.NodeChosen) -> None:
        saved = self.query_one(GraphPanel).under_cursor.tensor
        if saved is not None:
            self.query_one(TensorTable).selected = saved
        self._to_line_of_node(event.line)

    @on(TensorTable.Selected)
    def _tensor_looked_at(self) -> None:
        self._lanes.select(self.query_one(TensorTable).selected)
        self._ask_forecast()

    @on(LanesPanel.LaneChosen)
    def _lane_chosen(self, event: LanesPanel.LaneChosen) -> None:
        """Select the tensor of a lane; Enter goes to it in the table."""
        there = event.tensor in self.view.snapshot.tensors
        if there:
            self.query_one(TensorTable).selected = event.tensor
        if event.entered and there:
            self.panel_layout.choose("state")
        elif event.entered:
            self.note(LaneTexts.gone)

    @on(DescendantFocus)
    def _focus_moved(self) -> None:
        self.panel_layout.show_tabs()
        self.refresh_bindings()

    def on_resize(self, _: Resize) -> None:
        """Lay out for the new size once it has reached the stage."""
        self.call_later(self._resized)

    def _resized(self) -> None:
        self._reply = None
        self.panel_layout.resized()


def _key(view: View) -> str:
    """Return what tells one program from another: a lesson's, or a file's."""
    program = view.program
    return "" if program is None else f"{program.folder}/{program.filename}"
