"""The panels of a run: which are seen, which has the focus, which fills the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from textual.widget import Widget

from inplace_tui.engine.session.saved import QuestionStatus
from inplace_tui.engine.session.view import View
from inplace_tui.model.files import lines_of, split_files
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.arrangement import Needs, has_words_beside, words_width
from inplace_tui.ui.panels import PANELS, NarrationPanel, Panel, QuestionPanel, TensorTable
from inplace_tui.ui.panels.panel import title_of
from inplace_tui.ui.run.answering import awaits_answer
from inplace_tui.ui.run.run_page import RunPage
from inplace_tui.ui.widgets.panel_area import PanelArea
from inplace_tui.ui.widgets.panel_tabs import PanelTabs, Tab

ROWS_AT_ONCE = 4
"""Rows by which panels grow: one at a time, everything would move at every step."""


class LayoutPage(RunPage, Protocol):
    """A page whose panels are laid out."""

    @property
    def panels(self) -> Sequence[Panel]:
        """All panels, seen or not."""

    def panel(self, name: str) -> Panel: ...
    def adjust(self, needs: Needs, view: View) -> Needs:
        """Return what the moment needs, with what this kind of page needs besides."""

    def first_focus(self) -> Widget:
        """Return what has the focus when nothing else has."""

    def has_class(self, name: str, /) -> bool: ...


class PanelLayout:
    """Puts those panels on the stage that have room, and moves the focus among them."""

    def __init__(self, page: LayoutPage, above: Sequence[str]) -> None:
        """Begin with the tensor table in front; `above` are ids of what stands above the code."""
        self._page = page
        self._above = above
        self.chosen = "state"
        self.companion = "lanes"
        self.zoomed: str | None = None
        self.editing = False
        self.instead_of_why: str | None = None
        """The panel that gave way to the explanation, until the learner chooses one."""

        self._focused_before: Widget | None = None
        """What had the focus before the size changed; where it has room again, it gets it back."""

        self._rows: dict[str, int] = {}
        """The most rows that each panel has had of the program `_measured`."""

        self._measured: str | None = None

    @property
    def _stage(self) -> PanelArea:
        return self._page.query_one(PanelArea)

    # Showing.

    def show(self, view: View) -> None:
        language = self._page.language
        for panel in self._page.panels:
            panel.language = language  # they are measured before they are shown
        self.place(view)
        for panel in self._page.panels:
            panel.show(view, language)
        self.measure(view)

    def place(self, view: View) -> None:
        """Have the stage show what there is room for at this moment."""
        question = self._page.query_one(QuestionPanel)
        needs = replace(self._needs(view), zoomed=self.zoomed)
        if view.question is not None:
            replied = view.question.status in (QuestionStatus.AGAIN, QuestionStatus.CHECKING)
            question.alone = not self.has_words_beside(view)
            needs = replace(
                needs,
                question_rows=len(question.rows_of(view, self._words_room())),
                replied=replied,
                settled=not replied and not awaits_answer(view),
            )
        self._stage.arrange_for(needs)
        self.show_tabs()

    def _needs(self, view: View) -> Needs:
        """Return what the moment needs, questions apart."""
        words = 3  # the same from step to step, but for the recap
        if view.recap is not None:
            words = len(self._page.query_one(NarrationPanel).rows_of(view, self._words_room()))
        needs = Needs(
            code_rows=max(1, *(len(lines_of(part.source)) for part in split_files(view.source))),
            panels=tuple(PANELS),
            narration_rows=words,
            explained=view.outcome is not None,
            chosen=self.chosen,
            companion=self.companion,
            rows=self._rows,
            editing=self.editing,
        )
        return self._page.adjust(needs, view)

    def measure(self, view: View) -> None:
        """Share the room by what the panels have to show now, in few and large moves."""
        known = self._rows if view.source == self._measured else {}
        rows = {
            name: -(-len(panel.rows) // ROWS_AT_ONCE) * ROWS_AT_ONCE
            for name, panel in ((name, self._page.panel(name)) for name in PANELS)
            if panel.display and panel.size
        }
        most = known | {name: max(count, known.get(name, 0)) for name, count in rows.items()}
        self._measured = view.source
        if most != self._rows:
            self._rows = most
            self.place(view)

    def has_words_beside(self, view: View) -> bool:
        """Whether a question and the narration are seen together at this size."""
        size, needs = self._stage.size, replace(self._needs(view), question_rows=10)
        return has_words_beside(size.width, size.height, needs)

    def _words_room(self) -> int:
        """Return the cells that a line of the question will have, seen or not."""
        return max(20, words_width(self._stage.size.width) - 4)

    def show_tabs(self) -> None:
        """Name the panels that share a place; the one that is seen may have the focus."""
        page, plan = self._page, self._stage.plan
        tabs = [
            Tab(name, str(panel.number or "·"), title_of(panel, page.language))
            for name, panel in ((name, page.panel(name)) for name in plan.tabs)
        ]
        seen = next((name for name in plan.tabs if name in plan.regions), "")
        focused = page.focused is not None and page.focused.id == seen
        if page.query_one(PanelTabs).show(tabs, seen, focused=focused):
            for name in PANELS:
                page.panel(name).set_class(name == seen, "-tabbed")

    # Choosing.

    def choose(self, name: str) -> None:
        page = self._page
        self.chosen = name
        self.instead_of_why = None
        if name not in ("state", "graph"):
            self.companion = name
        if self.zoomed is not None:
            self.zoomed = name
        self.place(page.view)
        if name not in self._stage.plan.regions:  # no room for it beside the code: over it, then
            self.zoomed = name
            self.place(page.view)
        panel = page.panel(name)
        page.set_focus(panel)  # now: the next key may be here already
        page.call_after_refresh(panel.redraw)

    def choose_tab(self, event: PanelTabs.TabClicked) -> None:
        """Bring its panel; a tab whose panel has the focus stands for its title."""
        if event.tabs.focused and event.name == event.tabs.seen:
            self.action_zoom()
        else:
            self.choose(event.name)

    def action_panel(self, number: int) -> None:
        """Go to the panel of this number; again, and it goes back to the code."""
        name = list(PANELS)[number - 1]
        if self.zoomed == name and self._page.has_class("-flat"):
            self.action_zoom()
        else:
            self.choose(name)

    def action_next_panel(self) -> None:
        self._cycle(1)

    def action_previous_panel(self) -> None:
        self._cycle(-1)

    def _cycle(self, step: int) -> None:
        """Go to the next panel or the one before, seen or not."""
        page = self._page
        words = "narration" if page.view.question is None else "question"
        order = [*self._above, "code", words, *PANELS]
        focused = page.focused.id if page.focused is not None else None
        place = order.index(focused) if focused in order else 0 if step < 0 else -1
        name = order[(place + step) % len(order)]
        if name in PANELS:
            self.choose(name)
            return
        if self.zoomed is not None:
            self.zoomed = name
            self.place(page.view)
        page.set_focus(page.panel(name))

    def action_next_choice(self) -> None:
        """Go to the next of what a question offers."""
        question = self._page.query_one(QuestionPanel)
        self._page.set_focus(question)
        question.next_choice()

    def action_zoom(self) -> None:
        """Give the focused panel everything, or take it back."""
        focused = self._page.focused
        if self.zoomed is not None:
            self.zoomed = None
        elif isinstance(focused, Panel) and focused.id is not None:
            self.zoomed = focused.id
        self._page.refresh_view()
        self.mend_focus()

    def action_pointers(self) -> None:
        """Show or hide the column of addresses."""
        table = self._page.query_one(TensorTable)
        table.pointers = not table.pointers
        self._page.note(ScreenTexts.pointers_on if table.pointers else ScreenTexts.pointers_off)

    # The focus.

    def mend_focus(self) -> None:
        focused = self._page.focused
        if focused is None or (focused.parent is self._stage and not focused.display):
            self._page.set_focus(self._page.first_focus())

    def resized(self) -> None:
        """Arrange for a new size; the focus stays where the learner put it, if that has room."""
        page = self._page
        self._focused_before = self._focused_before or page.focused
        page.refresh_view()
        self.mend_focus()
        if self._focused_before is not None and self._focused_before.display:
            page.set_focus(self._focused_before)

    def pressed(self) -> None:
        """Something was pressed: from now on the focus is where it is."""
        self._focused_before = None
