"""From a line of the code to the nodes that it made, and back."""

from __future__ import annotations

from textual import on

from inplace_tui.present import code
from inplace_tui.texts.searching import SearchTexts
from inplace_tui.ui.panels import CodePanel, GraphPanel
from inplace_tui.ui.screens.staging import Staging


class Linking(Staging):
    """A page whose code and graph lead to each other."""

    def action_to_node(self) -> None:
        """Jump from the graph to the line, from anywhere else to the nodes of the line."""
        graph = self.query_one(GraphPanel)
        if self.focused is graph:
            target = graph.rows[graph.cursor].target if graph.cursor is not None else None
            if target is not None and target.line is not None:
                self.point_at_line(target.line)
            return
        panel = self.query_one(CodePanel)
        line = code.current_line(self.view) if panel.cursor is None else panel.cursor + 1
        if line is None:
            return
        if not any(node.line == line for node in self.view.snapshot.nodes.values()):
            self.note(SearchTexts.no_node, line=line)
            return
        self.choose_panel("graph")
        self.call_after_refresh(graph.search.find, f":{line}")

    @on(GraphPanel.NodeChosen)
    def _node_chosen(self, event: GraphPanel.NodeChosen) -> None:
        event.stop()
        if event.line is not None:
            self.point_at_line(event.line)

    def point_at_line(self, line: int) -> None:
        """Put the code panel's cursor on a line."""
        panel = self.query_one(CodePanel)
        if 0 < line <= len(panel.rows):
            if self.zoomed is not None:
                self.action_zoom()
            panel.cursor = line - 1
            panel.reveal(line - 1)
            self.set_focus(panel)
