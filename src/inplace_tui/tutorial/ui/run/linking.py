"""From what the learner points at to a line, a node or an explanation of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_tui.common.run.files import place_of
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.searching import SearchTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import code
from inplace_tui.tutorial.present.why import CellSubject, NodeSubject, WhySubject
from inplace_tui.tutorial.ui.panels import CodePanel, GraphPanel, TensorTable
from inplace_tui.tutorial.ui.panels.why import WhyPanel
from inplace_tui.tutorial.ui.run.panel_layout import PanelLayout

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.screens.run_screen import RunScreen


class Linking:
    """Leads from the code to the graph and back, and from anything to the explanation of it."""

    def __init__(self, page: RunScreen, layout: PanelLayout) -> None:
        self._page = page
        self._layout = layout
        self._explained = False

    def action_to_node(self) -> None:
        """Jump from the graph to the line, from anywhere else to the nodes of the line."""
        page = self._page
        graph, panel = page.query_one(GraphPanel), page.query_one(CodePanel)
        if page.focused is graph:
            if graph.cursor is None:
                page.note(
                    SearchTexts.choose_node if page.view.snapshot.nodes else SearchTexts.no_nodes
                )
            else:
                self.to_line_of_node(graph.under_cursor.line)
            return
        line = code.current_line(page.view) if panel.line is None else panel.line
        if line is None or not page.view.snapshot.nodes:
            page.note(SearchTexts.no_nodes)
            return
        place = place_of(page.view.source, line)
        if not any(node.line == line for node in page.view.snapshot.nodes.values()):
            page.note(SearchTexts.no_node, line=place.text)
            return
        self._layout.choose("graph")
        page.call_after_refresh(graph.search.find, f"{place.file or ''}:{place.line}")

    def to_line_of_node(self, line: int | None) -> None:
        """Go to the line that made a node, or say that none did."""
        if line is None:
            self._page.note(SearchTexts.no_line)
        else:
            self.point_at(line)

    def point_at(self, line: int | None) -> None:
        """Put the code panel's cursor on a line, if there is one."""
        panel = self._page.query_one(CodePanel)
        if line is not None and panel.point_at(line):
            if self._layout.zoomed is not None:
                self._layout.action_zoom()
                panel.point_at(line)
            self._page.set_focus(panel)

    # Explaining.

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
        node = graph.under_cursor.node if focused is graph else None
        return None if node is None else NodeSubject(node)
