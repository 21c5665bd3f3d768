"""What repeats in a graph is folded, and what stands out is not."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState, Snapshot
from inplace_tui.tutorial.activity.session.view import Mask
from inplace_tui.tutorial.present import graph
from inplace_tui.tutorial.state.graph_layout import LONG, MIN_REPEATS, GraphLayout, find_repeats
from support.views import at, step, storage, timeline


@given(signs=st.lists(st.integers(0, 2), max_size=60))
def test_a_run_is_the_same_over_and_over_and_runs_do_not_meet(signs: list[int]) -> None:
    end = 0
    for run in find_repeats(signs):
        one = signs[run.start : run.start + run.period]
        assert signs[run.start : run.end] == one * run.times
        assert run.times >= MIN_REPEATS
        assert run.period * run.times >= LONG
        assert run.start >= end
        end = run.end


@given(
    one=st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True), times=st.integers(8, 30)
)
def test_a_loop_is_found_whole(one: list[int], times: int) -> None:
    (run,) = find_repeats([*[9, 8], *one * times, 7])

    assert (run.start, run.period, run.times) == (2, len(one), times)


def chain(length: int, *, stale: int | None = None, new: int | None = None) -> tuple[Node, ...]:
    return tuple(
        Node(id=n, name="MulBackward0", line=3, step=5 if n == new else 0,
             inputs=(Edge(n - 1),) if n > 1 else ())
        for n in range(1, length + 1)
    )  # fmt: skip


def slots(length: int, stale: int | None) -> tuple[Saved, ...]:
    return tuple(
        Saved(node=n, slot="other", storage=1, version=0, now=int(n == stale),
              state=SlotState.STALE if n == stale else SlotState.FRESH)
        for n in range(1, length + 1)
    )  # fmt: skip


def chart_of(nodes: tuple[Node, ...], saved: tuple[Saved, ...] = ()) -> GraphLayout:
    layout = GraphLayout()
    layout.follow(
        Snapshot(
            tensors={},
            storages={},
            nodes={node.id: node for node in nodes},
            saved={(slot.node, slot.slot): slot for slot in saved},
        )
    )
    return layout


def test_every_node_is_there_folded_or_not() -> None:
    layout = chart_of(chain(100))

    assert sorted(node for key in layout.keys for node in layout.nodes(key)) == list(range(1, 101))
    assert len(layout) < 10

    layout.toggle(next(iter(layout.folded)))

    assert [key for key in layout.keys if key > 0] == list(range(100, 0, -1))


def test_what_is_stale_stands_outside_of_runs() -> None:
    layout = chart_of(chain(100), slots(100, 50))

    assert 50 in layout.keys
    assert layout.hidden_in(49) is not None
    assert layout.hidden_in(51) is not None


def test_a_stale_slot_does_not_show_by_its_place_while_the_outcome_is_asked() -> None:
    """A node that alone is drawn apart would be the answer."""
    made = timeline(step(0, 3, nodes=chain(100), saved=slots(100, 50), storages=(storage(1, 1),)))
    hidden = at(0, made, mask=Mask(outcome=True))

    def shape(view: object) -> list[int]:
        layout = GraphLayout()
        graph.rows(view, 70, "en", layout)  # type: ignore[arg-type]
        return layout.keys

    fresh = timeline(
        step(0, 3, nodes=chain(100), saved=slots(100, None), storages=(storage(1, 1),))
    )
    assert shape(hidden) == shape(replace(hidden, timeline=fresh, snapshot=fresh.at(0)))
    assert shape(at(0, made)) != shape(hidden)


def test_a_node_in_a_run_is_shown_when_it_is_asked_for() -> None:
    layout = chart_of(chain(100))

    row = layout.show(42)

    assert layout.at(row).key == 42
    assert layout.hidden_in(42) is None
