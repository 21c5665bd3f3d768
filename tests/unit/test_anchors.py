"""Anchors name statements; swaps exchange whole ones."""

from __future__ import annotations

import textwrap

import pytest

from inplace_tui.tutorial.course.lessons.anchors import (
    find_anchors,
    place_in_order,
    swapped,
    syntax_error,
)


def code(text: str) -> str:
    """Return a program without the indentation of the test."""
    return textwrap.dedent(text).strip("\n") + "\n"


def test_an_anchor_names_the_first_line_of_a_statement_over_several() -> None:
    anchored, wrong = find_anchors(
        code("""
        x = f(
            1,  # one
            "#@ text",
        )  #@ call
        y = 2  # for people  #@ two
        """)
    )

    assert wrong == []
    assert anchored.anchors == {"call": 1, "two": 5}
    assert anchored.code == 'x = f(\n    1,  # one\n    "#@ text",\n)\ny = 2  # for people\n'


def test_a_compound_statement_is_named_at_its_header() -> None:
    anchored, wrong = find_anchors(
        code("""
        for i in range(3):  #@ loop
            x = i  #@ body
        with a:
            pass  #@ inside
        """)
    )

    assert wrong == []
    assert anchored.anchors == {"loop": 1, "body": 2, "inside": 4}


@pytest.mark.parametrize(
    "program",
    [
        "x = 1\n#@ alone\n",
        "x = (1 +  #@ inside\n     2)\n",
        "try:\n    x = 1\nexcept ValueError:  #@ handler\n    pass\n",
        "if a:\n    x = 1\nelse:  #@ otherwise\n    x = 2\n",
        "@d  #@ decorator\ndef f():\n    return 1\n",
        "x = 1; y = 2  #@ two\n",
        "if a: x = 1  #@ two\n",
        "x = 1  #@ Upper\n",
        "x = 1  #@\n",
        "x = 1  #@ a b\n",
        "x = 1  #@ a\ny = 1  #@ a\n",
    ],
)
def test_an_anchor_that_names_no_statement_of_its_own_is_refused(program: str) -> None:
    _, wrong = find_anchors(program)

    assert len(wrong) == 1


PROGRAM = code("""
    import torch
    def step(w):
        with torch.no_grad():  #@ guard
            w -= 1  #@ update
        return w  #@ give
    x = torch.ones(
        3)  #@ make
    """)


@pytest.mark.parametrize(
    ("swap", "expected"),
    [
        ({"make": "x = 1"}, PROGRAM.replace("x = torch.ones(\n    3)", "x = 1")),
        ({"update": "w *= 2\nw += 1"}, PROGRAM.replace("w -= 1", "w *= 2\n        w += 1")),
        ({"update": ""}, PROGRAM.replace("w -= 1", "pass")),
        (
            {"give": ""},
            PROGRAM.replace("    return w\n", "").replace("    return w  #@ give\n", ""),
        ),
        (
            {"guard": "w -= 1"},
            PROGRAM.replace("with torch.no_grad():  #@ guard\n        w -= 1  #@ update", "w -= 1"),
        ),
        (
            {"guard": "if w:\n  w -= 1\nelse:\n  w += 1\n"},
            PROGRAM.replace(
                "with torch.no_grad():  #@ guard\n        w -= 1  #@ update",
                "if w:\n      w -= 1\n    else:\n      w += 1",
            ),
        ),
    ],
)
def test_a_swap_exchanges_the_whole_statement(swap: dict[str, str], expected: str) -> None:
    program = swapped(find_anchors(PROGRAM)[0], swap)

    assert find_anchors(program)[0].code == find_anchors(expected)[0].code
    assert syntax_error(program) is None


def test_an_exchanged_statement_keeps_its_name_on_its_first_line() -> None:
    program = swapped(
        find_anchors(PROGRAM)[0], {"guard": "y = (w +\n     1)\nz = y", "make": "x = 1"}
    )

    assert find_anchors(program)[0].anchors == {"guard": 3, "give": 6, "make": 7}


def test_an_exchanged_statement_may_bring_names_of_its_own() -> None:
    program = swapped(find_anchors(PROGRAM)[0], {"make": "x = 1\nx += 1  #@ make\nx += 2  #@ more"})

    assert find_anchors(program)[0].anchors == {
        "guard": 3,
        "update": 4,
        "give": 5,
        "make": 7,
        "more": 8,
    }


def test_a_deleted_statement_has_no_name() -> None:
    program = swapped(find_anchors(PROGRAM)[0], {"update": ""})

    assert "update" not in find_anchors(program)[0].anchors


def test_two_statements_on_the_first_line_have_no_name() -> None:
    program = swapped(find_anchors(PROGRAM)[0], {"make": "x = 1; x += 1"})

    anchored, wrong = find_anchors(program)
    assert wrong == []
    assert "make" not in anchored.anchors


@pytest.mark.parametrize(
    ("program", "line", "place"),
    [
        ("import torch\n\nx = f(\n  1)\ny = x; z = y\nx.add_(1)\n", 6, 3),
        ("x = 1\n# nothing here\n", 2, None),
        ("for i in range(3):\n    x = 1\n", 2, None),
        ("def f():\n    return 1\nx = f()\n", 3, None),
        ("f = lambda: 1\nx = f()\n", 2, None),
    ],
)
def test_a_step_has_a_place_only_if_every_line_runs_once(
    program: str, line: int, place: int | None
) -> None:
    assert place_in_order(program, line) == place
