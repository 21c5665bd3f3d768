"""The panels of a run on their stage: which is seen, which has the keys, what fills the screen."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.events import DescendantFocus, Resize
from textual.widget import Widget

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.session.view import QuestionStatus, View
from inplace_tui.model.program import lines_of
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.arrangement import (
    NUMBERED,
    Needs,
    has_words_beside,
    words_width,
)
from inplace_tui.ui.panels import (
    CodePanel,
    GraphPanel,
    LanesPanel,
    NarrationPanel,
    OutputPanel,
    Panel,
    QuestionPanel,
    TensorTable,
    TimelineStrip,
)
from inplace_tui.ui.panels.panel import title_of
from inplace_tui.ui.panels.steps import StepsPanel
from inplace_tui.ui.panels.why import WhyPanel
from inplace_tui.ui.screens.stepping import Stepping
from inplace_tui.ui.widgets.panel_area import PanelArea
from inplace_tui.ui.widgets.panel_tabs import PanelTabs, Tab

ROOM = 4
"""Rows by which panels grow: one at a time, everything would move at every step."""


def to_answer(view: View) -> bool:
    """Whether a question waits for an answer."""
    return view.question is not None and view.question.status.is_open


class Staging(Stepping):
    """A page with all panels of a run, of which those are seen that have room."""

    AUTO_FOCUS = "#code"
    ABOVE: ClassVar[tuple[str, ...]] = ()
    """Ids of what `compose_above` gives."""

    def __init__(self, runner: SessionRunner) -> None:
        super().__init__(runner)
        self.view = runner.session.view()
        self.chosen = "state"
        self.companion = "lanes"
        self.zoomed: str | None = None
        self.editing = False
        self.instead_of_why: str | None = None
        """The panel that gave way to the explanation, until the learner chooses one."""

        self._had_keys: Widget | None = None
        """What had the keys before the size changed; where it has room again, it gets them back."""

        self._rows: dict[str, int] = {}
        """The most rows that each panel has had of the program `_measured`."""

        self._measured: str | None = None

    @abstractmethod
    def refresh_view(self) -> None:
        """Show what the session says now."""

    def compose_body(self) -> ComposeResult:
        """All panels, once; the stage puts them where there is room."""
        with PanelArea(id="stage"):
            yield from self.compose_above()
            yield CodePanel(id="code")
            yield from self.compose_editor()
            yield self.compose_question()
            yield NarrationPanel(id="narration")
            yield PanelTabs(id="tabs")
            yield TensorTable(id="state")
            yield GraphPanel(id="graph")
            yield WhyPanel(id="why")
            yield OutputPanel(id="output")
            yield StepsPanel(id="timeline")
            yield LanesPanel(id="lanes")
        yield TimelineStrip(id="strip")

    def number_panels(self) -> None:
        """Have the titles name the digits that lead to them."""
        for number, name in enumerate(NUMBERED, 1):
            self.panel(name).number = number

    def compose_question(self) -> QuestionPanel:
        """Give the panel in which questions are asked."""
        return QuestionPanel(id="question")

    def compose_above(self) -> ComposeResult:
        """Give what stands above the code, where there is something."""
        yield from ()

    def compose_editor(self) -> ComposeResult:
        """Give an editor, where there is one."""
        yield from ()

    @cached_property
    def panels(self) -> list[Panel]:
        """All panels, seen or not."""
        return [widget for widget in self.query("*") if isinstance(widget, Panel)]

    def panel(self, name: str) -> Panel:
        """Return the panel of that id."""
        return self._named[name]

    @cached_property
    def _named(self) -> dict[str, Panel]:
        return {panel.id: panel for panel in self.panels if panel.id is not None}

    def place_panels(self, view: View) -> None:
        """Have the stage show what there is room for at this moment."""
        question = self.query_one(QuestionPanel)
        rows, replied, settled = None, False, False
        if view.question is not None:
            replied = view.question.status in (QuestionStatus.AGAIN, QuestionStatus.CHECKING)
            settled = not replied and not to_answer(view)
            question.alone = not self.has_words_beside(view)
            rows = len(question.rows_of(view, self._question_room()))
        self.query_one(PanelArea).arrange_for(
            replace(
                self._needs(view),
                question_rows=rows,
                replied=replied,
                settled=settled,
                zoomed=self.zoomed,
            )
        )
        self._show_tabs()

    def _needs(self, view: View) -> Needs:
        """Return what the moment needs, questions apart."""
        return Needs(
            code_rows=max(1, len(lines_of(view.source))),
            narration_rows=self._narration_rows(view),
            explained=view.outcome is not None,
            chosen=self.chosen,
            companion=self.companion,
            rows=self._rows,
            editing=self.editing,
        )

    def measure_panels(self, view: View) -> None:
        """Share the room by what the panels have to show now, in few and large moves."""
        known = self._rows if view.source == self._measured else {}
        rows = {
            panel.id: -(-len(panel.rows) // ROOM) * ROOM
            for panel in map(self.panel, NUMBERED)
            if panel.display and panel.size and panel.id is not None
        }
        most = known | {name: max(count, known.get(name, 0)) for name, count in rows.items()}
        self._measured = view.source
        if most != self._rows:
            self._rows = most
            self.place_panels(view)

    def _narration_rows(self, view: View) -> int:
        """Return the rows of the words: always the same from step to step, but for the recap."""
        if view.recap is None:
            return 3
        return len(self.query_one(NarrationPanel).rows_of(view, self._question_room()))

    def has_words_beside(self, view: View) -> bool:
        """Whether a question and the narration are seen together at this size."""
        size = self.query_one(PanelArea).size
        return has_words_beside(
            size.width, size.height, replace(self._needs(view), question_rows=10)
        )

    def _question_room(self) -> int:
        """Return the cells that a line of the question will have, seen or not."""
        stage = self.query_one(PanelArea)
        return max(20, words_width(stage.size.width) - 4)

    def _show_tabs(self) -> None:
        plan = self.query_one(PanelArea).plan
        tabs = [Tab(name, str(NUMBERED.index(name) + 1), self._title(name)) for name in plan.tabs]
        seen = next((name for name in plan.tabs if name in plan.regions), "")
        focused = self.focused is not None and self.focused.id == seen
        if self.query_one(PanelTabs).show(tabs, seen, focused=focused):
            for name in NUMBERED:
                self.panel(name).set_class(name == seen, "-tabbed")

    def _title(self, name: str) -> str:
        return title_of(self.panel(name), self.language)

    def choose_panel(self, name: str) -> None:
        """Bring a panel to the front and go to it."""
        self.chosen = name
        self.instead_of_why = None
        if name not in ("state", "graph"):
            self.companion = name
        stage = self.query_one(PanelArea)
        if self.zoomed is not None:
            self.zoomed = name
        self.place_panels(self.view)
        if name not in stage.plan.regions:  # no room for it beside the code: over it, then
            self.zoomed = name
            self.place_panels(self.view)
        panel = self.panel(name)
        self.set_focus(panel)  # now: the next key may be here already
        self.call_after_refresh(panel.redraw)

    def action_panel(self, number: int) -> None:
        """Go to the panel of this number; again, and it goes back to the code."""
        name = NUMBERED[number - 1]
        if self.zoomed == name and self.has_room_only_for_code():
            self.action_zoom()
        else:
            self.choose_panel(name)

    def has_room_only_for_code(self) -> bool:
        """Whether numbered panels open over the code."""
        return self.has_class("-flat")

    def action_why(self) -> None:
        """Show the explanation."""
        self.choose_panel("why")

    def action_next_panel(self) -> None:
        """Go to the next panel, seen or not."""
        self._cycle(1)

    def action_previous_panel(self) -> None:
        """Go to the panel before."""
        self._cycle(-1)

    def action_next_choice(self) -> None:
        """Go to the next of what a question offers."""
        question = self.query_one(QuestionPanel)
        self.set_focus(question)
        question.next_choice()

    def _cycle(self, step: int) -> None:
        words = "narration" if self.view.question is None else "question"
        order = [*self.ABOVE, "code", words, *NUMBERED]
        focused = self.focused.id if self.focused is not None else None
        place = order.index(focused) if focused in order else 0 if step < 0 else -1
        name = order[(place + step) % len(order)]
        if name in NUMBERED:
            self.choose_panel(name)
        else:
            if self.zoomed is not None:
                self.zoomed = name
                self.place_panels(self.view)
            self.set_focus(self.query_one(f"#{name}"))

    def action_zoom(self) -> None:
        """Give the focused panel everything, or take it back."""
        if self.zoomed is not None:
            self.zoomed = None
        elif isinstance(self.focused, Panel) and self.focused.id is not None:
            self.zoomed = self.focused.id
        self.refresh_view()
        self.mend_focus()

    def mend_focus(self) -> None:
        """Keep the focus on something that is seen."""
        focused = self.focused
        if focused is None or (focused.parent is self.query_one(PanelArea) and not focused.display):
            self.set_focus(self.first_focus())

    def first_focus(self) -> Widget:
        """Return what has the focus when nothing else has."""
        return self.query_one(CodePanel)

    def action_pointers(self) -> None:
        """Show or hide the column of addresses."""
        table = self.query_one(TensorTable)
        table.pointers = not table.pointers
        self.note(ScreenTexts.pointers_on if table.pointers else ScreenTexts.pointers_off)

    @on(PanelTabs.Asked)
    def _tab_asked(self, event: PanelTabs.Asked) -> None:
        """Bring its panel; a tab whose panel has the keys stands for its title."""
        event.stop()
        if event.tabs.focused and event.name == event.tabs.seen:
            self.action_zoom()
        else:
            self.choose_panel(event.name)

    @on(Panel.TitleClicked)
    def _panel_zoomed(self, event: Panel.TitleClicked) -> None:
        event.stop()
        self.action_zoom()

    @on(DescendantFocus)
    def _focus_moved(self) -> None:
        self._show_tabs()
        self.refresh_bindings()

    def on_resize(self, _: Resize) -> None:
        """Arrange for the new size once it has reached the stage."""
        self.call_later(self._resized)

    def _resized(self) -> None:
        self._had_keys = self._had_keys or self.focused
        self.refresh_view()
        self.mend_focus()
        if self._had_keys is not None and self._had_keys.display:
            self.set_focus(self._had_keys)

    def clear_notice(self) -> None:
        """Something was pressed: from now on the keys are where they are."""
        self._had_keys = None
        super().clear_notice()
