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
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels.panel import Panel


class GraphPanel(Panel):
    """Shows every node once, with what it saved; what repeats is folded."""

    TITLE = PanelTitles.graph
    SEARCH_HINT = SearchTexts.graph

    BINDINGS = bindings(Where.PANEL, only=("to_input", "to_output", "retrace"))

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

        self._way: list[tuple[int, bool]] = []
        """Nodes that edges were followed from, and whether it was to an input."""

        self._taken: dict[tuple[int, bool], int] = {}
        """For each of them which of its edges was followed last."""

        self._arrived: int | None = None
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

    # Along the edges.

    def action_to_input(self) -> None:
        """Follow an edge to an input; from a leaf to the next input of where one came from."""
        self._follow(to_input=True)

    def action_to_output(self) -> None:
        """Follow an edge back to the node that uses this one."""
        self._follow(to_input=False)

    def action_retrace(self) -> None:
        """Go back where the last edge was followed from; from there the next one is taken."""
        if self._way:
            self._arrived = self._way.pop()[0]
            self._show(self._arrived)
        else:
            self.post_message(self.EdgeReached(SearchTexts.no_way))

    def _follow(self, *, to_input: bool) -> None:
        key = None if self._place is None else self._place.key
        if key is None:
            self.action_move(1)
            return
        if key != self._arrived:
            self._way, self._taken = [], {}
        if not self._ends(key, to_input=to_input):
            if not self._way or self._way[-1][1] != to_input:
                none = SearchTexts.no_inputs if to_input else SearchTexts.no_users
                self.post_message(self.EdgeReached(none))
                return
            key = self._way.pop()[0]
        ends = self._ends(key, to_input=to_input)
        edge = (self._taken.get((key, to_input), -1) + 1) % len(ends)
        self._taken[key, to_input] = edge
        self._way.append((key, to_input))
        self._arrived = ends[edge]
        self._taken.pop((ends[edge], to_input), None)
        self._show(ends[edge])

    def _ends(self, key: int, *, to_input: bool) -> list[int]:
        layout = self.graph_layout
        if to_input:
            return list(layout.targets(key))
        users = (user for node in layout.nodes(key) for user in layout.order.users.get(node, ()))
        drawn = (layout.hidden_in(user) or user for user in users)
        return [user for user in dict.fromkeys(drawn) if user != key]

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
