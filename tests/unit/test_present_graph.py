"""The graph and the lanes as text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.rows import Target
from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState
from inplace_tui.common.run.step import Mutation
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import graph, lanes
from support.views import SOURCE, asking, at, failed, step, storage, tensor, timeline


def text(view: View, room: int = 66) -> list[str]:
    return [row.text.rstrip() for row in graph.rows(view, room, "en")]


def test_each_node_has_its_names_its_line_and_what_it_saved() -> None:
    assert text(at(3)) == [
        "● AddBackward0           y          [3]      line 4  + new",
        "● ExpBackward0                               line 3",
        "│   ! result: y  B  saved v0, now v1, stale: line 4",
        "○ AccumulateGrad         x          [3]",
    ]


@pytest.mark.parametrize("room", [36, 40])
def test_the_line_of_a_write_is_told_before_the_version_that_the_table_has(room: int) -> None:
    [stale] = [row.text for row in graph.rows(at(3), room, "en") if "!" in row.text]

    assert stale.endswith("v0, stale: line 4")


def test_what_is_stale_is_not_told_while_the_outcome_is_asked() -> None:
    assert "│   · result: y  B  saved v0" in text(asking())


def test_a_row_leads_to_what_it_names() -> None:
    rows = graph.rows(at(3), 70, "en")

    assert [row.target for row in rows] == [
        Target(node=3, line=4),
        Target(node=2, line=3),
        Target(node=2, line=4, tensor=2),  # `stale: line 4`, of what it saved
        Target(node=1, line=None),
    ]


def test_states_of_saved_tensors_have_words() -> None:
    node = Node(id=1, name="MulBackward0", line=1, step=0)
    slots = tuple(
        Saved(node=1, slot=state.value, storage=1, version=0, now=0, state=state)
        for state in (SlotState.FRESH, SlotState.FREED, SlotState.HOOKED)
    )
    made = timeline(step(0, 1, nodes=(node,), saved=slots, storages=(storage(1, 1),)))

    assert text(at(0, made))[1:] == [
        "  · fresh: A  saved v0",
        "  ∅ freed: A  saved v0  freed",
        "  · hooked: A  saved v0  hooked, not checked",
    ]


def test_what_was_freed_keeps_the_name_of_what_was_saved() -> None:
    node = Node(id=1, name="MulBackward0", line=1, step=0)
    saved = Saved(node=1, slot="self", tensor=1, storage=1, version=0, now=0)
    freed = Saved(node=1, slot="self", storage=1, version=0, state=SlotState.FREED)
    begun = step(
        0, 1, nodes=(node,), saved=(saved,), tensors=(tensor(1, "x"),), storages=(storage(1, 1),)
    )

    assert text(at(0, timeline(begun)))[1] == "  · self: x  A  saved v0"
    assert text(at(1, timeline(begun, step(1, 2, saved=(freed,)))))[1] == (
        "  ∅ self: x  A  saved v0  freed"
    )


def test_a_node_that_saved_a_hundred_tensors_counts_most_of_them() -> None:
    node = Node(id=1, name="CatBackward0", line=1, step=0)
    slots = tuple(Saved(node=1, slot=f"tensors[{n}]", storage=1) for n in range(100))
    made = timeline(step(0, 1, nodes=(node,), saved=slots, storages=(storage(1, 1),)))

    assert len(text(at(0, made))) == 8
    assert text(at(0, made))[-1] == "  … 94 more saved"


def test_a_root_stands_apart_from_what_ends_above_it() -> None:
    nodes = tuple(Node(id=n, name=f"Op{n}", line=n, step=0) for n in (1, 2))

    assert text(at(0, timeline(step(0, 9, nodes=nodes)))) == [
        "● Op2                                        line 2  + new",
        "",
        "● Op1                                        line 1  + new",
    ]


@pytest.mark.parametrize("room", [51, 54, 60, 78])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_is_cut_for_the_columns_before_it(room: int, language: str) -> None:
    source = join_files("import attention\n", [("pkg/attention.py", SOURCE)])
    whole = replace(failed(), source=source)

    rows = [row.text.rstrip() for row in graph.rows(whole, room, language)]

    assert not [row for row in rows if "…" in row]
    assert [row for row in rows if "attention.py:1" in row and "✗ " in row]
    assert [row for row in rows if "v1" in row and row.endswith("attention.py:2")]


def test_a_long_aside_takes_the_gaps_between_the_columns() -> None:
    node = Node(id=1, name="CopySlices", line=1, step=0, opaque=True)
    made = timeline(step(0, 1, nodes=(node,)), step(1, 2, nodes=(node,)))

    assert [row.text.rstrip() for row in graph.rows(at(1, made), 48, "en")] == [
        "● CopySlices         line 1  hides what it saved"
    ]


def test_the_columns_stay_where_they_are_when_backward_fails() -> None:
    columns = [
        row.text.index("line")
        for view in (at(3), at(4), failed())
        for row in graph.rows(view, 54, "en")
        if "line" in row.text and "saved" not in row.text
    ]

    assert len(columns) == 6
    assert len({*columns}) == 1


@contextmanager
def counted_rows() -> Iterator[list[int]]:
    """Count how many rows are really made."""
    made: list[int] = []
    original = graph.Drawing.row

    def row(self: graph.Drawing, index: int) -> object:
        made.append(index)
        return original(self, index)

    with patch.object(graph.Drawing, "row", row):
        yield made


def test_of_five_thousand_nodes_only_those_in_sight_are_drawn() -> None:
    nodes = tuple(
        Node(id=n, name="MulBackward0", line=n, step=0, inputs=(Edge(n - 1),) if n > 1 else ())
        for n in range(1, 5001)
    )
    view = at(0, timeline(step(0, 1, nodes=nodes)))

    with counted_rows() as made:
        rows = graph.rows(view, 70, "en")
        seen = rows[2000:2020]

    assert len(rows) == 5000
    assert len(seen) == len(made) == 20


def lane_text(view: View, room: int = 60) -> list[str]:
    return [row.text.rstrip() for row in lanes.rows(view, room, "en")]


def test_a_lane_shows_birth_writes_and_what_holds_the_storage() -> None:
    assert lane_text(failed())[:5] == [
        " line          1   2   3   4   5   ✗6",
        " step          1   2   3   4   5   ▼6",
        " step 6, line 6",
        " A x     v0        ○───────────────│",
        " B y     v1  !         ○━━━!1╍╍╍╍╍╍│",
    ]


def test_what_is_ahead_of_the_cursor_is_drawn_and_the_version_is_that_of_the_cursor() -> None:
    assert lane_text(at(2))[4] == " B y     v0            ○━━━!1╍╍╍╍╍╍╍"


def test_while_the_outcome_is_asked_a_write_is_a_write() -> None:
    assert lane_text(asking())[4] == " B y     v1                    ○━━━━━━━●1━━━━━━│"


def test_a_tensor_with_a_counter_of_its_own_shows_it_on_a_row_of_its_own() -> None:
    """`y.data` is written: its own counter moves, that of `y` does not."""
    made = timeline(
        step(0, 1, tensors=(tensor(1, "y"), tensor(2, "d", storage=1, version=1)),
             storages=(storage(1, 1, 2, 3),)),
    )  # fmt: skip

    assert [line.split() for line in lane_text(at(0, made))[3:5]] == [
        ["A", "y", "v0", "○"],
        ["└d[:]", "v1", "○"],
    ]


def test_more_steps_than_cells_are_pressed_together() -> None:
    writes = (
        step(n, 2, events=(Mutation(line=2, tensor=1, storage=1, before=n - 1, after=n),))
        for n in range(1, 1000)
    )
    made = timeline(
        step(0, 1, tensors=(tensor(1, "x", version=0),), storages=(storage(1, 1, 2, 3),)), *writes
    )

    lines = lane_text(at(999, made), 60)

    assert lines[3].startswith(" A x")
    assert lines[3].count("●+") == len(lines[3].split()[-1]) // 2 > 10
    assert max(map(len, lines)) <= 60


def test_a_graph_that_was_there_and_is_out_of_reach_is_not_said_never_to_have_been() -> None:
    node = Node(id=1, name="MulBackward0", line=1, step=0)
    made = timeline(step(0, 1), step(1, 2, nodes=(node,)), step(2, 3, lost=(1,)))

    assert text(at(0, made)) == ["No graph: nothing recorded for backward yet."]
    assert text(at(1, made)) != text(at(2, made))
    assert text(at(2, made)) == ["No graph here: what led to it is gone. Earlier steps have it."]
