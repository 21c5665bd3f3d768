"""Asks the explanation panel about what the learner points at, and brings it when a run fails."""

from __future__ import annotations

from inplace_tui.engine.session.view import View
from inplace_tui.model.outcome import Completed
from inplace_tui.present.why import CellSubject, NodeSubject, WhySubject
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.panels import GraphPanel, TensorTable
from inplace_tui.ui.panels.why import WhyPanel
from inplace_tui.ui.run.panel_layout import PanelLayout
from inplace_tui.ui.run.run_page import RunPage


class Explaining:
    """Explains the outcome, a cell of the table or a node of the graph."""

    def __init__(self, page: RunPage, layout: PanelLayout) -> None:
        self._page = page
        self._layout = layout
        self._explained = False

    def follow_outcome(self, view: View) -> None:
        """Bring the explanation forward when there is one, and take it back when it goes."""
        layout = self._layout
        ended = view.outcome is not None
        explained = ended and (view.blame is not None or not isinstance(view.outcome, Completed))
        if explained and not self._explained and layout.chosen != "why":
            layout.instead_of_why, layout.chosen = layout.chosen, "why"
            self._page.query_one(WhyPanel).ask(None)
        elif not explained and self._explained and layout.chosen == "why":
            layout.chosen = layout.instead_of_why or "state"
            layout.instead_of_why = None
        self._explained = explained

    def action_why(self) -> None:
        """Explain the cell or the node under the cursor; anywhere else, the outcome."""
        panel = self._page.query_one(WhyPanel)
        if self._page.focused is panel:
            self._page.note(ScreenTexts.panel_chosen, number=panel.number)
        panel.ask(self._subject())
        self._layout.choose("why")

    def _subject(self) -> WhySubject | None:
        table, graph = self._page.query_one(TensorTable), self._page.query_one(GraphPanel)
        focused = self._page.focused
        if focused is table and table.cursor is not None and table.selected is not None:
            return CellSubject(table.selected, table.column or "names")
        if focused is table and table.column is not None:  # it has no rows yet
            return CellSubject(None, table.column)
        if focused is graph and graph.cursor is not None:
            node = graph.rows[graph.cursor].target.node
            return None if node is None else NodeSubject(node)
        return None
