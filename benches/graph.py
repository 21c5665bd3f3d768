"""What a step costs the graph panel, with 5,000 nodes and with 60.

One process, no worker: views are made by hand, so that nothing but following,
laying out and drawing is measured. The repetitions take turns, and the least
of each is compared: what else the machine does can only add. Exits with 1 where
a promise is broken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import perf_counter

from explain import machine
from inplace_tui.common.run.snapshot import Edge, Node, Saved, Storage
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import graph
from inplace_tui.tutorial.present.graph import matching
from inplace_tui.tutorial.state.graph_layout import GraphLayout

SMALL, LARGE = 60, 5000
ROWS, ROOM = 36, 76
"""Cells of a panel at 120x40, when it has the screen to itself."""

SAME = 2.0
"""Cost of a step that leaves the graph alone, with 5,000 nodes, for one with 60, at most."""

ADDED = 0.3
"""Cost of a step that adds a node, for drawing it all for the first time, at most."""


def timeline(nodes: int, *, repeated: bool) -> Timeline:
    """Return a run that made a chain, adds a node, and then does nothing to the graph.

    Args:
        nodes: of the chain; every one saves a tensor.
        repeated: by one line of a loop, or each by a line of its own.
    """
    made = [Node(id=1, name="AccumulateGrad")]
    for n in range(2, nodes + 1):
        line = 3 if repeated else n
        made.append(
            Node(id=n, name="MulBackward0", line=line, step=0, inputs=(Edge(n - 1), Edge(1)))
        )
    saved = tuple(Saved(node=n, slot="other", storage=1, version=0, now=0) for n in range(2, nodes))
    run = Timeline()
    run.append(Step(index=0, line=3, end_line=3, began=0, nodes=tuple(made), saved=saved,
                    storages=(Storage(id=1, nbytes=4),)))  # fmt: skip
    top = Node(id=nodes + 1, name="SumBackward0", line=4, step=1, inputs=(Edge(nodes),))
    run.append(Step(index=1, line=4, end_line=4, began=1, nodes=(top,)))
    for index in (2, 3):
        run.append(Step(index=index, line=5, end_line=5, began=index))
    return run


def view(run: Timeline, cursor: int) -> View:
    """Return the view of a step."""
    return View(
        source="", timeline=run, cursor=cursor, snapshot=run.at(cursor), ran=run.steps[cursor]
    )


def drawn(layout: GraphLayout, shown: View, at: int = 0) -> None:
    """Draw what a panel shows, scrolled down to a row."""
    list(graph.rows(shown, ROOM, "en", layout)[at : at + ROWS])


def least(repetitions: int, act: Callable[[], Callable[[], object]]) -> float:
    """Return the least seconds that what `act` prepares takes."""
    taken = []
    for _ in range(repetitions):
        work = act()
        began = perf_counter()
        work()
        taken.append(perf_counter() - began)
    return min(taken)


class Panel:
    """A graph of some size under the actions of a learner."""

    def __init__(self, nodes: int, *, repeated: bool, opened: bool = False) -> None:
        run = timeline(nodes, repeated=repeated)
        self.views = [view(run, cursor) for cursor in range(4)]
        self.opened = opened

    def layout(self, cursor: int) -> GraphLayout:
        """Return a layout that has drawn a step."""
        layout = GraphLayout()
        drawn(layout, self.views[cursor])
        if self.opened:
            for key in list(layout.folded):
                layout.toggle(key)
            drawn(layout, self.views[cursor])
        return layout

    def first(self) -> Callable[[], object]:
        """Draw it for the first time."""
        return lambda: drawn(GraphLayout(), self.views[0])

    def added(self) -> Callable[[], object]:
        """Step to where a node more is there."""
        layout = self.layout(0)
        return lambda: drawn(layout, self.views[1])

    def same(self) -> Callable[[], object]:
        """Step to where the graph is as before."""
        layout = self.layout(2)
        return lambda: drawn(layout, self.views[3])

    def end(self) -> Callable[[], object]:
        """Scroll to the end, which was never seen."""
        layout = self.layout(2)
        return lambda: drawn(layout, self.views[2], max(0, len(layout) - ROWS))

    def fold(self) -> Callable[[], object]:
        """Open what is folded, and draw it; where nothing repeats nothing is."""
        layout = self.layout(2)
        keys = list(layout.folded)

        def act() -> None:
            for key in keys:
                layout.toggle(key)
            drawn(layout, self.views[2])

        return act

    def search(self) -> Callable[[], object]:
        """Look through all of it for what is not there."""
        layout = self.layout(2)
        return lambda: list(matching(self.views[2], layout, "nothing", "en"))


SIGHTS = (
    ("scrolling to an end never seen", Panel.end),
    ("opening or folding", Panel.fold),
    ("a search through all", Panel.search),
)
"""What has to be done before the next frame, which is every 16 ms. It is told, not asserted."""


def main(repetitions: int = 7) -> int:
    """Measure all; return 0 if what is promised is kept."""
    print(machine())
    kept = True
    for name, small, large in (
        ("a loop, folded", Panel(SMALL, repeated=True), Panel(LARGE, repeated=True)),
        ("a loop, opened", Panel(SMALL, repeated=True, opened=True),
         Panel(LARGE, repeated=True, opened=True)),
        ("nothing repeats", Panel(SMALL, repeated=False), Panel(LARGE, repeated=False)),
    ):  # fmt: skip
        print(f"{LARGE:,} nodes, {name}, least of {repetitions}:")
        alone, other = least(repetitions, large.same), least(repetitions, small.same)
        print(f"  a step that leaves it alone / with {SMALL}: {alone / other:.2f}  {ms(alone)}")
        first, added = least(repetitions, large.first), least(repetitions, large.added)
        print(
            f"  one that adds a node / drawing anew: {added / first:.2f}  {ms(added)} / {ms(first)}"
        )
        kept &= alone <= SAME * other and added <= ADDED * first
        for what, act in SIGHTS:
            print(f"  {what}: {ms(least(repetitions, lambda act=act: act(large)))}")  # type: ignore[misc]  # noqa: B023
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


def ms(seconds: float) -> str:
    """Return milliseconds as text."""
    return f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    sys.exit(main(parser.parse_args().repetitions))
