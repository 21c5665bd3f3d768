"""The backward graph, newest node first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.message import Message

from inplace_tui.common.rows import Row, Target
from inplace_tui.common.run.step import Step
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.searching import SearchTexts
from inplace_tui.diagnosis.blame.backward_progress import LastBackward
from inplace_tui.tutorial.activity.session.view import Mask, View
from inplace_tui.tutorial.present import graph
from inplace_tui.tutorial.present.graph import matching
from inplace_tui.tutorial.state.graph_layout import OPENED, GraphLayout, RowSource
from inplace_tui.tutorial.ui.panels.panel import Panel


class GraphPanel(Panel):
    """Shows every node once, with what it saved; what repeats is folded."""

    TITLE = PanelTitles.graph
    SEARCH_HINT = SearchTexts.graph

    @dataclass
    class NodeChosen(Message):
        """A node was chosen; `line` made it, if that is known."""

        node: int
        line: int | None

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.graph_layout = GraphLayout()
        self._last_backward = LastBackward()
        self._place: RowSource | None = None
        """What the cursor is on, which stays where its row goes."""

        self._failed: Step | None = None

    def basis(self, view: View) -> object:
        if view.mask != Mask():
            return None
        shot, ran = view.snapshot, view.ran
        saved = {slot.tensor for slot in shot.saved.values()}
        tensors = [
            each
            for each in shot.tensors.values()
            if each.requires_grad is not False or each.grad_fn is not None or each.id in saved
        ]
        of_it = ran if ran is not None and (ran.nodes or ran.raised is not None) else None
        return view.timeline, view.source, shot.nodes, shot.saved, tensors, of_it

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return graph.rows(view, width, self.language, self.graph_layout, self._last_backward)

    def redraw(self) -> None:
        """Draw again; the cursor stays on its node, and goes to one that raised."""
        place, cursor = self._place, self.cursor
        super().redraw()
        if not self.graph_layout.keys:
            return
        if cursor is not None and place is not None:
            self._keep(place, cursor)
        step, came = self._last_backward.step, self._last_backward.progress
        raised = came.raised if step is not None and step is self.view.ran else None
        if raised is not None and not self.view.mask.outcome:
            if self._failed is not step:
                self._failed = step
                self.go_to(raised)
        else:
            self._failed = None

    def watch_cursor(self, before: int | None, after: int | None) -> None:
        super().watch_cursor(before, after)
        known = after is not None and 0 <= after < len(self.graph_layout)
        self._place = self.graph_layout.at(after) if known and after is not None else None

    def chosen(self, target: Target) -> None:
        """Name the node; open a run, or fold it."""
        if target.run is not None:
            self.graph_layout.toggle(target.run)
            self._place = None
            self.redraw()
            self.cursor = self.graph_layout.row_of_repeat(target.run)
            self.reveal(self.cursor, margin=1)
        elif target.node is not None:
            self.post_message(self.NodeChosen(target.node, target.line))

    def _show(self, key: int) -> None:
        """Put the cursor on what is drawn under a key."""
        row = self.graph_layout.row_of(key)
        self.cursor = row
        self.reveal(row)

    def _keep(self, place: RowSource, before: int) -> None:
        """Have the cursor on what it was on, at the same height of the panel."""
        layout = self.graph_layout
        try:
            row = (layout.row_of_repeat if place.part == OPENED else layout.row_of)(place.key)
        except KeyError:
            self.cursor = None
            return
        is_open = layout.at(row).key == place.key and place.key not in layout.folded
        if place.part > 0 and is_open:
            row += place.part
        if row != before and round(self.scroll_offset.y):
            self.scroll_relative(y=row - before, animate=False, force=True, immediate=True)
        self.cursor = row
        self._place = layout.at(row)
        self.reveal(row, margin=1)

    # Search.

    def hits(self, query: str) -> Iterator[int | None]:
        return matching(self.view, self.graph_layout, query, self.language)

    def rank(self, hit: int) -> int:
        return self.graph_layout.rank(hit)

    def rank_of_cursor(self) -> int:
        return 0 if self._place is None else self.graph_layout.rank(self._place.key)

    def go_to(self, hit: int) -> None:
        """Put the cursor on a node; what hides it opens."""
        if self.graph_layout.hidden_in(hit) is not None:
            self.graph_layout.show(hit)
            self._place = None
            self.redraw()
        self._show(hit)
