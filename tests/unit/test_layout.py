"""The drawing of a graph. The oracle follows the strokes with a finger."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.snapshot import EMPTY, Edge, Node, Snapshot
from inplace_tui.tutorial.state.graph_layout import GAP, GraphLayout, NodeOrder
from inplace_tui.tutorial.state.rails import MAX_RAILS, RailLayout, passing

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
LEADS = {
    "│": (UP, DOWN), "─": (LEFT, RIGHT), "╯": (UP, LEFT), "╰": (UP, RIGHT), "╮": (DOWN, LEFT),
    "╭": (DOWN, RIGHT), "┤": (UP, DOWN, LEFT), "├": (UP, DOWN, RIGHT), "┴": (UP, LEFT, RIGHT),
    "┬": (DOWN, LEFT, RIGHT), "┼": (UP, DOWN, LEFT, RIGHT),
}  # fmt: skip

graphs = st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=16)


def nodes(edges: list[list[int]]) -> dict[int, Node]:
    """Return nodes 1, 2, …; each sends to earlier ones."""
    return {
        number: Node(
            id=number,
            name=f"N{number}",
            inputs=tuple(Edge(1 + target % (number - 1)) for target in targets if number > 1),
        )
        for number, targets in enumerate(edges, 1)
    }


def snapshot(graph: dict[int, Node]) -> Snapshot:
    return Snapshot(tensors={}, storages={}, nodes=graph, saved={})


def drawing(layout: GraphLayout) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """Return the rows, and where each node is."""
    rails = layout.rails()
    rows: list[str] = []
    places = {}
    for number in range(len(layout)):
        place = layout.at(number)
        if place.part == GAP:
            rows.append(passing(rails.rails(place.item)))
            continue
        before, after = rails.place(place.item).strokes
        places[place.key] = (number, len(before))
        rows.append(f"{before}●{after}".rstrip())
    return rows, places


def followed(rows: list[str], start: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the nodes that a finger reaches from `start`, never going up.

    It starts down or sideways; a stroke that is crossed has no joint, so it goes on.
    """
    found = set()
    waiting = [(start[0] + dy, start[1] + dx, (-dy, -dx)) for dy, dx in (DOWN, LEFT, RIGHT)]
    been = set()
    while waiting:
        y, x, came = waiting.pop()
        cell = rows[y][x] if y < len(rows) and 0 <= x < len(rows[y]) else " "
        if (y, x, came) in been:
            continue
        been.add((y, x, came))
        if cell == "●":
            if came == UP:
                found.add((y, x))
            continue
        leads = LEADS.get(cell, ())
        if cell == "│" and came in (LEFT, RIGHT):
            leads = (LEFT, RIGHT)
        if came not in leads:
            continue
        # What comes down a rail does not turn into the branch of another node.
        onward = (DOWN,) if came == UP else (DOWN, LEFT, RIGHT)
        waiting += [
            (y + d[0], x + d[1], (-d[0], -d[1])) for d in leads if d != came and d in onward
        ]
    return found


@given(edges=graphs)
def test_every_node_stands_once_and_before_its_inputs(edges: list[list[int]]) -> None:
    graph = nodes(edges)
    order = NodeOrder()
    order.follow(graph)
    places = {number: place for place, number in enumerate(order.keys)}

    assert sorted(order.keys) == sorted(graph)
    assert all(places[n.id] < places[e.node] for n in graph.values() for e in n.inputs if e)


@given(edges=graphs, numbers=st.permutations(range(1, 17)))
def test_the_strokes_lead_from_every_node_to_all_its_inputs_and_no_others(
    edges: list[list[int]], numbers: list[int]
) -> None:
    """Whatever the nodes are numbered."""
    graph = {
        numbers[n.id - 1]: Node(
            id=numbers[n.id - 1],
            name=n.name,
            inputs=tuple(Edge(numbers[e.node - 1]) for e in n.inputs if e),
        )
        for n in nodes(edges).values()
    }
    layout = GraphLayout(fold=False)
    layout.follow(snapshot(graph))
    rows, places = drawing(layout)

    for item, key in enumerate(layout.keys):
        placed = layout.rails().place(item)
        drawn = {places[edge.node] for edge in graph[key].inputs if edge}
        drawn -= {places[target] for target in placed.undrawn}
        assert followed(rows, places[key]) == drawn
        assert set(placed.undrawn) <= {edge.node for edge in graph[key].inputs if edge}


@given(edges=graphs, cuts=st.lists(st.integers(0, 16), max_size=6))
def test_a_graph_that_grows_and_shrinks_is_drawn_as_if_it_had_been_there(
    edges: list[list[int]], cuts: list[int]
) -> None:
    graph = nodes(edges)
    followed_layout = GraphLayout()
    for cut in cuts:
        now = snapshot({key: node for key, node in graph.items() if key <= cut})
        followed_layout.follow(now)
        fresh = GraphLayout()
        fresh.follow(now)

        assert followed_layout.order.keys == fresh.order.keys
        assert followed_layout.order.users.keys() == fresh.order.users.keys()
        assert drawing(followed_layout) == drawing(fresh)


def shown(edges: list[list[int]], *, fold: bool = True) -> list[str]:
    layout = GraphLayout(fold=fold)
    layout.follow(snapshot(nodes(edges)))
    return drawing(layout)[0]


def test_a_chain_goes_straight_down() -> None:
    assert shown([[], [0], [1]]) == ["●", "●", "●"]


def test_what_is_drawn_last_goes_straight_on() -> None:
    residual = [[], [0], [1], [1, 2]]

    assert shown(residual) == ["●─╮", "├─●", "●", "●"]


def test_roots_stand_apart_from_what_ends_above_them() -> None:
    assert shown([[], []]) == ["●", "", "●"]


def test_a_node_of_a_thousand_inputs_keeps_the_drawing_narrow() -> None:
    graph = {n: Node(id=n, name="Leaf", inputs=()) for n in range(1, 1001)}
    graph[2000] = Node(id=2000, name="Cat", inputs=tuple(Edge(n) for n in range(1, 1001)))
    layout = GraphLayout(fold=False)
    layout.follow(snapshot(graph))

    assert layout.rails().place(0).undrawn == tuple(range(MAX_RAILS, 1000))
    assert max(len(layout.rails().rails(row)) for row in range(1001)) <= MAX_RAILS


def test_inputs_without_a_gradient_and_lost_nodes_are_left_out() -> None:
    layout = GraphLayout()
    layout.follow(snapshot({5: Node(id=5, name="Mul", inputs=(None, Edge(99)))}))

    assert drawing(layout)[0] == ["●"]


def chain(length: int) -> dict[int, Node]:
    """Return a chain of nodes, each of a line of its own."""
    return {
        n: Node(id=n, name="Mul", line=n, inputs=(Edge(n - 1),) if n > 1 else ())
        for n in range(1, length + 1)
    }


def test_a_step_that_leaves_the_graph_alone_costs_nothing() -> None:
    graph, layout = chain(5000), GraphLayout()
    layout.follow(snapshot(graph))
    laid = layout.layouts

    again = [layout.follow(snapshot(graph)), layout.follow(snapshot(dict(graph)))]

    assert again == [False, False]
    assert layout.layouts == laid


def test_a_step_that_adds_a_node_lays_out_that_node_only() -> None:
    graph, layout = chain(5000), GraphLayout()
    layout.follow(snapshot(graph))
    layout.rails().rails(5000)

    layout.follow(snapshot({**graph, 5001: Node(id=5001, name="Sum", inputs=(Edge(5000),))}))
    layout.rails().rails(5001)

    assert layout.rails().layouts <= 2
    assert layout.order.keys[:2] == [5001, 5000]


def test_nothing_of_the_drawings_before_is_kept() -> None:
    layout = GraphLayout()
    for length in range(1, 40):
        layout.follow(snapshot(chain(length)))
        rails = layout.rails()
        rails.rails(length)

    assert rails._known is None or rails._known._known is None


def test_no_graph_has_no_rows() -> None:
    layout = GraphLayout()
    layout.follow(EMPTY)

    assert len(layout) == 0
    assert RailLayout([], lambda _: []).rails(0) == ()
