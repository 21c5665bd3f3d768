"""The editor's rules: indentation as Python's own style has it, blocks, search."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.tutorial.editor import indentation, search


@pytest.mark.parametrize(
    ("before", "spaces"),
    [
        (["x = 1"], 0),
        (["if x:"], 4),
        (["if x:  # why: because"], 4),
        (["x = 1  # like this:"], 0),
        (["    for a in b:"], 8),
        (["    return x"], 0),
        (["        pass"], 4),
        (["return"], 0),
        (["    returned = 1"], 4),
        (["f(a,"], 4),
        (["f(", "    a,"], 4),
        (["    g(f(", "        a,", "    )"], 4),
        (["def f(", "    a,", "):"], 4),
        (["    return f(", "        a,", "    )"], 0),
        (["x = '('"], 0),
        (["x = ':"], 0),
        (["d = {'a':"], 4),
        (['"""a (', "text"], 0),
    ],
)
def test_the_next_line_begins_where_a_person_would_put_it(before: list[str], spaces: int) -> None:
    assert indentation.after(before) == " " * spaces


PROGRAM = """\
def f(x):
    for a in x:
        if a:
            # why
            return a

        b = [
            a,
        ]
    return None
"""


def test_moving_lines_in_and_out_again_changes_nothing() -> None:
    lines = PROGRAM.splitlines()

    assert indentation.moved(indentation.moved(lines, 1), -1) == lines


def test_a_commented_block_does_nothing_and_comes_back_as_it_was() -> None:
    lines = PROGRAM.splitlines()
    commented = indentation.commented(lines)

    assert ast.parse("\n".join(commented)).body == []
    assert indentation.commented(commented) == lines


@given(st.text("aAß\u0130 ", max_size=12), st.text("aAß\u0130", min_size=1, max_size=2))
def test_every_place_that_is_found_reads_as_what_was_wanted(line: str, wanted: str) -> None:
    exact = wanted != wanted.lower()
    for place in search.matches([line], wanted):
        read = line[place.start : place.end]

        assert read == wanted or (not exact and read.lower() == wanted)


def test_capitals_count_once_they_are_typed() -> None:
    lines = ["Add add ADD"]

    assert len(search.matches(lines, "add")) == 3
    assert [place.start for place in search.matches(lines, "Add")] == [0]


def test_finding_goes_round() -> None:
    found = search.matches(["a", "", "a"], "a")

    assert search.after(found, (1, 0)) == 1
    assert search.after(found, (2, 1)) == 0
    assert search.before(found, (2, 0)) == 0
    assert search.before(found, (0, 0)) == 1
