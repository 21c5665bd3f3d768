"""The panels of a run: which are seen, which has the focus, which fills the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.widget import Widget

from inplace_tui.common.run.files import lines_of, split_files
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import code
from inplace_tui.tutorial.ui.arrangement import BESIDE, TABS, Needs, frame, plan
from inplace_tui.tutorial.ui.panels import PANELS, Panel, QuestionPanel, RecapPanel
from inplace_tui.tutorial.ui.run.panel_rows import Rows, rows_at_fault, rows_needed
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea, PanelTabs, Tab

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class PanelLayout:
    """Puts those panels on the stage that have room, and moves the focus among them."""

    def __init__(self, page: RunScreen, above: Sequence[str]) -> None:
        """Begin with the tensor table in front; `above` are ids of what stands above the code."""
        self._page = page
        self._above = above
        self.chosen = "state"
        self.companion = "lanes"
        self.zoomed: str | None = None
        self.editing = False
        self.waiting: set[str] = set()
        """Panels that are not seen until somebody asks for them."""

        self.empty: set[str] = set()
        """Those of them that come by themselves with the first thing they have to show."""

        self.instead_of_why: str | None = None
        """The panel that the explanation replaced, until the learner chooses one."""

        self._rows: Rows = ()
        self._at_fault = 0, 0
        self._measured_for: object = None
        """The run, and the size of the stage, for which rows were counted."""

        self.focused_before: Widget | None = None
        """What had the focus before the size changed; where it has room again, it gets it back,
        unless something was pressed meanwhile."""

        self._card: tuple[str, object] | None = None
        """What the card shows: its id, and what it is about."""

        self._covered = False
        """The learner went to a panel that the card covers: it is hidden until it is asked for."""

    @property
    def _stage(self) -> PanelArea:
        return self._page.query_one(PanelArea)

    # Showing.

    def show(self, view: View) -> None:
        language = self._page.language
        for panel in self._page.panels:
            panel.language = language  # they are measured before they are shown
        has = {"state": bool(view.snapshot.tensors), "why": view.is_explained}
        came = {name for name in self.empty if has[name]}
        self.empty -= came
        self.waiting -= came
        card = _card(view)
        if card != self._card:
            self._card, self._covered = card, False
        self.place(view)
        for panel in self._page.panels:
            panel.show(view, language)
        self.show_tabs()  # what titles note is of this moment now

    def place(self, view: View) -> None:
        """Have the stage show what there is room for at this moment."""
        rows, width = _size_of(view.source)
        needs = Needs(
            code_rows=rows,
            code_width=width,
            panels=tuple(name for name in PANELS if name not in self.waiting),
            card=None if self._card is None or self._covered else self._card[0],
            chosen=self.chosen,
            companion=self.companion,
            zoomed=self.zoomed,
            editing=self.editing,
            card_rows=0,
        )
        needs, size = self._page.adjust(needs, view), self._stage.size
        needs = self._measured(needs, view, size)
        asked = replace(needs, zoomed=None, card="question")
        alone = "narration" not in plan(size.width, size.height, asked).regions
        self._page.query_one(QuestionPanel).alone = alone
        self._page.query_one(RecapPanel).alone = alone
        self._stage.arrange_for(needs)
        self.show_tabs()

    def _measured(self, needs: Needs, view: View, size: Size) -> Needs:
        """Return the needs with those of the run that is shown, once that is over.

        Until then the panels stay as they are.
        """
        own = view.at_end is not None
        run = view.timeline if own else self._page.runner.session.recorded
        if needs.whole or view.running or not run or not size.width:
            return replace(needs, rows=() if needs.whole else self._rows)
        told, language = view.explained, self._page.language
        key = (run, len(run), told.outcome, told.truth, told.blame, view.watched, size, language)
        if self._measured_for != key:
            regions = plan(size.width, size.height, replace(needs, zoomed=None, card=None)).regions
            tabbed, edges = regions.get(TABS, self._stage.region), 2 + frame(size.height) // 2 * 2

            def width(name: str) -> int:
                return max(1, regions.get(name, tabbed).width - edges)

            self._measured_for = key
            self._rows = rows_needed(view, run, width, language)
            self._at_fault = rows_at_fault(view)
        fault, beside = self._at_fault
        return replace(needs, rows=self._rows, fault_rows=fault, beside_rows=beside)

    def show_card(self) -> None:
        """Put the card in front again: after a panel that it covers, or one that was zoomed."""
        self._covered, self.zoomed = False, None
        self.place(self._page.view)

    def show_tabs(self) -> None:
        """Name the panels that share a place; the one that is seen may have the focus."""
        page, plan = self._page, self._stage.plan
        tabs = [Tab(name, page.panel(name).tab_texts) for name in plan.tabs]
        seen = next((name for name in plan.tabs if name in plan.regions), "")
        focused = page.focused is not None and page.focused.id == seen
        if page.query_one(PanelTabs).show(tabs, seen, focused=focused):
            for name in PANELS:
                page.panel(name).set_class(name == seen, "-tabbed")

    # Choosing.

    def choose(self, name: str) -> None:
        page = self._page
        if name in self.waiting:
            self.waiting.remove(name)
            page.host.keep(partial(page.host.learner.save_panel, name))
        self.chosen = name
        self.instead_of_why = None
        if name not in ("state", "graph", "why"):
            self.companion = name
        if self.zoomed is not None:
            self.zoomed = name
        self.place(page.view)
        if name not in self._stage.plan.regions and self._card is not None:
            self._covered = True
            self.place(page.view)
        if name not in self._stage.plan.regions:  # no room for it beside the code: over it, then
            self._covered = False
            self.zoomed = name
            self.place(page.view)
        panel = page.panel(name)
        page.set_focus(panel)  # now: the next key may be here already
        page.call_after_refresh(panel.redraw)

    def go_to(self, number: int) -> None:
        """Go to the panel of this number; again, and it goes back to the code."""
        name = list(PANELS)[number - 1]
        page, panel = self._page, self._page.panel(name)
        if self.zoomed == name and page.has_class("-flat"):
            self.zoom()
        elif page.focused is panel:
            page.note(ScreenTexts.panel_chosen, number=number)
        else:
            self.choose(name)

    def cycle(self, step: int) -> None:
        """Go to the next panel or the one before, seen or not."""
        page = self._page
        words = "narration" if self._card is None or self._covered else self._card[0]
        offered = (name for name in PANELS if name not in self.waiting)
        beside = [BESIDE] if page.panel(BESIDE).display else []
        order = [*self._above, "code", *beside, words, *offered]
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

    def zoom(self) -> None:
        """Give the focused panel everything, or take it back."""
        focused = self._page.focused
        if self.zoomed is not None:
            self.zoomed = None
        elif isinstance(focused, Panel) and focused.id is not None:
            self.zoomed = focused.id
        self._page.refresh_view()
        self.mend_focus()

    # The focus.

    def mend_focus(self) -> None:
        focused = self._page.focused
        if focused is None or (focused.parent is self._stage and not focused.display):
            self._page.set_focus(self._page.first_focus())

    def resized(self) -> None:
        """Arrange for a new size; the focus stays where the learner put it, if that has room."""
        page = self._page
        self.focused_before = self.focused_before or page.focused
        page.refresh_view()
        self.mend_focus()
        if self.focused_before is not None and self.focused_before.display:
            page.set_focus(self.focused_before)


def _card(view: View) -> tuple[str, object] | None:
    """Return the card to open at this moment, and what it is about."""
    if view.question is not None:
        return "question", view.question.id
    return None if view.recap is None else ("recap", view.variant)


@lru_cache(maxsize=8)
def _size_of(text: str) -> tuple[int, int]:
    """Return the rows of the longest file of a program, and the cells of its widest line."""
    files = [part.source for part in split_files(text)]
    return max(1, *(len(lines_of(source)) for source in files)), max(map(code.widest, files))
