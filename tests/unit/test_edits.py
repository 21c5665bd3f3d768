"""What an edit did to a program is read from its tree, not from its spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_tui.tutorial.activity.challenges.grading import violations
from inplace_tui.tutorial.course import edits
from inplace_tui.tutorial.course.edits import deletions, lines_changed, located, shared_lines, uses
from support.whole import examples

CODE = """\
import torch
x = torch.ones(2, requires_grad=True)
for i in range(3):
    y = x * i
y.sum().backward()
"""

CHANGED = [
    ("as it is", CODE, 0),
    ("only laid out anew", CODE.replace("x * i", "x*i  # a comment") + "\n\n# the end\n", 0),
    ("broken over lines", CODE.replace("torch.ones(2,", "torch.ones(\n    2,\n   "), 0),
    ("one changed", CODE.replace("x * i", "x + i"), 1),
    ("one added", CODE + "print(x)\n", 1),
    ("one removed", CODE.replace("    y = x * i", "    pass"), 1),
    ("two on a line", CODE + "print(x); print(y)\n", 2),
    ("one put under a header", CODE.replace("y.sum()", "with torch.no_grad():\n    y.sum()"), 2),
    ("one moved", CODE.replace("import torch\n", "") + "import torch\n", 2),
    ("not Python", CODE + "print(\n", 1),
]


@pytest.mark.parametrize(
    ("after", "count"), [each[1:] for each in CHANGED], ids=[e[0] for e in CHANGED]
)
def test_lines_are_counted_as_fewest_edits(after: str, count: int) -> None:
    assert lines_changed(CODE, after) == count


def test_a_statement_is_found_where_it_went() -> None:
    anchors = {"make": 2, "loop": 3, "times": 4, "back": 5}
    after = """\
x = torch.ones(2, requires_grad = True)  # made
with torch.enable_grad():
    y.sum().backward()
    for i in range(3):
        y = x * i
        z = y
"""

    assert located(CODE, anchors, after) == {"make": 1, "back": 3, "loop": 4, "times": 5}


def test_a_statement_that_is_another_now_is_not_found() -> None:
    assert located(CODE, {"loop": 3, "times": 4}, CODE.replace("range(3)", "range(1)")) == {
        "times": 4
    }


def test_of_two_alike_each_is_found_once() -> None:
    before = "a()\na()\nb()\n"

    assert located(before, {"first": 1, "second": 2}, "b()\na()\n") in ({"first": 2}, {"second": 2})


NAMES = [
    "x.clone()",
    "torch.clone(x)",
    "from torch import clone as c",
    "import torch.clone",
    'getattr(x, "clone")()',
    "f(clone=True)",
    "clone",
]


@pytest.mark.parametrize("line", NAMES)
def test_a_name_is_seen_however_it_is_used(line: str) -> None:
    assert ("clone", 2) in [(use.name, use.line) for use in uses(f"pass\n{line}\n")]


def test_a_name_in_a_text_or_a_comment_is_not_used() -> None:
    assert "clone" not in {use.name for use in uses('print("do not clone")  # clone\n')}


def test_lines_with_several_statements_are_seen() -> None:
    assert shared_lines("a = 1\nb = 1; c = 2\nif a: b = 3\n") == [2, 3]


def test_every_statement_is_deleted_once_and_a_block_is_never_empty() -> None:
    left = dict(deletions("a = 1\nfor b in c:\n    d = (\n        1)\ne = 1\n"))

    assert left == {
        1: "for b in c:\n    d = (\n        1)\ne = 1\n",
        2: "a = 1\ne = 1\n",
        3: "a = 1\nfor b in c:\n    pass\ne = 1\n",
        5: "a = 1\nfor b in c:\n    d = (\n        1)\n",
    }


ODD = [
    "",
    "\0",
    "\ud800",
    "(" * 500,
    "x = " + "1 + " * 3000 + "1",
    "x.a" * 2000,
    "\tif x:\n  y",
    "\r",
]


def judged(source: str) -> None:
    """Do everything that grading does with a text."""
    edits.lines_changed(CODE, source)
    edits.located(CODE, {"make": 2}, source)
    list(edits.deletions(source))
    list(violations(CODE, source, str))


@pytest.mark.parametrize("source", ODD, ids=range(len(ODD)))
def test_whatever_is_typed_can_be_judged(source: str) -> None:
    judged(source)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from([*CODE, "def f():\n", "class A: pass", ";", "\n", "_x.y", "["])))
def test_whatever_is_half_typed_can_be_judged(pieces: list[str]) -> None:
    """An edit is a program at the end at most; on the way it is anything."""
    judged("".join(pieces))
