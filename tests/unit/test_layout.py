"""The drawing of a graph. The oracle follows the strokes with a finger."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.engine.state.layout import MOST_RAILS, Placed, lay_out, order, strokes
from inplace_tui.model.snapshot import Edge, Node

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
LEADS = {
    "│": (UP, DOWN), "─": (LEFT, RIGHT), "╯": (UP, LEFT), "╰": (UP, RIGHT), "╮": (DOWN, LEFT),
    "╭": (DOWN, RIGHT), "┤": (UP, DOWN, LEFT), "├": (UP, DOWN, RIGHT), "┴": (UP, LEFT, RIGHT),
    "┬": (DOWN, LEFT, RIGHT), "┼": (UP, DOWN, LEFT, RIGHT), "●": (UP, DOWN),
}  # fmt: skip

graphs = st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=14)


def nodes(edges: list[list[int]]) -> dict[int, Node]:
    """Return nodes 0, 1, …; each sends to earlier ones."""
    return {
        number: Node(
            id=number,
            name=f"N{number}",
            inputs=tuple(Edge(target % number) for target in targets if number),
        )
        for number, targets in enumerate(edges)
    }


def drawing(placed: list[Placed]) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """Return the rows as the panel draws them, and where each node is."""
    rows: list[str] = []
    places = {}
    for one in placed:
        cells = ["│ " if rail else "  " for rail in one.beside]
        cells[one.rail] = "● "
        places[one.node] = (len(rows), 2 * one.rail)
        rows += ["".join(cells), strokes(one.below)]
        if one.links:
            rows.append(one.links)
    return rows, places


def followed(rows: list[str], start: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the nodes that a finger reaches downwards from `start` without leaving a stroke."""
    found, waiting, been = set(), [(start[0] + 1, start[1], UP)], set()
    while waiting:
        y, x, came = waiting.pop()
        cell = rows[y][x] if y < len(rows) and 0 <= x < len(rows[y]) else " "
        if (y, x, came) in been or came not in LEADS.get(cell, ()):
            continue
        been.add((y, x, came))
        if cell == "●":
            found.add((y, x))
            continue
        for dy, dx in LEADS[cell]:
            if (dy, dx) not in (came, UP):
                waiting.append((y + dy, x + dx, (-dy, -dx)))
    return found


@given(edges=graphs)
def test_every_node_stands_once_and_before_its_inputs(edges: list[list[int]]) -> None:
    graph = nodes(edges)
    places = {number: place for place, number in enumerate(order(graph))}

    assert sorted(places) == sorted(graph)
    assert all(places[n.id] < places[e.node] for n in graph.values() for e in n.inputs if e)


@given(edges=graphs)
def test_the_strokes_lead_from_every_node_to_all_its_inputs(edges: list[list[int]]) -> None:
    graph = nodes(edges)
    placed = lay_out(graph)
    rows, places = drawing(placed)

    for one in placed:
        inputs = {places[edge.node] for edge in graph[one.node].inputs if edge}
        assert one.undrawn or inputs <= followed(rows, places[one.node])


def test_a_chain_goes_straight_down() -> None:
    assert drawing(lay_out(nodes([[], [0], [1]])))[0] == ["● ", "│", "● ", "│", "● ", ""]


def test_two_branches_that_meet_again() -> None:
    rows, _ = drawing(lay_out(nodes([[], [0], [0], [1, 2]])))

    assert [row.rstrip() for row in rows if row.strip()] == [
        "●",
        "│",
        "├─╮",
        "● │",
        "│ │",
        "│ ●",
        "│ │",
        "├─╯",
        "●",
    ]


def test_a_node_of_a_thousand_inputs_keeps_the_drawing_narrow() -> None:
    graph = nodes([[], *([0] for _ in range(1000))])
    graph[2000] = Node(id=2000, name="Cat", inputs=tuple(Edge(n) for n in range(1, 1001)))

    placed = lay_out(graph)

    assert max(len(one.beside) for one in placed) <= MOST_RAILS + 1
    assert placed[0].undrawn == 1000 - MOST_RAILS


def test_inputs_without_a_gradient_and_lost_nodes_are_left_out() -> None:
    graph = {5: Node(id=5, name="Mul", inputs=(None, Edge(99)))}

    assert lay_out(graph) == [Placed(5, 0, (True,), (False,), "", root=True)]
