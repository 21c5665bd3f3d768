"""The backward graph, newest node first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.engine.session.view import View
from inplace_tui.present import graph
from inplace_tui.present.rows import Row, Target
from inplace_tui.ui.panels.panel import Panel


class GraphPanel(Panel):
    """Shows every node once, with what it saved."""

    KEY = "graph"

    @dataclass
    class NodeChosen(Message):
        """A node was chosen; `line` made it, if that is known."""

        panel: GraphPanel
        node: int
        line: int | None

        @property
        def control(self) -> GraphPanel:
            """The panel."""
            return self.panel

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        """Return the nodes, drawn when they come into view."""
        return graph.rows(view, width, self.language)

    def chosen(self, target: Target) -> None:
        """Name the node."""
        if target.node is not None:
            self.post_message(self.NodeChosen(self, target.node, target.line))
