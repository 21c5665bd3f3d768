"""Where the panels go: laws that hold at every size."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual.geometry import Region

from inplace_tui.tutorial.ui.arrangement import BESIDE, LEAST, TABS, Needs, frame, plan
from inplace_tui.tutorial.ui.panels import PANELS

NAMES = tuple(PANELS)
WAITING = "graph", "output", "timeline", "lanes"
"""Panels that may wait for a lesson that needs them."""


MORE = "another", "one_more"
"""Panels that somebody may add: the arrangement does not know them by name."""


def all_but(left_out: set[str]) -> tuple[str, ...]:
    return tuple(name for name in (*NAMES, *MORE) if name not in left_out)


def among_them(needs: Needs) -> Needs:
    """Choose a panel that is offered."""
    return replace(needs, chosen=needs.chosen if needs.chosen in needs.panels else "state")


needs = st.builds(
    Needs,
    panels=st.sets(st.sampled_from((*WAITING, *MORE))).map(all_but),
    code_rows=st.integers(1, 200),
    code_width=st.integers(0, 200),
    card=st.sampled_from([None, "question", "recap"]),
    chosen=st.sampled_from((*NAMES, *MORE)),
    companion=st.sampled_from((*NAMES, *MORE)[2:]),
    editing=st.just(value=False),
    rows=st.dictionaries(st.sampled_from(NAMES), st.integers(1, 80)).map(
        lambda found: tuple(found.items())
    ),
    fault_rows=st.sampled_from([0, 1, 4, 40]),
    beside_rows=st.sampled_from([0, 0, 4, 12]),
    card_rows=st.sampled_from([0, 9, 13, 999]),
).map(among_them)
widths, heights = st.integers(20, 240), st.integers(2, 80)


@given(widths, heights, needs)
def test_nothing_overlaps_and_nothing_is_outside(width: int, height: int, needs: Needs) -> None:
    regions = plan(width, height, needs).regions
    stage = Region(0, 0, width, height)

    assert all(stage.contains_region(region) for region in regions.values())
    for one, other in itertools.combinations(regions.values(), 2):
        assert not one.overlaps(other)


@given(widths, heights, needs)
def test_no_cell_is_left_over(width: int, height: int, needs: Needs) -> None:
    regions = plan(width, height, needs).regions

    assert sum(region.area for region in regions.values()) == width * height


@given(widths, heights, needs)
@example(width=40, height=7, needs=Needs(panels=NAMES, code_rows=9))
@example(width=40, height=7, needs=Needs(panels=NAMES, code_rows=9, card="question"))
def test_code_and_words_are_always_there_together(width: int, height: int, needs: Needs) -> None:
    shown = plan(width, height, needs).regions

    assert "code" in shown
    assert (needs.card or "narration") in shown


@given(widths, st.integers(17, 80), needs)
def test_a_card_moves_no_panel_that_is_seen_beside_it(
    width: int, height: int, needs: Needs
) -> None:
    closed = plan(width, height, replace(needs, card=None)).regions
    asked = dict(plan(width, height, replace(needs, card="question")).regions)

    card = asked.pop("question")
    assert asked.items() <= closed.items()
    assert all(card.contains_region(closed[name]) for name in closed.keys() - asked.keys())


@given(widths, heights, needs)
def test_every_card_has_the_same_place(width: int, height: int, needs: Needs) -> None:
    question = plan(width, height, replace(needs, card="question")).regions["question"]

    assert plan(width, height, replace(needs, card="recap")).regions["recap"] == question


@given(widths, st.integers(17, 80), needs)
def test_every_panel_is_seen_or_one_tab_away(width: int, height: int, needs: Needs) -> None:
    shown = plan(width, height, replace(needs, card=None))

    assert (
        set(needs.panels)
        <= set(shown.regions) | set(shown.tabs)
        <= {*needs.panels, *("code", "narration", TABS, BESIDE)}
    )
    assert TABS in shown.regions or not shown.tabs


@given(widths, st.integers(17, 80), needs)
def test_the_panel_that_was_asked_for_is_seen(width: int, height: int, needs: Needs) -> None:
    assert needs.chosen in plan(width, height, replace(needs, card=None)).regions


@given(widths, st.integers(17, 80), needs)
def test_no_panel_is_cut_beside_one_that_has_rows_to_spare(
    width: int, height: int, needs: Needs
) -> None:
    """Of those below each other."""
    needs = replace(needs, card=None)
    shown, edge = plan(width, height, needs), frame(height)
    columns: dict[int, dict[str, int]] = {}
    for name, region in shown.regions.items():
        if name in needs.panels:
            edges = max(0, edge - 1) if name in shown.tabs else edge
            names = shown.tabs if name in shown.tabs else (name,)
            wants = max(needs.wants(each, edges) for each in names)
            columns.setdefault(region.x, {})[name] = region.height - wants

    for spare in columns.values():
        assert min(spare.values()) >= 0 or max(spare.values()) <= 0, spare


@given(st.integers(160, 240), st.integers(34, 80), needs)
def test_no_panel_is_cut_in_one_column_that_has_room_in_another(
    width: int, height: int, needs: Needs
) -> None:
    needs = replace(needs, panels=NAMES, card=None, chosen="state")
    shown, edge = plan(width, height, needs), frame(height)
    columns: dict[int, list[tuple[str, int, int]]] = {}
    for name, region in sorted(shown.regions.items(), key=lambda each: each[1].y):
        if name in NAMES:
            wants = needs.wants(name, edge)
            columns.setdefault(region.x, []).append((name, wants, region.height - wants))
    if needs.card_rows:  # what the column of code and words leaves is for the cards
        columns.pop(0, None)

    for x, column in columns.items():
        is_cut = any(spare < 0 for _, _, spare in column)
        left = [sum(part[2] for part in other) for at, other in columns.items() if at != x]
        for _, wants, _ in column[x > 0 :] if is_cut else ():
            assert all(spare < wants for spare in left), columns


def test_a_panel_that_is_cut_goes_where_it_has_more_rows_and_cuts_none() -> None:
    wants = {"state": 6, "graph": 50, "why": 25, "output": 5, "timeline": 200, "lanes": 6}
    needs = Needs(panels=NAMES, code_rows=10, card_rows=0, rows=tuple(wants.items()))
    shown = plan(200, 57, needs).regions

    assert shown["timeline"].x == shown["state"].x < shown["graph"].x
    assert shown["timeline"].height == 57 - sum(wants[name] + 2 for name in ("state", "lanes"))
    assert shown["graph"].height == 57


def test_what_is_planned_can_not_be_changed() -> None:
    shown = plan(120, 37, Needs(panels=NAMES, code_rows=9))

    with pytest.raises(TypeError):
        shown.regions["code"] = Region()  # type: ignore[index]


def test_what_explains_a_failure_grows() -> None:
    needs = Needs(panels=NAMES, code_rows=40, card_rows=0, chosen="why", rows=(("why", 30),))
    for width, height in ((80, 21), (120, 37), (200, 57)):
        before = plan(width, height, needs).regions["why"]
        after = plan(width, height, replace(needs, fault_rows=1)).regions
        other = plan(width, height, replace(needs, fault_rows=1, beside_rows=5)).regions

        assert before.height < after["why"].height
        assert other[BESIDE].height >= LEAST + frame(height)


@given(widths, heights, needs, st.sampled_from(["code", "narration", *NAMES]))
def test_a_zoomed_panel_has_everything_but_the_tabs(
    width: int, height: int, needs: Needs, name: str
) -> None:
    zoomed = Needs(panels=NAMES, code_rows=needs.code_rows, zoomed=name)
    regions = plan(width, height, zoomed).regions

    assert set(regions) - {TABS} == {name}


def test_all_panels_are_there_at_200_by_60() -> None:
    shown = plan(200, 57, Needs(panels=NAMES, code_rows=9)).regions

    assert set(shown) == {"code", "narration", *NAMES}


def test_a_question_covers_the_explanation_alone_at_200_by_60() -> None:
    shown = plan(200, 57, Needs(panels=NAMES, code_rows=9, card="question")).regions

    assert {"code", "question", "narration", *NAMES} - set(shown) == {"why"}


@pytest.mark.parametrize(
    ("width", "height", "left"), [(120, 37, 50), (140, 37, 50), (200, 57, 112)]
)
def test_long_lines_of_code_take_what_the_panels_can_spare(
    width: int, height: int, left: int
) -> None:
    usual = plan(width, height, Needs(panels=NAMES, code_rows=9, code_width=40)).regions["code"]
    wide = plan(width, height, Needs(panels=NAMES, code_rows=9, code_width=130)).regions["code"]

    assert usual.width < wide.width == width - left


def test_on_the_smallest_screen_the_choices_come_before_most_of_the_code() -> None:
    shown = plan(40, 7, Needs(panels=NAMES, code_rows=9, card="question")).regions

    assert {name: region.height for name, region in shown.items()} == {"code": 2, "question": 5}


def test_the_editor_has_the_place_of_code_and_words() -> None:
    shown = plan(80, 21, Needs(panels=NAMES, code_rows=9, editing=True)).regions

    assert set(shown) == {"editor", TABS, "state"}
    assert shown["editor"].height >= 12


@pytest.mark.parametrize(("width", "height"), [(120, 37), (200, 57)])
def test_what_waiting_panels_leave_goes_to_the_code(width: int, height: int) -> None:
    few = Needs(panels=("state", "why"), code_rows=18)
    shown = plan(width, height, few).regions

    assert shown["code"].height == few.code_rows + 2
    assert "why" in shown
    long = plan(width, height, replace(few, code_rows=99)).regions
    assert "why" in long
    assert (
        long["code"].height > plan(width, height, replace(few, panels=NAMES)).regions["code"].height
    )
